"""Episodes: the list of a run, and one episode with its judgements."""

from __future__ import annotations

from typing import Annotated, Final

from fastapi import APIRouter, Query

from osler.store.listing import Order, Wanted
from osler.store.statistics import renew_statistics
from osler.web.evaluate.episode_detail import detail
from osler.web.evaluate.episode_list import Asked, page
from osler.web.evaluate.schemas import EpisodePage, Sort
from osler.web.evaluate.trace_schemas import EpisodeDetail
from osler.web.house import TheHouse
from osler.web.lookups import Kept, Ordinal, RunName
from osler.web.rights import needs
from osler.web.watch.seeing import Looking

LARGE: Final = 1000
"""From so many episodes on, the database's plans matter."""

router = APIRouter()
Text = Annotated[str, Query(max_length=200)]
Bound = Annotated[float | None, Query(allow_inf_nan=False)]


@router.get("/runs/{run}/episodes", dependencies=[needs("watch")])
def episodes(
    house: TheHouse,
    looking: Looking,
    run: RunName,
    cursor: Annotated[str, Query(max_length=1000)] = "",
    limit: Annotated[int, Query(ge=1, le=500)] = 100,
    sort: Sort = "ordinal",
    descending: bool = False,
    status: Text = "",
    case: Text = "",
    q: Text = "",
    grader: Text = "",
    below: Bound = None,
    above: Bound = None,
) -> EpisodePage:
    """Episodes of a run. `grader` is "GRADER:SCORE" and chooses the score to show, to sort by, and that
    `below` and `above` are about; without it, it is the headline."""
    wanted = Wanted(status=status, case=case, text=q, below=below, above=above)
    asked = Asked(cursor, limit, Order(sort, descending), wanted, grader)
    seen = looking.run(run)
    found = seen.run
    if found.done >= LARGE:
        kept: Kept[list[str]] = house.rooms.setdefault("evaluate.statistics", Kept())
        kept.get(found.id, found.done, lambda: renew_statistics(house.store))
    return page(seen, house.store, asked)


@router.get("/episodes/{run}/{n}", dependencies=[needs("watch")])
def episode(house: TheHouse, looking: Looking, run: RunName, n: Ordinal) -> EpisodeDetail:
    """One episode."""
    return detail(house, looking.asking, looking.episode(run, n))
