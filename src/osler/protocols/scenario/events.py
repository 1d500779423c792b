"""The events of a standardized-patient scenario."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Literal

from pydantic import Field

from osler.core.events import Event, Seat
from osler.core.wording import DONE, Wording, Words, noted, said


class Spoke(Event):
    """A person in a scenario says something aloud. `who` is their name, `by` the seat that voices them.

    A seat is not told its own words, except those that the script gives to one of its people. `orders` are
    the clauses of the examinee that only the team has to answer.
    """

    kind: Literal["spoke"] = "spoke"
    by: Seat
    who: str
    text: str
    orders: tuple[str, ...] = Field(default=(), exclude_if=lambda orders: not orders)


class Acted(Event):
    """The examinee's acts in a turn, in their own words; `eos`: everything due in this state is done.

    The first of them may be orders given aloud: `spoken` holds the ids of the actions that these are read as.
    """

    kind: Literal["acted"] = "acted"
    actions: tuple[str, ...] = ()
    spoken: tuple[str, ...] = Field(default=(), exclude_if=lambda spoken: not spoken)
    eos: bool = False


class Assessed(Event):
    """The ruling on one act: the declared action it was interpreted as, empty if none."""

    kind: Literal["assessed"] = "assessed"
    raw: str
    action: str = ""
    status: Literal["executed", "pending", "unsupported"]
    rationale: str = ""


class Happened(Event):
    """Something the examinee can perceive: from the script on entering a state, or added by the
    controller."""

    kind: Literal["happened"] = "happened"
    text: str
    source: Literal["state", "controller"]


class Observed(Event):
    """The patient's appearance and, while they are monitored, the vital signs by name."""

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
    """A person comes or goes. `evidence` gives the reason in the script or in the encounter."""

    kind: Literal["present"] = "present"
    who: str
    role: str
    here: bool
    evidence: str = ""


class Cue(Event):
    """A stage direction to the patient's seat: how its people feel from now on. `holds` are the ids of those
    temporary facts that hold now; `silent` the ids of people who cannot speak."""

    kind: Literal["cue"] = "cue"
    text: str = ""
    holds: tuple[str, ...] = ()
    silent: tuple[str, ...] = ()


class Moment(Event):
    """A seat is asked though the examinee has said nothing: before the examinee's first turn, where only
    prose tells the opening, or in a turn of silence, in which people may come or speak by themselves."""

    kind: Literal["moment"] = "moment"
    when: Literal["opening", "silence"]


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
    Moment: lambda event: None,
}
"""The wordings of a scenario's events."""
