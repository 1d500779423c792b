"""The floors of a run: where each of its episodes is played, and those of one floor played side by side."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query

from osler.choreography.floors import floors, lane_of, rooms_of
from osler.choreography.plan import our_plan
from osler.core.protocol import Protocol
from osler.errors import NotAllowed
from osler.runs.run import protocol_of
from osler.store.queries import MAX_ORDINAL, begun_between, episodes_at
from osler.store.records import RunInfo
from osler.store.store import Store
from osler.web.house import TheHouse
from osler.web.lookups import RunName, packed, unpacked
from osler.web.problems import NotFound
from osler.web.rights import needs
from osler.web.schemas import Page
from osler.web.watch.episode import ViewName, eyes, picture_at
from osler.web.watch.scenes import choreography, staging_of
from osler.web.watch.schemas import Floor, FloorEpisode, FloorPlayed, OnFloor
from osler.web.watch.seeing import Looking, Onlooker, VisibleRun

router = APIRouter()


@router.get("/runs/{run}/floors", dependencies=[needs("watch")])
def floors_of(
    house: TheHouse,
    looking: Looking,
    run: RunName,
    cursor: Annotated[str, Query(max_length=200)] = "",
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
) -> Page[Floor]:
    """The floors of a run from below, each with its episodes and how they stand: a lift's buttons."""
    result, first = looking.run(run), unpacked(cursor, int)[0] if cursor else 0
    every, titles = _floors(result.run)
    shown = list(enumerate(every))[max(0, first) :][:limit]
    statuses = _statuses(house.store, result, [n for _, floor in shown for n in floor])
    items = [
        Floor(
            floor=at,
            episodes=[
                OnFloor(n=n, room=title, status=statuses[n]) for n, title in zip(floor, titles, strict=False)
            ],
        )
        for at, floor in shown
    ]
    more = first + limit < len(every)
    return Page(items=items, next=packed(first + limit) if more else None, total=len(every))


@router.get("/runs/{run}/floors/{floor}", dependencies=[needs("watch")])
def floor_played(
    house: TheHouse,
    looking: Looking,
    run: RunName,
    floor: Annotated[int, Path(ge=0, le=MAX_ORDINAL)],
    view: ViewName = "doctor",
) -> FloorPlayed:
    """The episodes of one floor as one view has each, to be played side by side on one plan. One that has not
    begun has no choreography yet, and one that this visitor may not see so has the reason instead."""
    result = looking.run(run).run
    every, titles = _floors(result)
    if floor >= len(every):
        raise NotFound(f"the run has no floor {floor}", where=result.name, hint=f"it has {len(every)}")
    pairs = zip(every[floor], titles, strict=False)
    episodes = [_played(house.store, looking, result, n, title, view) for n, title in pairs]
    return FloorPlayed(floor=floor, floors=len(every), episodes=episodes)


def _floors(run: RunInfo) -> tuple[list[range], list[str]]:
    """The floors of a run, and the titles of the rooms in which a floor's episodes are played."""
    rooms = rooms_of(staging_of(protocol_of(run)), our_plan())
    return floors(run.planned, max(1, len(rooms))), [room.title for room in rooms] or [""]


def _statuses(store: Store, run: VisibleRun, wanted: list[int]) -> dict[int, str]:
    """Return the states of episodes; one hidden from the visitor is "planned", as if it had not begun."""
    if not wanted:
        return {}
    with store.connected() as connection:
        there = episodes_at(connection, run.run.id, wanted)
        begun = {n for n in begun_between(connection, run.run.id, wanted[0], wanted[-1]) if run.has(n)}
    ended = {n: row for n, row in there.items() if run.has(n)}
    return {n: str(ended[n].status) if n in ended else "running" if n in begun else "planned" for n in wanted}


def _played(store: Store, looking: Onlooker, run: RunInfo, n: int, room: str, view: str) -> FloorEpisode:
    try:
        place = looking.episode(run.name, n)
    except NotFound:
        return FloorEpisode(n=n, room=room)
    protocol: Protocol = protocol_of(run)
    try:
        seen = eyes(store, looking, place, protocol, view)
    except NotAllowed as error:
        return FloorEpisode(n=n, room=room, ended=place.ended, hidden=error.what)
    plan = our_plan()
    lane = lane_of(n, staging_of(protocol), plan)
    made = choreography(store, run, n, seen, plan, picture_at(run, n, seen), lane)
    return FloorEpisode(n=n, room=room, ended=place.ended, view=seen, choreography=made)
