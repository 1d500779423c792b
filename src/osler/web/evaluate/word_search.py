"""Search of what was said in all runs, as far as the visitor sees them."""

from __future__ import annotations

from functools import cache
from typing import Annotated, Final

from fastapi import APIRouter, Query

from osler.errors import BadInput
from osler.runs.word_search import Hit, check_seat, index_episodes, search
from osler.store.records import RunInfo
from osler.store.search_index import Place
from osler.text.search_words import phrases_of
from osler.web.evaluate.run_words import protocol_name
from osler.web.evaluate.schemas import FoundPage, FoundPiece, FoundWords
from osler.web.house import TheHouse
from osler.web.lookups import packed, unpacked
from osler.web.rights import needs
from osler.web.watch.seeing import Looking, VisibleRun

router = APIRouter()
READING_S: Final = 2.0
"""The seconds for which one request reads episodes into the index; the browser asks again."""


@router.get("/search", dependencies=[needs("watch")])
def found(
    house: TheHouse,
    looking: Looking,
    q: Annotated[str, Query(max_length=500)] = "",
    run: Annotated[str, Query(max_length=100)] = "",
    seat: Annotated[str, Query(max_length=100)] = "",
    protocol: Annotated[str, Query(max_length=100)] = "",
    cursor: Annotated[str, Query(max_length=200)] = "",
    limit: Annotated[int, Query(ge=1, le=100)] = 30,
) -> FoundPage:
    """Lines of ended episodes that hold every word and "quoted phrase", of those that the visitor sees
    whole. `seat` is a seat, or `result` for what was reported."""
    check_seat(seat, where="seat")
    store, phrases = house.store, phrases_of(q)
    after = Place(*unpacked(cursor, int, int, int, int)) if cursor else None
    among = _among(house, looking, run, protocol)
    if not phrases or among == []:
        return FoundPage(items=[])
    complete = index_episodes(store, among, seconds=READING_S)

    @cache
    def seen(run_id: int) -> VisibleRun | None:
        try:
            return next(looking.among([store.info(run_id)]), None)
        except BadInput:  # deleted in the meantime
            return None

    def shown(at: Place) -> bool:
        of = seen(at.run)
        return of is not None and of.is_whole(at.ordinal)

    page = search(store, phrases, shown, limit, runs=among, seat=seat, after=after)
    names = {one.run.id: one.run for hit in page.hits if (one := seen(hit.at.run))}
    return FoundPage(
        items=[_hit(hit, names[hit.at.run]) for hit in page.hits],
        next=packed(*page.after) if page.after else None,
        reading=not complete,
    )


def _among(house: TheHouse, looking: Looking, run: str, protocol: str) -> list[int] | None:
    """The ids of the runs to search, `None` for all. Raises NotFound for a run that the visitor does not
    see."""
    if run:
        one = looking.run(run).run
        return [one.id] if protocol in ("", protocol_name(one.manifest)) else []
    if not protocol:
        return None
    return [one.id for one in house.store.runs() if protocol_name(one.manifest) == protocol]


def _hit(hit: Hit, run: RunInfo) -> FoundWords:
    line = hit.line
    return FoundWords(
        run=run.name,
        protocol=protocol_name(run.manifest),
        ordinal=hit.at.ordinal,
        exchange=line.n,
        item=line.item,
        seat=line.seat,
        label=line.label,
        passage=[FoundPiece(text=piece.text, marked=piece.marked) for piece in hit.passage],
    )
