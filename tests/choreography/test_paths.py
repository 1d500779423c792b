"""Ways through a plan: never through a wall, and the shortest there are."""

from __future__ import annotations

from collections import deque
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from osler.choreography.paths import Paths, paths_of
from osler.choreography.plan import Plan, Tile, our_plan, plan_of
from osler.errors import BadInput

TILES = sorted(our_plan().room_at)


def steps_between(plan: Plan, start: Tile, goal: Tile) -> int:
    """The length of a shortest way, found the plain way from the other end."""
    seen, ahead = {start}, deque([(start, 0)])
    while ahead:
        (x, y), n = ahead.popleft()
        if (x, y) == goal:
            return n
        for there in ((x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)):
            if there not in seen and plan.joined((x, y), there):
                seen.add(there)
                ahead.append((there, n + 1))
    raise AssertionError("no way")


@given(st.sampled_from(TILES), st.sampled_from(TILES))
def test_a_way_is_a_shortest_one_and_goes_through_no_wall(start: Tile, goal: Tile) -> None:
    plan = our_plan()
    way = paths_of(plan).path(start, goal)
    assert (way[0], way[-1]) == (start, goal)
    assert all(plan.joined(a, b) for a, b in pairwise(way))
    assert len(way) - 1 == steps_between(plan, start, goal)
    assert way == Paths(plan).path(start, goal)


def test_rooms_are_left_by_doors_alone() -> None:
    plan = our_plan()
    doors = plan.doors | {(b, a) for a, b in plan.doors}
    crossed = [
        (a, b)
        for a in plan.room_at
        for b in plan.steps(a)
        if plan.room_at[a] != plan.room_at[b] and (a, b) not in doors
    ]
    assert not crossed
    assert not plan.joined((15, 5), (16, 5)), "between the consulting rooms there is a wall"


def small(**changes: object) -> dict[str, object]:
    rooms = [
        {"name": "corridor", "kind": "corridor", "title": "Corridor", "area": [0, 0, 3, 0]},
        {"name": "home", "kind": "home", "title": "Home", "area": [0, 1, 3, 1]},
    ]
    return {"name": "small", "size": [4, 2], "rooms": rooms, "doors": [[[0, 0], [0, 1]]], **changes}


def test_a_plan_of_ones_own_is_read() -> None:
    assert paths_of(plan_of(small())).path((3, 0), (3, 1))[3:5] == ((0, 0), (0, 1))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"doors": []}, "nobody can reach"),
        ({"doors": [[[0, 0], [3, 1]]]}, "joins no two tiles"),
        ({"size": [3, 2]}, "not inside"),
        ({"size": [100_000, 100_000]}, "too large"),
        ({"rooms": []}, "corridor"),
        ({"rooms": 7}, "no plan"),
        ({"size": None}, "no plan"),
    ],
)
def test_what_is_no_plan_is_refused_in_words(changes: dict[str, object], words: str) -> None:
    with pytest.raises(BadInput, match=words):
        plan_of(small(**changes))
