"""Floors: several episodes of a run on one plan, each in rooms and on slots of its own.

An episode's place follows from its number alone, so it stays while others begin and end. What a plan has for
each of a floor's episodes (consulting rooms) is shared out by room; of the rest (the waiting hall, imaging)
each has its own slots and its own tiles to stand on. Only on the way do people of two episodes meet.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from osler.choreography.cues import Staging
from osler.choreography.plan import Plan, Room, Tile


class Lane(NamedTuple):
    """The position of an episode among those on its floor, from 0, and the number of these."""

    place: int
    of: int

    def room(self, found: tuple[Room, ...]) -> Room:
        """This lane's room of several of a kind; where there are too few, it is shared."""
        return found[self.place % len(found)]

    def slots(self, room: Room, plan: Plan) -> dict[str, Tile]:
        """The slots of a room that this lane may use."""
        mine = enumerate(room.slots.items())
        shared = self._is_shared(room, plan)
        return dict(one for at, one in mine if not shared or at % self.of == self.place)

    def floor(self, room: Room, plan: Plan) -> list[Tile]:
        """The tiles of a room, no slots, on which this lane may stand."""
        used = set(room.slots.values())
        tiles = [tile for tile in room.tiles() if tile not in used]
        return tiles[self.place :: self.of] if self._is_shared(room, plan) else tiles

    def _is_shared(self, room: Room, plan: Plan) -> bool:
        return len(plan.of_kind(room.kind)) < self.of


ALONE: Final = Lane(0, 1)
"""The slots of an episode that has the floor for itself: all."""


def rooms_of(staging: Staging, plan: Plan) -> tuple[Room, ...]:
    """The rooms in which a floor's episodes are played, one each."""
    return plan.of_kind(staging.room)


def lane_of(ordinal: int, staging: Staging, plan: Plan) -> Lane:
    """The lane of an episode of a run."""
    many = max(1, len(rooms_of(staging, plan)))
    return Lane(ordinal % many, many)


def floors(planned: int, rooms: int) -> list[range]:
    """The episodes of a run on each floor, those of one floor in the order of their rooms."""
    return [range(first, min(first + rooms, planned)) for first in range(0, planned, rooms)]
