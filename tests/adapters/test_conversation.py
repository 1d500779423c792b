"""An encounter as a conversation is the one that the same model plays inside, whoever answers."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from osler.adapters import Borrowed, Conversation, EndedEpisode, OpenPrompt, World, seated_model
from osler.core.contract import Request
from osler.errors import BadInput, InfrastructureFault, Stale, Status
from osler.models.types import Message
from osler.protocols.consultation.config import RunConfig
from tests.adapters.framework import PROTOCOLS, saying, talked

MOVES = {
    "consultation": (
        '{"action": "ASK", "question": "Where exactly is the pain?"}',
        "no move at all",
        '{"action": "REQUEST_TEST", "test_name": "ECG"}',
        '{"action": "FINALIZE", "diagnosis": "migraine"}',
    ),
    "scenario": (
        '{"words": "Good morning, may I examine you?"}',
        "{}",
        '{"words": "Please measure her blood pressure."}',
    ),
    "ward_round": ("not a word of JSON", '{"guidance": "Which finding would change your mind?"}'),
}


def by_rule(protocol: str) -> Any:
    """Answers in order, the last of them again and again."""

    def answer(said: int, messages: Sequence[Message]) -> str:
        return MOVES[protocol][min(said, len(MOVES[protocol]) - 1)]

    return answer


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_conversation_is_the_episode_that_the_model_plays_inside(protocol: str) -> None:
    async def both() -> tuple[EndedEpisode, EndedEpisode]:
        world = World(PROTOCOLS[protocol])
        player = seated_model(
            world, world.episode(1).case, Borrowed(saying(by_rule(protocol)), schemas=False)
        )
        return await world.play(1, player), await talked(world, 1, by_rule(protocol))

    inside, outside = asyncio.run(both())
    assert outside == inside


def test_text_moves_are_the_words_of_a_model_that_writes_no_json() -> None:
    def answer(said: int, messages: Sequence[Message]) -> str:
        return "Where exactly is the pain?" if said < 3 else "DIAGNOSIS READY: [migraine]"

    config = RunConfig(cases="library", limit=1, moves="text")
    played = asyncio.run(talked(World(config), 0, answer))
    assert played.trace.outcome.status is Status.COMPLETED
    assert played.scores["turns"] == 4


def test_only_what_is_new_is_shown_again_and_a_refusal_says_why() -> None:
    async def look() -> list[OpenPrompt]:
        seen: list[OpenPrompt] = []
        async with Conversation(World(PROTOCOLS["consultation"]), 0) as talk:
            now = await talk.next()
            for text in MOVES["consultation"][:3]:
                assert isinstance(now, OpenPrompt)
                seen.append(now)
                now = await talk.step(text, now.ticket)
        return seen

    first, second, third = asyncio.run(look())
    assert first.new == len(first.messages)
    assert second.messages[: len(first.messages)] == first.messages
    assert first.messages[0].text not in second.text
    assert MOVES["consultation"][0] not in second.text
    assert "Not a valid move" in third.text


def test_a_stale_ticket_and_a_double_answer_change_nothing() -> None:
    async def go() -> None:
        async with Conversation(World(PROTOCOLS["consultation"]), 0) as talk:
            first = await talk.next()
            assert isinstance(first, OpenPrompt)
            second, error = await asyncio.gather(
                talk.step(MOVES["consultation"][0], first.ticket),
                talk.step(MOVES["consultation"][0], first.ticket),
                return_exceptions=True,
            )
            assert isinstance(second, OpenPrompt)
            assert isinstance(error, Stale)
            with pytest.raises(Stale, match="is not open"):
                await talk.step(MOVES["consultation"][0], first.ticket)
            assert talk.pending == second

    asyncio.run(go())


def test_after_the_end_nothing_is_open() -> None:
    async def go() -> None:
        async with Conversation(World(PROTOCOLS["consultation"]), 0) as talk:
            ended = await talk.step(MOVES["consultation"][3])
            assert isinstance(ended, EndedEpisode)
            assert await talk.next() is ended
            with pytest.raises(Stale, match="has ended"):
                await talk.step("more")

    asyncio.run(go())


def test_one_that_was_left_says_so_and_leaves_no_task() -> None:
    async def go() -> None:
        talk = Conversation(World(PROTOCOLS["consultation"]), 0)
        await talk.next()
        await talk.leave()
        with pytest.raises(BadInput, match="begin another"):
            await talk.next()
        assert asyncio.all_tasks() == {asyncio.current_task()}

    asyncio.run(go())


def test_a_fault_of_another_seat_reaches_the_caller_and_is_no_end() -> None:
    class Dead:
        name = "dead"
        durable = False

        async def reply(self, request: Request[Any], /) -> Any:
            raise InfrastructureFault("the patient's endpoint is gone")

    async def go() -> None:
        config = PROTOCOLS["consultation"].seated({"patient": "dead"})
        async with Conversation(World(config, more={"dead": lambda asked: Dead()}), 0) as talk:
            await talk.next()
            with pytest.raises(InfrastructureFault, match="endpoint is gone"):
                await talk.step(MOVES["consultation"][0])

    asyncio.run(go())
