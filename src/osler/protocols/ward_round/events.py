"""The events of a teaching ward round."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, Literal

from osler.core.events import Event, Frozen, Seat
from osler.core.order_events import ORDER_WORDS
from osler.core.wording import Wording, Words, noted, said

Visibility = Literal["student&patient", "teacher&student", "teacher", "teacher_private", "student"]
"""The readers of a line of the ward round; `osler.protocols.ward_round.rules` maps each to seats."""


class ExamItem(Frozen):
    """An exam question. `options` maps a key such as "A" to its text; without options, it is free text."""

    id: str
    question: str
    options: dict[str, str] | None = None


class RoundBegan(Event):
    """A teaching round begins; the first is number 1."""

    kind: Literal["round"] = "round"
    round: int
    rounds_left: int


class RoundLine(Event):
    """One line of the ward round's conversation, and its visibility. `speaker` is the speaker's display name.

    A seat is not told its own line, since it has its own reply.
    """

    kind: Literal["line"] = "line"
    part: Literal["statement", "analysis", "draft", "guidance", "question", "query", "explanation"]
    by: Seat
    speaker: str
    visibility: Visibility
    text: str


class Wanted(Event):
    """The act a seat is asked for now."""

    kind: Literal["wanted"] = "wanted"
    act: Literal["analyse", "guide", "revise", "review", "act", "answer", "exam"]


class Reviewed(Event):
    """A reviewer's verdict on the tutor's draft. `issue` is the kind of fault, empty if it is approved."""

    kind: Literal["review"] = "review"
    by: Seat
    approved: bool
    issue: str = ""
    feedback: str = ""
    visibility: Visibility = "teacher"


class Unguided(Event):
    """No draft was approved, so the students get no guidance in this round; `reason` says why."""

    kind: Literal["unguided"] = "unguided"
    reason: str
    visibility: Visibility = "teacher"


class PointClaimed(Frozen):
    """A step that the tutor claims to be covered: its number, and the point that a student is to make."""

    number: int
    summary: str


class Claimed(Event):
    """Steps that the tutor claims to be covered, without a student's words that plainly make the point. The
    specialist confirms them, or does not, by what the students have `said` so far."""

    kind: Literal["claim"] = "claim"
    steps: tuple[PointClaimed, ...]
    said: tuple[str, ...]
    visibility: Visibility = "teacher_private"


class Covered(Event):
    """The steps that count as covered so far: claimed by the tutor, and made by a student or confirmed by the
    specialist."""

    kind: Literal["covered"] = "covered"
    steps: tuple[int, ...]
    visibility: Visibility = "teacher"


class ExamSet(Event):
    """A student sits an exam alone; no other seat is told."""

    kind: Literal["exam"] = "exam"
    when: Literal["before", "after"]
    items: tuple[ExamItem, ...]
    visibility: Visibility = "student"


def _line(event: RoundLine) -> Wording:
    """Word a line: students speak under their names, all others under their seats."""
    who = event.speaker if event.by.startswith("student_") else ""
    match event.part:
        case "draft":
            return Wording(who, "draft", event.text, event.by, public=False)
        case "analysis":
            return said(event.by, event.text, who=who, to="the tutor")
        case "query":
            return said(event.by, event.text, who=who, to="the expert", public=False)
    return said(event.by, event.text, who=who, public=event.part != "explanation")


def _reviewed(event: Reviewed) -> Wording:
    verdict = "approved" if event.approved else f"rejected ({event.issue}): {event.feedback}"
    return said(event.by, verdict, public=False)


def _numbers(steps: Iterable[int]) -> str:
    return ", ".join(map(str, steps))


def _exam(event: ExamSet) -> Wording:
    return noted("exam", f"{event.when} the rounds, for each student alone, {len(event.items)} items")


ROUND_WORDS: Final[Words] = {
    RoundBegan: lambda event: noted("round", f"number {event.round} begins"),
    RoundLine: _line,
    Wanted: lambda event: None,
    Reviewed: _reviewed,
    Unguided: lambda event: Wording("moderator", "no guidance", event.reason, public=False),
    Claimed: lambda event: noted(
        "claim", f"steps {_numbers(step.number for step in event.steps)} are covered"
    ),
    Covered: lambda event: noted("covered", f"steps {_numbers(event.steps)}"),
    ExamSet: _exam,
    **ORDER_WORDS,
}
"""The wordings of a ward round's events."""
