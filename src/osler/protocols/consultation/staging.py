"""The staging of a consultation: a waiting hall, a desk between two people, a couch, samples and scans.

The encounter's own moves between the consulting room and imaging are disregarded, since they go there and
back in the same minute: an order that is taken sends the patient, and the next words bring them back.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from osler.choreography.cues import (
    Bear,
    Cue,
    Go,
    Pass,
    Pin,
    Place,
    Rest,
    Say,
    Staging,
    State,
    Tell,
    ViewedEvent,
)
from osler.choreography.posture import strain_of
from osler.choreography.shared import resulted

_PLACES: Final = frozenset({"consulting room", "imaging"})
_CONSULTANT: Final = Go("consultant", "consulting", "consultant")
_AT_DESK: Final = (Go("doctor", "consulting", "doctor"), Go("patient", "consulting", "patient"))


def _visit(item: ViewedEvent, _: State) -> Iterator[Cue]:
    if (item.number("visit") or 1) > 1:
        yield Go("patient", "home", "home")
        yield Pass()
        yield Go("patient", "reception", "counter")
        yield Go("patient", "waiting", "seat")
    yield Go("doctor", "waiting", "call")
    yield Say()
    yield from _AT_DESK


def _move(item: ViewedEvent, _: State) -> Iterator[Cue]:
    who, place = item.text("who"), item.text("place")
    yield Tell(f"{who}: to {place}, as the log has it")
    if place not in _PLACES:
        yield Go(who, place)


def _said(item: ViewedEvent, _: State) -> Iterator[Cue]:
    yield from _AT_DESK
    yield Say()


def _spoken(item: ViewedEvent, _: State) -> Iterator[Cue]:
    """Words that are told by lines alone: in the room, or as the doctor's own reply."""
    if item.seat and item.seat not in ("doctor", "patient"):
        yield Say()
        return
    if item.lines[0].to == "the consultant" or item.lines[0].by == "consultant":
        yield _CONSULTANT
    else:
        yield from _AT_DESK
    yield Say()


def _taken(item: ViewedEvent, state: State) -> Iterator[Cue]:
    if item.number("order") is None:  # in the room, where one sees them go
        yield Tell(f"taken: {item.text('finding_kind')}")
    else:
        yield Say()
        yield Pin(item.number("order") or 0, item.text("name"), item.number("ready_minute"))
    match item.text("finding_kind"):
        case "image":
            yield Go("patient", "imaging", "table")
            yield Rest(400)
        case "test":
            yield Go("patient", "laboratory", "hatch")


def _result(item: ViewedEvent, state: State) -> Iterator[Cue]:
    if item.text("finding_kind") == "examination":
        yield Go("patient", "examination", "couch")
        yield Go("doctor", "examination", "beside")
        yield Rest(300)
        if strain := strain_of(item.text("text")):
            yield Bear("patient", strain)
    yield from resulted(item, state)


def _consult(item: ViewedEvent, _: State) -> Iterator[Cue]:
    yield _CONSULTANT
    yield Go("patient", "waiting", "seat")
    yield Say()


def _advice(item: ViewedEvent, _: State) -> Iterator[Cue]:
    yield _CONSULTANT
    yield Say()
    yield Go("consultant", "staff", "sofa")


def _ended(item: ViewedEvent, state: State) -> Iterator[Cue]:
    yield Say()
    yield Go("patient", "home", "home")
    if state.room_of("consultant") == "consulting":
        yield Go("consultant", "staff", "sofa")


def _concluded(item: ViewedEvent, state: State) -> Iterator[Cue]:
    """The conclusion as the doctor writes it at the desk; no event tells that seat of the end."""
    yield from _AT_DESK
    yield from _ended(item, state)


def _line(item: ViewedEvent, _: State) -> Iterator[Cue]:
    yield Say()


STAGING: Final = Staging(
    room="consulting",
    parts={
        "doctor": Place("consulting", "doctor", "consulting", "doctor", "sit"),
        "patient": Place("consulting", "patient", "home", "home", "sit"),
        "consultant": Place("consulting", "consultant", "staff", "sofa"),
        "examination": Place("laboratory", "bench", "laboratory", "bench"),
        "describer": Place("imaging", "describer", "imaging", "describer"),
        "summarizer": Place("staff", "sofa", "staff", "sofa"),
        "synthesizer": Place("laboratory", "bench", "laboratory", "bench"),
    },
    opening=(
        Tell("The patient arrives, registers at the desk and takes a seat"),
        Go("patient", "reception", "counter"),
        Go("patient", "waiting", "seat"),
    ),
    events={
        "visit": _visit,
        "move": _move,
        "said": _said,
        "taken": _taken,
        "result": _result,
        "consult": _consult,
        "advice": _advice,
        "registered": _line,
        "presented": _line,
        "unheld": _line,
        "ended": _ended,
    },
    lines={"said": _spoken, "concludes": _concluded},
    waits=(Go("patient", "waiting", "seat"), Go("doctor", "consulting", "doctor")),
)
