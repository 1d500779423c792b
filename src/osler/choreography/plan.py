"""The plan of a hospital: rooms with their tiles, slots and furniture, and doors as the only ways between.

A tile is (x, y), counted from the upper left corner; x grows to the east, y to the south. A room is a
rectangle of tiles. A slot is a tile that has a use: a chair, a bed, a place to stand. Between tiles of two
rooms there is a wall unless a door joins them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import resources
from typing import Any, Final, TypeAlias

from osler.errors import BadInput

Tile: TypeAlias = tuple[int, int]
_SIDES: Final[tuple[Tile, ...]] = ((1, 0), (0, 1), (-1, 0), (0, -1))
CORRIDOR: Final = "corridor"
HOME: Final = "home"
_MOST_TILES: Final = 250_000


@dataclass(frozen=True, eq=False)
class Room:
    """A room: the corners of its rectangle (x0, y0, x1, y1, both inside), its slots, its furniture."""

    name: str
    kind: str
    title: str
    area: tuple[int, int, int, int]
    slots: Mapping[str, Tile]
    blocked: frozenset[Tile]

    def tiles(self) -> Iterator[Tile]:
        """Yield the tiles on which one can stand, row by row."""
        x0, y0, x1, y1 = self.area
        for y in range(y0, y1 + 1):
            for x in range(x0, x1 + 1):
                if (x, y) not in self.blocked:
                    yield x, y


@dataclass(frozen=True, eq=False)
class Plan:
    """A hospital from above, `size` tiles wide and high."""

    name: str
    size: Tile
    rooms: Mapping[str, Room]
    doors: frozenset[tuple[Tile, Tile]]
    glass: frozenset[tuple[Tile, Tile]] = frozenset()
    """Pairs of tiles between which one sees through the wall, and cannot pass."""

    @cached_property
    def room_at(self) -> Mapping[Tile, str]:
        """The name of the room of every tile on which one can stand."""
        return {tile: room.name for room in self.rooms.values() for tile in room.tiles()}

    def of_kind(self, kind: str) -> tuple[Room, ...]:
        """The rooms of a kind, in the plan's order."""
        return tuple(room for room in self.rooms.values() if room.kind == kind)

    def as_json(self) -> dict[str, Any]:
        """The plan as in `plan.json`, its sets sorted."""
        rooms = [
            {
                "name": room.name,
                "kind": room.kind,
                "title": room.title,
                "area": list(room.area),
                "slots": {name: list(tile) for name, tile in room.slots.items()},
                "blocked": [list(tile) for tile in sorted(room.blocked)],
            }
            for room in self.rooms.values()
        ]
        doors, glass = ([[list(a), list(b)] for a, b in sorted(pairs)] for pairs in (self.doors, self.glass))
        return {"name": self.name, "size": list(self.size), "rooms": rooms, "doors": doors, "glass": glass}

    def joined(self, a: Tile, b: Tile) -> bool:
        """Whether one step leads from a tile to the other: they touch, and no wall is between them."""
        if abs(a[0] - b[0]) + abs(a[1] - b[1]) != 1:
            return False
        here, there = self.room_at.get(a), self.room_at.get(b)
        if here is None or there is None:
            return False
        return here == there or (a, b) in self.doors or (b, a) in self.doors

    def steps(self, tile: Tile) -> Iterator[Tile]:
        """Yield the tiles that are one step away, always in the same order."""
        for dx, dy in _SIDES:
            there = (tile[0] + dx, tile[1] + dy)
            if self.joined(tile, there):
                yield there


def plan_of(value: Mapping[str, Any], where: str = "plan") -> Plan:
    """Build a plan from JSON as in `plan.json`. Raises BadInput if it is no plan, or a room cannot be
    reached."""
    try:
        rooms = [_room(one) for one in value["rooms"]]
        doors = frozenset((_tile(a), _tile(b)) for a, b in value["doors"])
        glass = frozenset((_tile(a), _tile(b)) for a, b in value.get("glass", ()))
        by_name = {room.name: room for room in rooms}
        plan = Plan(str(value["name"]), _tile(value["size"]), by_name, doors, glass)
    except (KeyError, TypeError, ValueError) as error:
        raise BadInput(f"is no plan of a hospital: {error}", where=where, hint="see plan.json") from None
    if fault := _fault(plan, rooms):
        raise BadInput(fault, where=where, hint="see plan.json")
    return plan


def _room(one: Mapping[str, Any]) -> Room:
    x0, y0, x1, y1 = (int(number) for number in one["area"])
    slots = {str(name): _tile(tile) for name, tile in one.get("slots", {}).items()}
    blocked = frozenset(_tile(tile) for tile in one.get("blocked", ()))
    return Room(str(one["name"]), str(one["kind"]), str(one["title"]), (x0, y0, x1, y1), slots, blocked)


def _tile(pair: Any) -> Tile:
    x, y = pair
    return int(x), int(y)


def _fault(plan: Plan, rooms: list[Room]) -> str:
    width, height = plan.size
    if width * height > _MOST_TILES:
        return "is too large"
    if not {CORRIDOR, HOME} <= {room.kind for room in rooms}:
        return f"has no {CORRIDOR} or no {HOME}"
    taken: set[Tile] = set()
    for room in rooms:
        x0, y0, x1, y1 = room.area
        if not (0 <= x0 <= x1 < width and 0 <= y0 <= y1 < height):
            return f"{room.name} is not inside the plan"
        tiles = set(room.tiles()) | room.blocked
        if taken & tiles:
            return f"{room.name} lies over another room"
        taken |= tiles
        if strange := [name for name, tile in room.slots.items() if tile not in set(room.tiles())]:
            return f"the slot {strange[0]} of {room.name} is not free floor of it"
    if any(not plan.joined(a, b) for a, b in plan.doors):
        return "a door joins no two tiles that touch"
    return _unreachable(plan)


def _unreachable(plan: Plan) -> str:
    first = next(iter(plan.room_at))
    seen, ahead = {first}, [first]
    while ahead:
        for there in plan.steps(ahead.pop()):
            if there not in seen:
                seen.add(there)
                ahead.append(there)
    lost = next((tile for tile in plan.room_at if tile not in seen), None)
    return f"nobody can reach {lost} in {plan.room_at[lost]}" if lost else ""


@cache
def our_plan() -> Plan:
    """The hospital that Osler ships."""
    text = resources.files(__package__).joinpath("plan.json").read_text(encoding="utf-8")
    return plan_of(json.loads(text), "plan.json")
