"""The events of a standardized-patient scenario."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Literal

from pydantic import Field

from osler.seats.events import Event, Seat
from osler.seats.wording import DONE, Wording, Words, noted, said


class Spoke(Event):
    """Somebody in a scenario says something aloud. `who` is the name they are known by, `by` who voices them.

    A seat is not told its own words, but for those that the script gives to one of its people.
    """

    kind: Literal["spoke"] = "spoke"
    by: Seat
    who: str
    text: str


class Acted(Event):
    """What the examinee does in a turn, in the examinee's own words; `eos`: all that is due here is done."""

    kind: Literal["acted"] = "acted"
    actions: tuple[str, ...] = ()
    eos: bool = False


class Assessed(Event):
    """What became of one act: the declared action it was understood as, empty where it is none."""

    kind: Literal["assessed"] = "assessed"
    raw: str
    action: str = ""
    status: Literal["executed", "pending", "unsupported"]
    rationale: str = ""


class Happened(Event):
    """Something the examinee can perceive: the script's on entering a state, or what the controller adds."""

    kind: Literal["happened"] = "happened"
    text: str
    source: Literal["state", "controller"]


class Observed(Event):
    """How the patient looks and, where somebody measures, the vital signs by name."""

    kind: Literal["observed"] = "observed"
    status: str
    vitals: dict[str, str] = Field(default_factory=dict)


class StateEntered(Event):
    """The scenario is in this state from now on; `progress` counts the states entered, from 0."""

    kind: Literal["state"] = "state"
    state: str
    progress: int
    why: Literal["opening", "end_of_state", "action", "time"]


class Present(Event):
    """Somebody comes or goes. `evidence` says what in the script or in the encounter brings them."""

    kind: Literal["present"] = "present"
    who: str
    role: str
    here: bool
    evidence: str = ""


class Cue(Event):
    """How the patient's people feel from now on, for whoever plays them. `holds` are the ids of the facts
    that are so at times, and now; `silent` those of the people who cannot speak."""

    kind: Literal["cue"] = "cue"
    text: str = ""
    holds: tuple[str, ...] = ()
    silent: tuple[str, ...] = ()


def _spoke(event: Spoke) -> Wording:
    return said(event.by, event.text, who="" if event.by == "examinee" else event.who)


def _acted(event: Acted) -> Iterator[Wording]:
    for act in event.actions:
        yield Wording("", DONE, act, "examinee")
    if event.eos:
        yield noted("done", "all that is due for now is done")


def _assessed(event: Assessed) -> Wording:
    meant = f" as {event.action}" if event.action else ""
    why = f" ({event.rationale})" if event.rationale else ""
    return noted("assessed", f"{event.raw}: {event.status}{meant}{why}")


def _observed(event: Observed) -> Wording:
    measured = (f"{name} {value}" for name, value in event.vitals.items())
    return Wording("", "seen", ", ".join((event.status, *measured)))


def _state(event: StateEntered) -> Wording:
    return noted("state", f"{event.progress}: {event.state or 'the opening'} ({event.why.replace('_', ' ')})")


def _present(event: Present) -> Wording:
    return Wording("", "people", f"{event.who} ({event.role}) {'is here' if event.here else 'has left'}")


SCENARIO_WORDS: Final[Words] = {
    Spoke: _spoke,
    Acted: _acted,
    Assessed: _assessed,
    Happened: lambda event: Wording("", "happens", event.text),
    Observed: _observed,
    StateEntered: _state,
    Present: _present,
    Cue: lambda event: noted("cue", event.text) if event.text else None,
}
"""How the events of a scenario read."""
