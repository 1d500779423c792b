"""An encounter while it is played, and the sittings of the people in it: each the encounter with one seat's
eyes."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import Final, Literal, NamedTuple

from osler.core.events import Seat, View
from osler.core.permitted import Permission
from osler.errors import OslerError
from osler.players.external import Pending
from osler.runs.played import EndedEpisode
from osler.runs.sitting import Sitting
from osler.store.practice import EARLIER as EARLIER
from osler.store.practice import PersonSitting
from osler.store.records import RunInfo

GROUP: Final = "group"
"""The key under which a sitting keeps the number of the group that shares its encounter."""
BLINDED: Final = "blinded"
"""The key under which a sitting keeps, by seat, what its person is told instead of who plays there."""
Doing = Literal["starting", "yours", "thinking", "paused", "ended"]


class Sitter(NamedTuple):
    """A person who is to sit down: the seat, the visitor, what is permitted, and what stands beside the
    record."""

    seat: Seat
    owner: str
    permits: Permission = Permission()
    more: Mapping[str, object] = {}


@dataclass
class Encounter:
    """One encounter while it is played. `people` are the sittings in it by seat, `seen` is when somebody last
    looked from a seat, `views` is what the seats knew before the first word; `fault` is why it paused.
    `stirred` is set once it is known where it stands."""

    run: RunInfo
    people: dict[Seat, PersonSitting]
    sitting: Sitting | None = None
    ended: EndedEpisode | None = None
    fault: OslerError | None = None
    views: dict[Seat, View | None] = field(default_factory=dict)
    seen: dict[Seat, float] = field(default_factory=dict)
    held: AsyncExitStack = field(default_factory=AsyncExitStack)
    watching: asyncio.Task[None] | None = None
    stirred: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def pending(self) -> Mapping[Seat, Pending]:
        """The questions that wait for people, by seat."""
        return self.sitting.pending if self.sitting else {}

    @property
    def is_at_rest(self) -> bool:
        """Whether nothing happens in it by itself: it waits for people, stands still, or is over."""
        return bool(self.pending) or self.ended is not None or self.fault is not None

    @property
    def taken(self) -> PersonSitting:
        """Any of its sittings: they share their run, their room and their title."""
        return next(iter(self.people.values()))


class Playing(NamedTuple):
    """The sitting of one person in an encounter that is being played."""

    encounter: Encounter
    taken: PersonSitting

    @property
    def run(self) -> RunInfo:
        """The run that holds the encounter."""
        return self.encounter.run

    @property
    def seat(self) -> Seat:
        """The person's seat."""
        return self.taken.seat

    @property
    def ended(self) -> EndedEpisode | None:
        """The encounter once it has ended."""
        return self.encounter.ended

    @property
    def fault(self) -> OslerError | None:
        """The fault that paused the encounter, if any."""
        return self.encounter.fault

    @property
    def view(self) -> View | None:
        """The knowledge of the seat before the first word, as far as that is known here."""
        pending = self.pending
        return pending.view if pending else self.encounter.views.get(self.seat)

    @property
    def pending(self) -> Pending | None:
        """The question that waits for this seat."""
        return self.encounter.pending.get(self.seat)

    @property
    def ticket(self) -> str | None:
        """The ticket of that question."""
        return self.pending.ticket if self.pending else None

    @property
    def doing(self) -> Doing:
        """The stage it is at, for this seat."""
        if self.encounter.ended is not None:
            return "ended"
        if self.encounter.fault is not None:
            return "paused"
        if self.encounter.sitting is None:
            return "starting"
        return "yours" if self.pending else "thinking"
