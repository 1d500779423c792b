"""Runs: the list, and one run with its manifest, facets and figures."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Annotated, Any, Final

from fastapi import APIRouter, Query
from sqlalchemy.engine import Connection

from osler.core.measure import Measure
from osler.runs.run import protocol_of
from osler.runs.seating import ModelOptions
from osler.runs.totals import totals
from osler.runs.usage import Used, usage_with_times
from osler.stats.intervals import Estimate
from osler.store.leases import holders, played_runs
from osler.store.listing import RunRow, ended_counts, page_of_runs
from osler.store.records import RunInfo
from osler.store.store import Store
from osler.web.evaluate.facets import facets_of
from osler.web.evaluate.playing import Playing
from osler.web.evaluate.run_words import (
    asks_models,
    flags,
    kind_of,
    known_protocol,
    modelled,
    protocol_name,
    reproduce,
    run_line,
    settings_of,
    told,
    told_in,
)
from osler.web.evaluate.schemas import (
    Facets,
    Figure,
    RunDetail,
    RunFigures,
    RunKind,
    RunLine,
    RunState,
    SeatUse,
)
from osler.web.evaluate.spending import endpoints_of
from osler.web.house import TheHouse
from osler.web.lookups import RunCache, RunName, packed, unpacked
from osler.web.rights import needs
from osler.web.schemas import Page
from osler.web.watch.seeing import Looking, VisibleRun

router = APIRouter()
_BLOCK: Final = 200
_LEFT_OUT: Final = ("osler", "knowledge", "cases_fingerprint", "branch", "models")


@router.get("/runs", dependencies=[needs("watch")])
def runs(
    house: TheHouse,
    looking: Looking,
    cursor: Annotated[str, Query(max_length=200)] = "",
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
    status: RunState | None = None,
    kind: RunKind | None = None,
    protocol: Annotated[str, Query(max_length=100)] = "",
    q: Annotated[str, Query(max_length=200)] = "",
) -> Page[RunLine]:
    """Runs, newest first; practice runs only if asked for by kind."""
    before: int | None = unpacked(cursor, int)[0] if cursor else None
    seens: list[VisibleRun] = []
    store, playing = house.store, Playing.of(house)
    with store.connected() as connection:
        played = played_runs(connection, store.label)
        for block in _blocks(connection, before):
            # A process of ours that has just been started holds no lease yet.
            read = (one for row in block if (one := _read(row, row.id in played or playing.plays(row.name))))
            fits = [one for one in read if status in (None, one.status) and _fits(one, kind, protocol)]
            seens += [one for one in looking.among(fits) if _holds(one, q)]
            if len(seens) > limit:
                break
        page = seens[:limit]
        each = [one.run.id for one in page]
        done = ended_counts(connection, [one.run.id for one in page if one.whole is None])
        held = {id: holders(connection, store.label, id) for id in each if id in played}
    lines = ((one.run._replace(done=done.get(one.run.id, one.run.done)), one.run.id) for one in page)
    items = [run_line(run, held.get(id, ()), looking.asking) for run, id in lines]
    return Page(items=items, next=packed(each[-1]) if len(seens) > limit else None)


def _blocks(connection: Connection, before: int | None) -> Iterator[Sequence[RunRow]]:
    """The runs of the store in blocks, the newest first, from the one `before` an id on."""
    while block := page_of_runs(connection, _BLOCK, before):
        yield block
        if len(block) < _BLOCK:
            return
        before = block[-1].id


def _read(row: RunRow, played: bool) -> RunInfo | None:
    """A run, its ended episodes not counted yet; `None` if its manifest is damaged."""
    try:
        manifest: dict[str, Any] = json.loads(row.manifest)
    except ValueError:
        return None
    # Its worker may have died without setting the status.
    status: Any = "interrupted" if row.status == "running" and not played else row.status
    return RunInfo(
        row.name, row.id, status, row.planned, 0, manifest, datetime.fromtimestamp(row.created_at, UTC)
    )


def _fits(run: RunInfo, kind: RunKind | None, protocol: str) -> bool:
    its = kind_of(run.manifest)
    if its != kind if kind else its == "practice":
        return False
    return not protocol or protocol == protocol_name(run.manifest)


def _holds(seen: VisibleRun, q: str) -> bool:
    """Whether a run's name or configuration holds a text. Who sits in it is not told what else is in it."""
    configuration = {} if seen.sits else seen.run.manifest.get("configuration") or {}
    searched = (seen.run.name, *map(str, configuration.values()))
    return not q or any(q.casefold() in one.casefold() for one in searched)


