"""The staging of a standardized-patient scenario: people come and go around a bed, and a monitor shows what
is measured; whoever runs the scenario sits behind the one-way glass."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from osler.choreography.cues import (
    Bear,
    Come,
    Cue,
    Go,
    Participant,
    Place,
    Say,
    Staging,
    State,
    Tell,
    ViewedEvent,
    Vitals,
)
from osler.choreography.figure import traits_of
from osler.choreography.posture import strain_of
from osler.choreography.shared import resulted

_PATIENT: Final = "patient"
_HERE: Final = re.compile(r"(.+) \(([^()]+)\) (is here|has left)")


def _actor(name: str, role: str) -> str:
    return _PATIENT if role == _PATIENT else name


def _cast(view: Mapping[str, Any]) -> Iterator[Participant]:
    traits = traits_of(view)
    yield Participant(_PATIENT, traits=traits)
    for one in view.get("people", ()):
        name, role = str(one.get("name", "")), str(one.get("role", ""))
        if name:
            yield Participant(_actor(name, role), name, role)


def _comes_or_goes(name: str, role: str, is_here: bool, state: State) -> Iterator[Cue]:
    who = _actor(name, role)
    if is_here:
        yield Come(who, name, role)
        part = STAGING.parts.get(role)
        yield Go(who, "simulation", part.slot if part else "stand")
    elif state.room_of(who):
        yield Go(who, "corridor", "stand")


def _present(item: ViewedEvent, state: State) -> Iterator[Cue]:
    yield Say()
    is_here = bool((item.event or {}).get("here"))
    yield from _comes_or_goes(item.text("who"), item.text("role"), is_here, state)


def _people(item: ViewedEvent, state: State) -> Iterator[Cue]:
    yield Say()
    for line in item.lines:
        if match := _HERE.fullmatch(line.text):
            yield from _comes_or_goes(match[1], match[2], match[3] == "is here", state)


def _bed(item: ViewedEvent, _: State) -> Iterator[Cue]:
    yield Go(_PATIENT, "simulation", "bed")
    yield Bear(_PATIENT, strain_of(item.text("status") or "\n".join(line.text for line in item.lines)))
    yield Say()
    vitals = (item.event or {}).get("vitals")
    if isinstance(vitals, Mapping) and vitals:
        yield Vitals({str(name): str(value) for name, value in vitals.items()})


def _acts(item: ViewedEvent, _: State) -> Iterator[Cue]:
    yield Go("examinee", "simulation", "examinee")
    yield Say()


def _result(item: ViewedEvent, state: State) -> Iterator[Cue]:
    if item.text("finding_kind") == "examination":
        yield Go("examinee", "simulation", "examinee")
    yield from resulted(item, state)


def _controller(item: ViewedEvent, _: State) -> Iterator[Cue]:
    yield Go("controller", "control", "glass")
    yield Say()


def _line(item: ViewedEvent, _: State) -> Iterator[Cue]:
    yield Say()


def _moment(item: ViewedEvent, _: State) -> Iterator[Cue]:
    yield Tell(f"a moment of {item.text('when')}")


def _ended(item: ViewedEvent, state: State) -> Iterator[Cue]:
    yield Say()
    if state.room_of("examinee"):
        yield Go("examinee", "corridor", "stand")


STAGING: Final = Staging(
    room="simulation",
    cast=_cast,
    parts={
        "examinee": Place("simulation", "examinee", "corridor", "stand"),
        "patient": Place("simulation", "bed", "simulation", "bed", "lie"),
        "controller": Place("control", "glass", "control", "glass"),
        "team": Place("simulation", "team", "corridor", "stand"),
    },
    events={
        "spoke": _line,
        "acted": _acts,
        "assessed": _controller,
        "happened": _line,
        "observed": _bed,
        "state": _controller,
        "present": _present,
        "cue": _line,
        "moment": _moment,
        "result": _result,
        "ended": _ended,
    },
    lines={"people": _people, "seen": _bed},
    voices=frozenset({"patient", "controller"}),
    apart=frozenset({"controller"}),
)
