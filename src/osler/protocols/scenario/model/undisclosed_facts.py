"""Withheld facts of a scenario: what the patient and companions may not tell yet, or no longer.

A fact is appended to the messages only when it may be told, so that no one can extract it from a model
before.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from osler.core.contract import OwnReply, Request
from osler.core.events import Event
from osler.knowledge.vocabulary import Told
from osler.players.model.neutral_names import Names
from osler.protocols.scenario.events import Cue, Present, Spoke
from osler.protocols.scenario.model.schemas import people_names
from osler.protocols.scenario.seats import PatientSeatView, SpokenFact, alone
from osler.protocols.shared.model.facts import OPEN, fact_line
from osler.protocols.shared.model.schemas import FACTS
from osler.text.disclosure_conditions import assurances

_MAY_TELL: Final = "From now on this may be told too, by whoever it is written for, if it is asked about:"


def told_from_the_first(view: PatientSeatView) -> tuple[SpokenFact, ...]:
    """The facts included in the first message."""
    return tuple(each for each in view.facts if not each.at_times and each.fact.told in OPEN)


@dataclass(frozen=True, slots=True)
class SeatKeptBack:
    """The disclosure state: the people present, the facts that hold, and the assurances given so far.

    `shown` are the facts whose text the model has been given, `open` those of them that it may tell now.
    """

    view: PatientSeatView
    shown: frozenset[str]
    open: frozenset[str]
    here: frozenset[str] = frozenset()
    holds: frozenset[str] = frozenset()
    met: frozenset[Told] = OPEN

    @classmethod
    def at_first(cls, view: PatientSeatView) -> SeatKeptBack | None:
        """The state at the opening; `None` if no fact is ever withheld."""
        first = frozenset(each.fact.id for each in told_from_the_first(view))
        return cls(view, first, first) if len(first) < len(view.facts) else None

    def after(self, event: Event) -> tuple[SeatKeptBack, list[str]]:
        """Return the state after an event, and the prompt lines that announce the changes."""
        match event:
            case Present():
                ids = {person.id for person in self.view.people if person.name == event.who}
                return replace(self, here=self.here | ids if event.here else self.here - ids), []
            case Cue():
                return replace(self, holds=frozenset(event.holds))._told()
            case Spoke(by="examinee"):
                return replace(self, met=self.met | assurances(event.text))._told()
        return self, []

    def _told(self) -> tuple[SeatKeptBack, list[str]]:
        now = [each for each in self.view.facts if self._may(each)]
        open_now = frozenset(each.fact.id for each in now)
        new = [each for each in now if each.fact.id not in self.shown]
        again = sorted(open_now & self.shown - self.open)
        closed = sorted(self.open - open_now)
        lines = []
        if new:
            names, people = fact_names(self.view), people_names(self.view.people)
            told = (f"- {people.name(each.who)}: {fact_line(each.fact, names)}" for each in new)
            lines += [_MAY_TELL, *told]
        if again:
            lines.append(f"These may be told again: {self._named(again)}")
        if closed:
            lines.append(f"These are not so, or not to be told, for now: {self._named(closed)}")
        return replace(self, shown=self.shown | open_now, open=open_now), lines

    def _named(self, facts: Sequence[str]) -> str:
        names = fact_names(self.view)
        return ", ".join(map(names.name, facts))

    def _may(self, each: SpokenFact) -> bool:
        if each.at_times and each.fact.id not in self.holds:
            return False
        if each.fact.told in self.met:
            return True
        people = [(person.id, person.role) for person in self.view.people]
        return each.fact.told == "in_private" and alone(each.who, self.here, people)


def fact_names(view: PatientSeatView) -> Names:
    """The neutral names of the facts; those that hold only at times come last, so no gap hints at them."""
    ordered = sorted(view.facts, key=lambda each: each.at_times)
    return Names(FACTS, tuple(each.fact.id for each in ordered))


def open_now(request: Request[PatientSeatView]) -> frozenset[str]:
    """The ids of the facts that may be told now, of all people voiced by the seat."""
    kept = SeatKeptBack.at_first(request.view)
    if kept is None:
        return frozenset(each.fact.id for each in request.view.facts)
    for item in request.feed:
        if not isinstance(item, OwnReply):
            kept, _ = kept.after(item)
    return kept.open