@router.get("/runs/{run}", dependencies=[needs("watch")])
def run(house: TheHouse, looking: Looking, run: RunName) -> RunDetail:
    """One run. Who sits in it is not told what it was set up with until it has ended: that names the case."""
    seen, asking = looking.run(run), looking.asking
    result = seen.run
    with house.store.connected() as connection:
        held = holders(connection, house.store.label, result.id)
    protocol = known_protocol(result)
    configuration = {} if seen.sits else told_in(asking, result.manifest.get("configuration") or {})
    seats = [role.name for role in protocol.roles] if protocol else []
    flag = flags(house, asking, models=asks_models(result))
    again = "" if seen.sits else reproduce(result, asking)
    playing = Playing.of(house)
    here = playing.plays(result.name)
    result = result._replace(status=playing.state(result))
    return RunDetail(
        run=run_line(result, held, asking),
        setup=settings_of({seat: configuration.get(seat) for seat in seats}),
        configuration=settings_of(configuration, (*seats, *_LEFT_OUT)),
        versions=settings_of(
            {
                "osler": configuration.get("osler"),
                **(result.manifest.get("versions") or {}),
                "cases' fingerprint": configuration.get("cases_fingerprint"),
                "knowledge": configuration.get("knowledge"),
            }
        ),
        notice=protocol.notice if protocol else "",
        reproduce=again + flag if again else "",
        resume=f"osler resume {result.name}{flag}"
        if result.done < result.planned and result.status != "done"
        else "",
        here=here,
        why=told(asking, playing.why(result.name)),
    )


@router.get("/runs/{run}/facets", dependencies=[needs("watch")])
def facets(house: TheHouse, looking: Looking, run: RunName) -> Facets:
    """The facets by which a run's episodes can be filtered."""
    seen = looking.run(run)
    result = seen.run
    room: RunCache[Facets] = house.rooms.setdefault("evaluate.facets", RunCache())
    compute = partial(facets_of, result, house.store, seen.whole)
    return room.get(result.id, result.done, compute, people=seen.people)


@router.get("/runs/{run}/figures", dependencies=[needs("watch")])
def figures(house: TheHouse, looking: Looking, run: RunName) -> RunFigures:
    """A run's figures; of a large run they take some seconds the first time."""
    seen = looking.run(run)
    result = seen.run
    room: RunCache[RunFigures] = house.rooms.setdefault("evaluate.figures", RunCache())
    compute = partial(figures_of, result, looking.store(seen), house.models)
    return room.get(result.id, result.done, compute, people=seen.people)


def figures_of(run: RunInfo, store: Store, models: ModelOptions) -> RunFigures:
    """A run's figures. Raises BadInput for a run of a protocol that is not installed."""
    protocol = protocol_of(run)
    result = store.as_far_as_readable(lambda: totals(run, store))
    seats = modelled(run)
    used = used_by(run, store, models) if seats else {}
    rows = [_seat(seat, endpoint, one) for seat, each in used.items() for endpoint, one in each.items()]
    costs = [one.cost for one in rows]
    return RunFigures(
        run=run.name,
        episodes=result.episodes,
        exchanges=result.exchanges,
        ended=result.ended,
        because=result.because,
        measures=[
            figure_of(one, estimate, result.headline_bounds if one is protocol.measures[0] else None)
            for one in protocol.measures
            if (estimate := result.measures.get(one.name))
        ],
        use=rows,
        cost=None if None in costs else sum(one or 0.0 for one in costs),
        label=result.label,
    )


def figure_of(measure: Measure, found: Estimate, ends: tuple[float, float] | None) -> Figure:
    """A measure as one figure: its value with the interval, or bounds in their place; neither, if nothing was
    scored."""
    return Figure(
        name=measure.name,
        words=measure.words,
        means=measure.means,
        kind=measure.kind,
        better=measure.better,
        value=None if ends else found.value,
        low=None if ends else found.low,
        high=None if ends else found.high,
        n=found.n,
        unscored=found.unscored,
        bounds=ends if found.n else None,
    )


def used_by(run: RunInfo, store: Store, models: ModelOptions) -> Used:
    """The usage of a run's models and their times, at its own prices, or those configured here if there are
    any."""
    return usage_with_times(store, run.id, endpoints_of(models))


def _seat(seat: str, endpoint: str, used: dict[str, Any]) -> SeatUse:
    fields = SeatUse.model_fields.keys() - {"seat", "endpoint"}
    return SeatUse(seat=seat, endpoint=endpoint, **{name: used.get(name) for name in fields})
