"""The shortest ways through a plan, by breadth-first distance fields, one for each goal, kept."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from functools import cached_property, lru_cache

from osler.choreography.plan import Plan, Tile


class Paths:
    """The shortest ways through one plan."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._fields: dict[Tile, Mapping[Tile, int]] = {}

    @cached_property
    def _steps(self) -> Mapping[Tile, tuple[Tile, ...]]:
        return {tile: tuple(self._plan.steps(tile)) for tile in self._plan.room_at}

    def field(self, goal: Tile) -> Mapping[Tile, int]:
        """The number of steps to the goal from every tile that leads there."""
        if goal not in self._fields:
            result, ahead = {goal: 0}, deque([goal])
            while ahead:
                here = ahead.popleft()
                for there in self._steps[here]:
                    if there not in result:
                        result[there] = result[here] + 1
                        ahead.append(there)
            self._fields[goal] = result
        return self._fields[goal]

    def path(self, start: Tile, goal: Tile) -> tuple[Tile, ...]:
        """The tiles of a shortest way, both ends included; of several always the same one. Raises KeyError
        where there is none."""
        field = self.field(goal)
        way = [start]
        while way[-1] != goal:
            way.append(min(self._steps[way[-1]], key=field.__getitem__))
        assert len(way) == field[start] + 1
        return tuple(way)


@lru_cache(maxsize=8)
def paths_of(plan: Plan) -> Paths:
    """The ways through a plan, with the fields that were reckoned before."""
    return Paths(plan)
