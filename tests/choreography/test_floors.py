"""Several episodes on one floor: each has its rooms, and nobody takes another's place."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from osler.choreography.floors import Lane, floors, lane_of, rooms_of
from osler.choreography.plan import Tile, our_plan
from osler.choreography.scene import Choreography
from osler.core.registry import protocol_named
from osler.store.store import Store
from osler.web.watch.scenes import choreography, staging_of
from tests.choreography.instant import Timeline
from tests.choreography.test_episodes import PROTOCOLS, played


@given(st.integers(0, 300), st.integers(1, 17))
def test_every_episode_has_one_place_and_keeps_it_while_others_come(planned: int, rooms: int) -> None:
    found = floors(planned, rooms)
    assert [one for floor in found for one in floor] == list(range(planned))
    assert all(1 <= len(floor) <= rooms for floor in found)
    assert floors(planned + 1, rooms)[: planned // rooms] == found[: planned // rooms]


@given(st.integers(1, 6))
def test_slots_and_tiles_are_shared_out_without_remainder(many: int) -> None:
    plan = our_plan()
    for room in plan.rooms.values():
        lanes = [Lane(place, many) for place in range(many)]
        shared = len(plan.of_kind(room.kind)) < many
        held = [{*one.slots(room, plan).values(), *one.floor(room, plan)} for one in lanes]
        if shared:
            assert not any(one & other for one, other in combinations(held, 2))
            assert set().union(*held) == set(room.tiles())
        else:
            assert all(one == set(room.tiles()) for one in held)


def stays(made: Choreography) -> Iterator[tuple[int, int, Tile]]:
    """From when to when somebody stays on a tile."""
    for actor in made.actors.values():
        at, since = actor.start, actor.t0
        for walk in actor.walks:
            yield since, walk.t0, at
            at, since = walk.points[-1], walk.t1
        yield since, 10**9, at


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_nobody_of_two_episodes_of_a_floor_is_on_one_place_at_one_time(store: Store, protocol: str) -> None:
    run, staging = played(store, protocol, limit=8), staging_of(protocol_named(protocol))
    rooms = rooms_of(staging, our_plan())
    titles = [room.title for room in rooms]
    for floor in floors(run.planned, len(rooms)):
        lanes = [lane_of(n, staging, our_plan()) for n in floor]
        made = [choreography(store, run, n, "all", lane=lane) for n, lane in zip(floor, lanes, strict=True)]
        for one, other in combinations(made, 2):
            for since, until, tile in stays(one):
                for since_too, until_too, tile_too in stays(other):
                    assert tile != tile_too or until <= since_too or until_too <= since, tile
        for n, one in zip(floor, made, strict=True):
            mine = titles[lane_of(n, staging, our_plan()).place]
            assert mine in {scene.where for scene in one.scenes}
            assert not {scene.where for scene in one.scenes} & (set(titles) - {mine})
            assert Timeline(one).at(one.end).people
