"""The events of a teaching ward round."""

from __future__ import annotations

from typing import Literal

from osler.seats.events import Event, Frozen, Seat

Visibility = Literal["student&patient", "teacher&student", "teacher", "teacher_private", "student"]
"""Who may read a line of the ward round; `osler.encounter.visibility` says which seats these are."""


class ExamItem(Frozen):
    """A question of an exam. `options` maps a key such as "A" to its text; without any, words are wanted."""

    id: str
    question: str
    options: dict[str, str] | None = None


class RoundBegan(Event):
    """A teaching round begins; the first is number 1."""

    kind: Literal["round"] = "round"
    round: int
    rounds_left: int


class Line(Event):
    """One line of the ward round's talk, and who may read it. `speaker` is the name it is spoken under.

    A seat is not told its own line: it has its own reply.
    """

    kind: Literal["line"] = "line"
    part: Literal["statement", "analysis", "draft", "guidance", "question", "query", "explanation"]
    by: Seat
    speaker: str
    visibility: Visibility
    text: str


class Wanted(Event):
    """What a seat is asked to do now."""

    kind: Literal["wanted"] = "wanted"
    act: Literal["analyse", "guide", "revise", "review", "act", "answer", "exam"]


class Reviewed(Event):
    """A reviewer's verdict on the tutor's draft. `issue` is the kind of fault, empty where it is approved."""

    kind: Literal["review"] = "review"
    by: Seat
    approved: bool
    issue: str = ""
    feedback: str = ""
    visibility: Visibility = "teacher"


class Unguided(Event):
    """No draft was approved: the students get no guidance in this round, and this is why."""

    kind: Literal["unguided"] = "unguided"
    reason: str
    visibility: Visibility = "teacher"


class ExamSet(Event):
    """A student sits an exam alone; nobody else is told of it."""

    kind: Literal["exam"] = "exam"
    when: Literal["before", "after"]
    items: tuple[ExamItem, ...]
    visibility: Visibility = "student"
