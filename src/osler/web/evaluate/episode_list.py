"""A page of a run's episodes, sorted and filtered."""

from __future__ import annotations

from typing import Any, NamedTuple

from sqlalchemy.engine import Connection

from osler.core.permitted import people_in
from osler.errors import BadInput
from osler.store.listing import (
    Cursor,
    EpisodeQuery,
    Order,
    ScoreName,
    count_of_episodes,
    page_of_episodes,
    scores_of,
)
from osler.store.queries import MAX_ORDINAL, episodes_at, partial
from osler.store.records import EpisodeRow, RunInfo, pending
from osler.store.store import Store
from osler.web.evaluate.facets import first_score
from osler.web.evaluate.run_words import known_protocol
from osler.web.evaluate.schemas import EpisodeLine, EpisodePage
from osler.web.lookups import packed, unpacked
from osler.web.watch.seeing import VisibleRun

_MOST_GOING = 100


class EpisodeListQuery(NamedTuple):
    """A browser's query. `grader` is "GRADER:SCORE", "" for the headline."""

    cursor: str
    limit: int
    order: Order
    wanted: EpisodeQuery
    grader: str


def page(visible_run: VisibleRun, store: Store, query: EpisodeListQuery) -> EpisodePage:
    """One page of what is seen of a run. Raises BadInput for a cursor or a score that there is not."""
    run = visible_run.run
    after: Cursor | None = None
    if query.cursor:
        value, ordinal = unpacked(query.cursor, (str, int, float, type(None)), int)
        _check(value, ordinal, query.order.by)
        after = value, ordinal
    with store.connected() as connection:
        score = _score(connection, run, query.grader)
        some = [each for each in (query.wanted.among, visible_run.whole) if each is not None]
        among = frozenset.intersection(*some) if some else None
        wanted = query.wanted._replace(score=score, among=among)
        result = page_of_episodes(connection, run.id, wanted, query.order, query.limit + 1, after)
        shown = [one.ordinal for one in result[: query.limit]]
        rows = episodes_at(connection, run.id, shown)
        values = scores_of(connection, run.id, score, shown) if score else {}
        everything = query.wanted == EpisodeQuery()
        total = run.done if everything else count_of_episodes(connection, run.id, wanted)
        going = (
            _going(connection, visible_run) if everything and after is None and run.done < run.planned else []
        )
    person = bool(people_in(run.manifest))
    return EpisodePage(
        items=[episode_line(rows[one], values.get(one), person) for one in shown if one in rows],
        next=packed(*result[query.limit - 1].cursor) if len(result) > query.limit else None,
        total=total,
        scored=f"{score.grader}:{score.name}" if score else "",
        going=[episode_line(one, None, person) for one in going],
    )


def _check(value: Any, ordinal: int, by: str) -> None:
    """Raise BadInput for a cursor of another order."""
    text = by in ("case", "status")
    fits = isinstance(value, str) if text else not isinstance(value, str)
    if not fits or (value is None and by != "score") or not 0 <= ordinal <= MAX_ORDINAL:
        raise BadInput(
            "this page belongs to another order", where="cursor", hint="begin again at the first page"
        )


def _score(connection: Connection, run: RunInfo, named: str) -> ScoreName | None:
    """The score that is meant: the one named, else the first that the run has."""
    if not named:
        return first_score(connection, run, known_protocol(run))
    grader, _, name = named.rpartition(":")
    if not (grader and name):
        raise BadInput("this does not name a score", where="grader", hint="write GRADER:SCORE")
    return ScoreName(grader, name)


def _going(connection: Connection, seen: VisibleRun) -> list[EpisodeRow]:
    """The episodes that have begun and not ended, as far as they are recorded; of many, the first."""
    there = sorted(ordinal for ordinal in partial(connection, seen.run.id) if seen.has(ordinal))
    return [pending(ordinal, 0) for ordinal in there[:_MOST_GOING]]


def episode_line(row: EpisodeRow, score: float | None, person: bool) -> EpisodeLine:
    """An episode as a line of a list."""
    return EpisodeLine(
        ordinal=row.ordinal,
        key=row.key,
        case=row.case_id,
        status=row.status,
        reason=row.reason,
        turns=row.turns,
        tests=row.tests,
        minutes=row.minutes,
        cost=row.cost,
        exchanges=row.exchanges,
        score=score,
        started=row.started,
        ended=row.ended,
        person=person,
    )
