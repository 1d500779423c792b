"""A person as tutor or student: what is shown, what is read, and that nothing else can be seen."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

import pytest

from osler.cases.answers import answer_of
from osler.errors import Status
from osler.players.person import person_at
from osler.protocols.ward_round.events import RoundLine
from osler.protocols.ward_round.forms import FORMS
from tests.protocols.ward_round.conftest import PLAN, episode, plain_cast, taught_case
from tests.protocols.ward_round.players import Reviewer


@dataclass
class Typed:
    """A channel on which given lines are typed; then nothing more."""

    lines: list[str]
    shown: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)

    async def read(self, prompt: str) -> str:
        self.asked.append(prompt)
        if not self.lines:
            raise EOFError
        return self.lines.pop(0)

    def write(self, text: str) -> None:
        self.shown.append(text)

    def picture(self, name: str, png: bytes) -> None:
        self.shown.append(f"picture {name}")


def test_a_person_teaches_and_sees_analyses_reviews_and_steps() -> None:
    channel = Typed(["/nonsense", "/steps", "Ann, what worries you?", "9", "1 2", "Well done.", "1 2 3"])
    confirming = Reviewer("specialist", confirms=True)
    cast = {**plain_cast(2), "tutor": person_at(channel, FORMS), "specialist": confirming}
    trace = asyncio.run(episode(number=2, max_rounds=3).play(cast))
    assert trace.outcome.status is Status.COMPLETED
    assert trace.outcome.counts["turns"] == 2, "all steps were covered in the second round"
    guided = [line.text for line in trace.of(RoundLine) if line.part == "guidance"]
    assert guided == ["Ann, what worries you?", "Well done."]
    shown = "\n".join(channel.shown)
    assert "Ann thinks: I am thinking." in shown
    assert "/nonsense is not a command" in shown
    assert "Numbers from 1 to 3" in shown
    assert PLAN.steps[0].summary in shown


def test_a_person_studies_and_sees_neither_steps_nor_answer() -> None:
    exam = ["Pneumonia", "a cough", "percussion", "age", "x", "b", "C"]
    channel = Typed([*exam, "I think of the lungs.", "Any blood?", "", *exam])
    cast = {**plain_cast(2), "student_1": person_at(channel, FORMS)}
    trace = asyncio.run(episode(number=2, max_rounds=1).play(cast))
    assert trace.outcome.status is Status.COMPLETED, trace.outcome.reason
    assert [line.text for line in trace.of(RoundLine) if line.by == "student_1"] == [
        "I think of the lungs.",
        "Any blood?",
    ]
    shown = "\n".join(channel.shown)
    assert "One of: A, B, C." in shown
    assert not any(step.summary in shown for step in PLAN.steps)
    assert f"The answer: {answer_of(taught_case())}" not in shown


def test_whoever_leaves_can_come_back() -> None:
    channel = Typed(["Ann, what worries you?"])
    cast = {**plain_cast(2), "tutor": person_at(channel, FORMS)}
    with pytest.raises(asyncio.CancelledError):
        asyncio.run(episode(number=2).play(cast))
