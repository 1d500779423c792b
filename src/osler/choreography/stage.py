"""The stage while a choreography is made: who is where, which slots are free, how late it is."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from osler.choreography.cues import Participant, Pin, Place, Staging, Unpin
from osler.choreography.figure import NOTHING_TOLD, figure_of
from osler.choreography.floors import ALONE, Lane
from osler.choreography.paths import paths_of
from osler.choreography.plan import CORRIDOR, HOME, Plan, Room, Tile
from osler.choreography.reading import walking
from osler.choreography.scene import Actor, Pose, PoseName, Slip, Strain, Walk
from osler.text.hostile import safe

STANDING: Final = "stand"
_LYING: Final = ("bed", "couch", "table")
_SITTING: Final = ("seat", "desk", "sofa")


@dataclass(slots=True)
class _Person:
    """An actor in the making; `at` is the tile where their walks end, `since` the time of it."""

    t0: int
    start: Tile
    at: Tile
    slot: str
    since: int
    strain: Strain = 0
    walks: list[Walk] = field(default_factory=list)
    poses: list[Pose] = field(default_factory=list)


def drawn(key: str, what: str, n: int) -> int:
    """A number below `n`, by lot from an episode's key."""
    return int.from_bytes(hashlib.sha256(f"{key}\0{what}".encode()).digest()[:8], "big") % n


