"""What a policy can be shown in an encounter: the pictures of its first prompt, and no others."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from io import BytesIO

import pytest
from PIL import Image as Picture

from osler.core.contract import NoUsableReply
from osler.errors import Status
from osler.models.types import CompletionRequest, Image, Message
from osler.training.batcher import Answer, Batcher, TokenPrompt
from osler.training.policy import LATER_PICTURE, Chat, PolicyClient
from osler.training.reward.score import Score
from osler.training.world import PlayedEncounter, whole
from tests.training.grpo.worlds import END, Letters, ids, text


def painted(colour: str) -> Image:
    out = BytesIO()
    Picture.new("RGB", (8, 8), colour).save(out, "PNG")
    return Image.of(out.getvalue())


class Seeing(Letters):
    """A picture is the letter @, before all else."""

    sees = True

    def asked(self, chat: Chat, pictures: Sequence[bytes] = ()) -> list[int]:
        return ids("@" * len(pictures) + self.begun(chat))


def test_pictures_of_the_first_prompt_are_handed_on_and_a_later_one_spoils_the_encounter() -> None:
    met: list[TokenPrompt] = []

    def engine(asked: list[TokenPrompt]) -> list[Answer]:
        met.extend(asked)
        return [Answer([*ids("Yes."), END])]

    client = PolicyClient(Seeing(), Batcher(engine, 1), 0, 10_000)
    first = (
        Message(role="system", text="You look."),
        Message(role="user", text="Look.", images=(painted("red"), painted("blue"))),
    )
    second = (*first, Message(role="assistant", text="Yes."), Message(role="user", text="And now?"))
    third = (
        *second,
        Message(role="assistant", text="Yes."),
        Message(role="user", text="And here?", images=(painted("green"),)),
    )

    async def ask(messages: tuple[Message, ...]) -> str:
        return (await client.complete(CompletionRequest(messages=messages))).text

    assert [asyncio.run(ask(one)) for one in (first, second)] == ["Yes.", "Yes."]
    assert text(met[0].ids).startswith("@@system:You look.")
    assert met[1].ids[: len(met[0].ids)] == met[0].ids
    assert [len(one.pictures) for one in met] == [2, 2]
    assert met[0].beginning == met[1].beginning == text(met[0].ids)[2:]
    with pytest.raises(NoUsableReply):
        asyncio.run(ask(third))
    assert len(met) == 2
    assert client.spoken.spoilt == LATER_PICTURE
    found = PlayedEncounter(Status.OUT_OF_BUDGET, (), client.spoken)
    assert whole(found, [Score(1.0)]).unscored == LATER_PICTURE
