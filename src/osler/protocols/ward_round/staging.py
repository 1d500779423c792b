"""The staging of a ward round: exams in the seminar room, and a group around a bed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from osler.choreography.cues import Cue, Go, Participant, Place, Say, Staging, State, Tell, ViewedEvent


def _seats(item: ViewedEvent) -> tuple[str, ...]:
    to = (item.event or {}).get("to") or ()
    return tuple(seat for seat in to if isinstance(seat, str))


def _cast(view: Mapping[str, Any]) -> Iterator[Participant]:
    return iter(())


def _exam(item: ViewedEvent, _: State) -> Iterator[Cue]:
    for seat in _seats(item):
        yield Go(seat, "seminar", "desk")
    yield Say()


def _round(item: ViewedEvent, _: State) -> Iterator[Cue]:
    for seat in _seats(item):
        yield Go(seat, "ward", STAGING.parts[_role(seat)].slot if _role(seat) in STAGING.parts else "stand")
    yield Say()


def _role(seat: str) -> str:
    return seat.partition("_")[0]


def _wanted(item: ViewedEvent, _: State) -> Iterator[Cue]:
    act = item.text("act")
    yield Tell(f"{', '.join(_seats(item))}: asked to {'sit the exam' if act == 'exam' else act}")


def _line(item: ViewedEvent, _: State) -> Iterator[Cue]:
    yield Say()


STAGING: Final = Staging(
    room="ward",
    cast=_cast,
    parts={
        "patient": Place("ward", "bed", "ward", "bed", "lie"),
        "tutor": Place("ward", "tutor", "staff", "sofa"),
        "student": Place("ward", "student", "seminar", "desk"),
        "specialist": Place("ward", "specialist", "staff", "sofa"),
        "supervisor": Place("ward", "supervisor", "staff", "sofa"),
        "expert": Place("ward", "expert", "staff", "sofa"),
    },
    events={
        "round": _round,
        "line": _line,
        "wanted": _wanted,
        "review": _line,
        "unguided": _line,
        "claim": _line,
        "covered": _line,
        "exam": _exam,
    },
)