class Stage:
    """The people on a plan at the time `now`, in milliseconds; see `osler.choreography.cues.State`."""

    def __init__(
        self,
        plan: Plan,
        key: str,
        staging: Staging,
        known: Iterable[Participant] = (),
        lane: Lane | None = None,
    ) -> None:
        self.plan, self.staging, self._lane = plan, staging, lane
        self.now = 0
        self.slips: list[Slip] = []
        self.moves: list[tuple[str, str]] = []
        """Who came to which room (its title) since this was last emptied."""
        self._until = 0
        self._key = key
        self._paths = paths_of(plan)
        self._people: dict[str, _Person] = {}
        self._names: dict[str, str] = {}
        self._known: dict[str, Participant] = {}
        for one in known:
            self.know(one)

    # What handlers may ask

    def room_of(self, who: str) -> str:
        """See `State`."""
        person = self._people.get(who)
        return self.plan.rooms[self.plan.room_at[person.at]].kind if person else ""

    def named(self, name: str) -> str:
        """See `State`."""
        return self._names.get(name, name)

    def role_of(self, who: str) -> str:
        """See `State`."""
        known = self._known.get(who)
        return known.role if known and known.role else _role(who)

    def people(self) -> tuple[str, ...]:
        """See `State`."""
        return tuple(self._people)

    def pinned(self) -> Mapping[int, str]:
        """See `State`."""
        return {slip.order: slip.name for slip in self.slips if slip.t1 is None}

    # People

    def know(self, one: Participant) -> None:
        """Learn of somebody; what was known of them before stays."""
        before = self._known.get(one.who, Participant(one.who))
        name, role = before.name or one.name, before.role or one.role
        traits = one.traits if before.traits == NOTHING_TOLD else before.traits
        self._known[one.who] = Participant(one.who, name, role, traits)
        if one.name:
            self._names.setdefault(one.name, one.who)

    def settle(self) -> None:
        """Wait for those who walk."""
        self.now = max(self.now, self._until)

    def title_of(self, who: str) -> str:
        """The title of the room somebody is in."""
        return self.plan.rooms[self.plan.room_at[self._people[who].at]].title

    def part(self, who: str) -> Place:
        """The part of an actor; of somebody who has none, one that stands in the room."""
        role = self.role_of(who)
        return self.staging.parts.get(role) or Place(self.staging.room, STANDING)

    def enter(self, who: str) -> None:
        """Somebody appears where their part comes from, unless they are there already."""
        if who in self._people:
            return
        part = self.part(who)
        tile, slot = self._free(self.room(part.base), part.base_slot)
        person = _Person(self.now, tile, tile, slot, self.now)
        person.poses.append(Pose(self.now, self._pose(person, part), slot))
        self._people[who] = person

    def take_place(self, who: str) -> None:
        """Somebody goes where their part is played."""
        part = self.part(who)
        self.go(who, part.room, part.slot)

    def go(self, who: str, room: str, slot: str = "") -> None:
        """Somebody walks to a slot, unless they have it, or to any free tile of the room."""
        self.enter(who)
        person, there = self._people[who], self.room(room)
        is_there = self.plan.room_at[person.at] == there.name
        if is_there and (not slot or _matches(person.slot, slot) or self._none_free(there, slot)):
            return
        tile, taken = self._free(there, slot)
        t0 = max(self.now, person.since)
        points = self._paths.path(person.at, tile)
        t1 = t0 + walking(len(points) - 1)
        if t1 > t0:
            person.walks.append(Walk(t0, t1, points))
            person.poses.append(Pose(t0, STANDING, "", person.strain))
        person.at, person.slot, person.since = tile, taken, t1
        person.poses.append(Pose(t1, self._pose(person, self.part(who)), taken, person.strain))
        self._until = max(self._until, t1)
        self.moves.append((who, there.title))

    def bear(self, who: str, strain: Strain) -> None:
        """Somebody who is here bends, or holds themselves upright again."""
        person = self._people.get(who)
        if person and person.strain != strain:
            person.strain = strain
            last = person.poses[-1]
            person.poses.append(replace(last, t=max(self.now, last.t), strain=strain))

    def room(self, kind: str) -> Room:
        """The room of a kind that this episode has: its lane's, else by lot where there are several. By name
        otherwise, and the corridor for a place that the plan does not know."""
        if result := self.plan.of_kind(kind):
            # One lot for all kinds, so that the examination corner is that of the consulting room.
            return self._lane.room(result) if self._lane else result[drawn(self._key, "rooms", len(result))]
        return self.plan.rooms.get(kind) or self.plan.of_kind(CORRIDOR)[0]

    def knows(self, place: str) -> bool:
        """Whether the plan has a room of this kind or name."""
        return place in self.plan.rooms or bool(self.plan.of_kind(place))

    def _free(self, room: Room, slot: str) -> tuple[Tile, str]:
        taken = {person.at for person in self._people.values()}
        slots = self._slots(room)
        for wanted in (slot, STANDING):
            for name, tile in slots.items():
                if wanted and _matches(name, wanted) and tile not in taken:
                    return tile, name
        # In a room that is full, people stand close.
        floor = (self._lane or ALONE).floor(room, self.plan)
        tiles = [*floor, *slots.values()] or list(room.tiles())
        return next((tile for tile in tiles if tile not in taken), tiles[0]), ""

    def _none_free(self, room: Room, slot: str) -> bool:
        taken = {person.at for person in self._people.values()}
        return all(tile in taken for name, tile in self._slots(room).items() if _matches(name, slot))

    def _slots(self, room: Room) -> Mapping[str, Tile]:
        return (self._lane or ALONE).slots(room, self.plan)

    def _pose(self, person: _Person, part: Place) -> PoseName:
        room = self.plan.rooms[self.plan.room_at[person.at]]
        if room.kind == HOME:
            return "away"
        if person.slot.startswith(_LYING):
            return "lie"
        if person.slot.startswith(_SITTING):
            return "sit"
        return part.pose if person.slot and _matches(person.slot, part.slot) else "stand"

    # The board

    def pin(self, cue: Pin, id_: str, minute: int) -> None:
        """Pin a slip; one that is due takes the place of the one that only told of the order."""
        if cue.due is not None:
            self._drop(cue.order, "")
        self.slips.append(Slip(self.now, None, id_, cue.order, cue.name, minute, cue.due, ""))

    def unpin(self, cue: Unpin) -> None:
        """Take an order's slip off the board, if it is there."""
        for at, slip in enumerate(self.slips):
            if slip.t1 is None and (slip.order, slip.name) == (cue.order, cue.name):
                self.slips[at] = replace(slip, t1=self.now, stamped=cue.stamped)
                return
        if cue.order:  # where no number is told, another order's slip might be taken for it
            self._drop(cue.order, cue.stamped)

    def _drop(self, order: int, stamped: str) -> None:
        for at, slip in enumerate(self.slips):
            if slip.t1 is None and slip.due is None and slip.order in (order, 0):
                self.slips[at] = replace(slip, t1=self.now, stamped=stamped)
                return

    def actors(self) -> Iterator[tuple[str, Actor]]:
        """Yield everybody who came, in the order of their coming."""
        for who, person in self._people.items():
            known = self._known.get(who, Participant(who))
            role = self.role_of(who)
            walks, poses = tuple(person.walks), tuple(person.poses)
            figure = figure_of(self._key, who, role, known.traits)
            yield who, Actor(safe(known.name or who), role, figure, person.t0, person.start, walks, poses)


def _role(who: str) -> str:
    head, _, number = who.rpartition("_")
    return head if head and number.isdecimal() else who


def _matches(name: str, wanted: str) -> bool:
    return name == wanted or name.startswith(f"{wanted}-")
