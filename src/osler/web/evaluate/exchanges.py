"""Exchanges of an episode: the list, and one request as its seat saw it."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query

from osler.errors import NotAllowed
from osler.runs.run import protocol_of
from osler.web.evaluate.exchange_detail import exchange_detail
from osler.web.evaluate.exchange_lines import exchange_lines
from osler.web.evaluate.trace_schemas import ExchangeDetail, ExchangeLine
from osler.web.house import TheHouse
from osler.web.lookups import Ordinal, RunName, packed, unpacked
from osler.web.problems import NotFound
from osler.web.rights import needs
from osler.web.schemas import Page
from osler.web.watch.log import recorded
from osler.web.watch.seats import seats_of
from osler.web.watch.seeing import Looking

router = APIRouter()


@router.get("/episodes/{run}/{n}/exchanges", dependencies=[needs("watch")])
def exchanges(
    house: TheHouse,
    looking: Looking,
    run: RunName,
    n: Ordinal,
    cursor: Annotated[str, Query(max_length=200)] = "",
    limit: Annotated[int, Query(ge=1, le=500)] = 200,
) -> Page[ExchangeLine]:
    """The exchanges of an episode in order, without their texts; of an episode that a person still plays,
    only their own."""
    store, place = house.store, looking.episode(run, n)
    protocol, after = protocol_of(place.run), unpacked(cursor, int)[0] if cursor else 0
    views = looking.sight(place, seats_of(store, place, protocol)).views
    record = recorded(store, place.run.id, n)
    inner = store.recorded_inner(place.run.id, n)
    every = exchange_lines(record, inner, store.calls(place.run.id, n), protocol)
    found = [one for one in every if one.seat in views]
    page = [one for one in found if one.n > after][: limit + 1]
    more = packed(page[limit - 1].n) if len(page) > limit else None
    return Page(items=page[:limit], next=more, total=len(found))


@router.get("/episodes/{run}/{n}/exchanges/{k}", dependencies=[needs("watch")])
def exchange(
    house: TheHouse,
    looking: Looking,
    run: RunName,
    n: Ordinal,
    k: Annotated[int, Path(ge=1, le=1_000_000)],
) -> ExchangeDetail:
    """One exchange, with the request as its seat saw it."""
    store, place = house.store, looking.episode(run, n)
    found = looking.sight(place, seats_of(store, place, protocol_of(place.run)))
    row = next((one for one in store.recorded(place.run.id, n) if one.n == k), None)
    if row is None:
        raise NotFound(f"there is no exchange {k} yet", where=place.name)
    if row.seat not in found.views:
        raise NotAllowed(found.hidden, where=f"{place.name} {k}")
    return exchange_detail(house, place, k)
