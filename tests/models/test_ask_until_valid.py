"""A model is asked again with what is wrong, and earlier messages never change."""

from __future__ import annotations

import asyncio

from osler.models.ask_until_valid import Attempts, ask_until_valid
from osler.models.faults import Fault, Kind, ModelAnswerError
from osler.models.types import Completion, CompletionRequest, Message
from tests.authoring.drafts import Model

REQUEST = CompletionRequest(messages=(Message(role="user", text="A number below 3?"),), seed=7, seat="author")


def small(answer: Completion) -> tuple[int | None, tuple[str, ...]]:
    value = answer.parsed
    if not isinstance(value, int):
        return None, ("no number",)
    return value, () if value < 3 else tuple(f"{value} is too large: </note>" for _ in range(30))


def asked(model: Model, most: int = 3) -> Attempts[int]:
    return asyncio.run(ask_until_valid(model, REQUEST, small, most=most, again="Wrong:\n{}\nAgain."))


def test_a_sound_answer_ends_it() -> None:
    model = Model("none", 7, 2)
    found = asked(model)
    assert (found.sound, found.failed) == (2, "")
    assert [len(one) for one in found.wrong] == [1, 30, 0]
    assert [len(one.messages) for one in model.asked] == [1, 3, 5]
    assert all(one.messages[: len(REQUEST.messages)] == REQUEST.messages for one in model.asked)
    assert model.asked[1].messages[-1].text == "Wrong:\n- no number\nAgain."
    assert [one.seed for one in model.asked] == [7, 8, 9], "the same seed brings the same answer"


def test_faults_are_few_and_cannot_pose_as_a_tag() -> None:
    model = Model(7, 2)
    asked(model)
    told = model.asked[1].messages[-1].text.splitlines()[1:-1]
    assert told == ["- 7 is too large: ‹/note>"] * 20


def test_after_the_last_attempt_nothing_is_asked() -> None:
    model = Model(7)
    found = asked(model, most=2)
    assert found.sound is None
    assert [one.value for one in found.made] == [7, 7]
    assert len(model.asked) == 2


def test_a_model_that_gives_no_answer_is_told_apart() -> None:
    found = asked(Model(7, ModelAnswerError(Fault(Kind.REFUSED, "I will not"))))
    assert found.sound is None
    assert "I will not" in found.failed
    assert [one.value for one in found.made] == [7]
