"""Runs: the list, and one run with its manifest, facets and figures."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Annotated, Any, Final

from fastapi import APIRouter, Query

from osler.store.leases import holders, played_runs
from osler.store.listing import RunRow, ended_counts, page_of_runs
from osler.store.records import RunInfo
from osler.web.evaluate.facets import facets_of
from osler.web.evaluate.figures import figures_of
from osler.web.evaluate.playing import Playing
from osler.web.evaluate.run_words import (
    asks_models,
    flags,
    kind_of,
    known_protocol,
    protocol_name,
    reproduce,
    run_line,
    settings_of,
)
from osler.web.evaluate.schemas import Facets, RunDetail, RunFigures, RunKind, RunLine, RunState
from osler.web.house import TheHouse
from osler.web.lookups import Kept, RunName, packed, run_named, unpacked
from osler.web.rights import needs
from osler.web.schemas import Page

router = APIRouter()
_BLOCK: Final = 200
_LEFT_OUT: Final = ("osler", "knowledge", "cases_fingerprint", "branch", "models")


@router.get("/runs", dependencies=[needs("watch")])
def runs(
    house: TheHouse,
    cursor: Annotated[str, Query(max_length=200)] = "",
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
    status: RunState | None = None,
    kind: RunKind | None = None,
    protocol: Annotated[str, Query(max_length=100)] = "",
    q: Annotated[str, Query(max_length=200)] = "",
) -> Page[RunLine]:
    """Runs, newest first; practice runs only if asked for by kind."""
    before: int | None = unpacked(cursor, int)[0] if cursor else None
    found: list[RunInfo] = []
    store, playing = house.store, Playing.of(house)
    with store.connected() as connection:
        played = played_runs(connection, store.label)
        block: list[RunRow] = []
        while len(found) <= limit and (not block or len(block) == _BLOCK):
            block = page_of_runs(connection, _BLOCK, before)
            if not block:
                break
            before = block[-1].id
            # A process of ours that has just been started holds no lease yet.
            read = (one for row in block if (one := _read(row, row.id in played or playing.plays(row.name))))
            found += [one for one in read if status in (None, one.status) and _fits(one, kind, protocol, q)]
        page = found[:limit]
        done = ended_counts(connection, [one.id for one in page])
        held = {one.id: holders(connection, store.label, one.id) for one in page if one.id in played}
    items = [run_line(one._replace(done=done.get(one.id, 0)), held.get(one.id, ())) for one in page]
    return Page(items=items, next=packed(page[-1].id) if len(found) > limit else None)


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


def _fits(run: RunInfo, kind: RunKind | None, protocol: str, q: str) -> bool:
    its = kind_of(run.manifest)
    if its != kind if kind else its == "practice":
        return False
    if protocol and protocol != protocol_name(run.manifest):
        return False
    configuration = run.manifest.get("configuration") or {}
    searched = (run.name, str(configuration.get("cases", "")), *map(str, configuration.values()))
    return not q or any(q.casefold() in one.casefold() for one in searched)


@router.get("/runs/{run}", dependencies=[needs("watch")])
def run(house: TheHouse, run: RunName) -> RunDetail:
    """One run."""
    found = run_named(house.store, run)
    with house.store.connected() as connection:
        held = holders(connection, house.store.label, found.id)
    protocol, configuration = known_protocol(found), found.manifest.get("configuration") or {}
    seats = [role.name for role in protocol.roles] if protocol else []
    flag = flags(house, models=asks_models(found))
    again = reproduce(found)
    playing = Playing.of(house)
    here = playing.plays(found.name)
    found = found._replace(status=playing.state(found))
    return RunDetail(
        run=run_line(found, held),
        setup=settings_of({seat: configuration.get(seat) for seat in seats}),
        configuration=settings_of(configuration, (*seats, *_LEFT_OUT)),
        versions=settings_of(
            {
                "osler": configuration.get("osler"),
                **(found.manifest.get("versions") or {}),
                "cases' fingerprint": configuration.get("cases_fingerprint"),
                "knowledge": configuration.get("knowledge"),
            }
        ),
        notice=protocol.notice if protocol else "",
        reproduce=again + flag if again else "",
        resume=f"osler resume {found.name}{flag}" if found.done < found.planned else "",
        here=here,
        why=playing.why(found.name),
    )


@router.get("/runs/{run}/facets", dependencies=[needs("watch")])
def facets(house: TheHouse, run: RunName) -> Facets:
    """The facets by which a run's episodes can be filtered."""
    found = run_named(house.store, run)
    kept: Kept[Facets] = house.rooms.setdefault("evaluate.facets", Kept())
    return kept.get(found.id, found.done, lambda: facets_of(found, house.store))


@router.get("/runs/{run}/figures", dependencies=[needs("watch")])
def figures(house: TheHouse, run: RunName) -> RunFigures:
    """A run's figures; of a large run they take some seconds the first time."""
    found = run_named(house.store, run)
    kept: Kept[RunFigures] = house.rooms.setdefault("evaluate.figures", Kept())
    return kept.get(found.id, found.done, lambda: figures_of(found, house.store, house.models))
