"""Pages of runs and of a run's episodes, sorted and filtered by the database: quick at 100,000 episodes.

Pages are found by keyset: each begins after the last row's (value, ordinal), so that a late page costs no
more than the first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from osler.store.queries import MAX_ORDINAL, ended_of
from osler.store.schema import episodes, runs, scores, storable

_SORTED: Final = {
    "ordinal": episodes.c.ordinal,
    "case": episodes.c.case_id,
    "status": episodes.c.status,
    "minutes": episodes.c.minutes,
    "turns": episodes.c.turns,
    "tests": episodes.c.tests,
    "cost": episodes.c.cost,
    "exchanges": episodes.c.exchanges,
}
Cursor = tuple[str | int | float | None, int]
"""The (value, ordinal) of the last row of a page; the value is `None` for one without the score."""


class ScoreName(NamedTuple):
    """A score of a grader."""

    grader: str
    name: str


class EpisodeQuery(NamedTuple):
    """The episodes wanted: with this status, of this case, whose case holds `text` or whose key
    begins with it, and whose `score` lies in a range, ends included; of those `among` some ordinals, if any
    are given."""

    status: str = ""
    case: str = ""
    text: str = ""
    score: ScoreName | None = None
    above: float | None = None
    below: float | None = None
    among: frozenset[int] | None = None


class Order(NamedTuple):
    """The order of a list of episodes: by a column of `_SORTED` or by score, then by ordinal."""

    by: str = "ordinal"
    descending: bool = False


class ListedEpisode(NamedTuple):
    """An episode on a page, with the value that it is sorted by."""

    ordinal: int
    value: str | int | float | None

    @property
    def cursor(self) -> Cursor:
        """The cursor of the page after this row."""
        return self.value, self.ordinal


def page_of_episodes(
    connection: Connection, run_id: int, query: EpisodeQuery, order: Order, count: int, after: Cursor | None
) -> list[ListedEpisode]:
    """The next ended episodes of a run, after a cursor. Those without the score that others are sorted by
    come last."""
    if order.by != "score" or query.score is None:
        by = order if order.by in _SORTED else order._replace(by="ordinal")
        return _page(
            connection, _Listed(connection, run_id, query), _SORTED[by.by], by.descending, count, after
        )
    page: list[ListedEpisode] = []
    if after is None or after[0] is not None:
        scored = _Listed(connection, run_id, query, "scored")
        page = _page(connection, scored, scores.c.value, order.descending, count, after)
        after = None
    if len(page) < count and query.above is None and query.below is None:
        rest = _page(
            connection,
            _Listed(connection, run_id, query, "unscored"),
            episodes.c.ordinal,
            order.descending,
            count - len(page),
            after,
        )
        page += [ListedEpisode(one.ordinal, None) for one in rest]
    return page


class _Listed:
    """The episodes to list: all that are wanted, or those of them that have the wanted score, or have not."""

    def __init__(self, connection: Connection, run_id: int, query: EpisodeQuery, which: str = "all") -> None:
        of_run = episodes.c.run == run_id
        kept = [of_run, *_of_episode(connection, query)]
        self.tables: Any = episodes
        self.ordinal = episodes.c.ordinal
        self.where: list[sa.ColumnElement[bool]] = kept
        if query.score is None:
            return
        named = [
            scores.c.run == run_id,
            scores.c.grader == query.score.grader,
            scores.c.name == query.score.name,
        ]
        ranged = list(named)
        if query.above is not None:
            ranged.append(scores.c.value >= query.above)
        if query.below is not None:
            ranged.append(scores.c.value <= query.below)
        here = scores.c.ordinal == episodes.c.ordinal
        if which == "scored":  # the narrow table first: it is quick to sort
            self.tables, self.ordinal, self.where = scores, scores.c.ordinal, ranged
            if len(kept) > 1:
                self.where.append(scores.c.ordinal.in_(sa.select(episodes.c.ordinal).where(*kept)))
        elif which == "unscored":
            self.where.append(~sa.exists().where(*named, here))
        elif len(ranged) > len(named):
            self.where.append(sa.exists().where(*ranged, here))


def _of_episode(connection: Connection, query: EpisodeQuery) -> Iterator[sa.ColumnElement[bool]]:
    """The conditions on an episode's own row."""
    yield from _among(episodes.c.ordinal, query.among)
    if query.status:
        yield episodes.c.status == query.status
    if query.case:
        yield episodes.c.case_id == query.case
    if query.text:
        text, case = storable(query.text), sa.type_coerce(episodes.c.case_id, sa.Text)
        # SQLite's LIKE ignores case already, and asking it to costs as much again.
        holds = case.icontains if connection.dialect.name == "postgresql" else case.contains
        begins = episodes.c.key.startswith(text.lower(), autoescape=True)
        yield sa.or_(holds(text, autoescape=True), begins)


def _among(ordinal: sa.ColumnElement[int], among: frozenset[int] | None) -> list[sa.ColumnElement[bool]]:
    """The condition that an ordinal is one of some, none for all. They stand in the statement itself: a
    database takes fewer parameters than there may be episodes."""
    if among is None:
        return []
    some: sa.BindParameter[Any] = sa.bindparam(
        "among", sorted(among), unique=True, expanding=True, literal_execute=True
    )
    return [ordinal.in_(some)]


def _page(
    connection: Connection,
    listed: _Listed,
    value: sa.ColumnElement[Any],
    descending: bool,
    count: int,
    after: Cursor | None,
) -> list[ListedEpisode]:
    ordinal = listed.ordinal
    alone = value is episodes.c.ordinal
    query = sa.select(ordinal, ordinal if alone else value).select_from(listed.tables).where(*listed.where)
    if after is not None:
        last, at = after
        there = ordinal < at if descending else ordinal > at
        if not alone:
            here = sa.literal(last, value.type)
            there = sa.or_(value < here if descending else value > here, sa.and_(value == here, there))
        query = query.where(there)
    by = [ordinal] if alone else [value, ordinal]
    query = query.order_by(*(one.desc() for one in by) if descending else by).limit(count)
    return [ListedEpisode(row[0], row[1]) for row in connection.execute(query)]


def count_of_episodes(connection: Connection, run_id: int, episode_query: EpisodeQuery) -> int:
    """The number of ended episodes of a run that are wanted."""
    ranged = episode_query.above is not None or episode_query.below is not None
    listed = _Listed(connection, run_id, episode_query, "scored" if ranged else "all")
    query = sa.select(sa.func.count()).select_from(listed.tables).where(*listed.where)
    return connection.execute(query).scalar_one()


def scores_of(
    connection: Connection, run_id: int, score: ScoreName, ordinals: Sequence[int]
) -> dict[int, float]:
    """One score of some episodes, by ordinal."""
    query = sa.select(scores.c.ordinal, scores.c.value).where(
        scores.c.run == run_id,
        scores.c.grader == score.grader,
        scores.c.name == score.name,
        scores.c.ordinal.in_(ordinals),
    )
    return {row.ordinal: row.value for row in connection.execute(query)}


def neighbours(
    connection: Connection, run_id: int, ordinal: int, among: frozenset[int] | None = None
) -> tuple[int | None, int | None]:
    """The ended episodes before and after one in its run, of all or of some."""
    at = episodes.c.ordinal
    here = sa.and_(episodes.c.run == run_id, *_among(at, among))
    before = connection.scalar(sa.select(at).where(here, at < ordinal).order_by(at.desc()).limit(1))
    after = connection.scalar(sa.select(at).where(here, at > ordinal).order_by(at).limit(1))
    return before, after


# What there is to filter by


def counts(
    connection: Connection, run_id: int, by: str, among: frozenset[int] | None = None
) -> dict[str, int]:
    """The number of ended episodes of a run, or of some of them, with each `status` or `case`, sorted by
    name."""
    column = _SORTED[by]
    where = (episodes.c.run == run_id, *_among(episodes.c.ordinal, among))
    query = sa.select(column, sa.func.count()).where(*where).group_by(column)
    return {str(name): count for name, count in sorted(map(tuple, connection.execute(query)))}


class Band(NamedTuple):
    """A band of scores, `low` included and `high` not, but in the last one."""

    low: float
    high: float
    episodes: int


def bands(
    connection: Connection, run_id: int, score: ScoreName, among: frozenset[int] | None = None, most: int = 5
) -> list[Band]:
    """A score of a run, or of some of its episodes, in at most so many bands of the same width."""
    named = (scores.c.run == run_id, scores.c.grader == score.grader, scores.c.name == score.name)
    here = (*named, *_among(scores.c.ordinal, among))
    value = scores.c.value
    low, high, count = connection.execute(
        sa.select(sa.func.min(value), sa.func.max(value), sa.func.count()).where(*here)
    ).one()
    if not count:
        return []
    if low == high:
        return [Band(low, high, count)]
    width = (high - low) / most
    place = sa.cast((value - low) / width, sa.Integer)
    if connection.dialect.name == "postgresql":  # which would round
        place = sa.cast(sa.func.floor((value - low) / width), sa.Integer)
    held = dict.fromkeys(range(most), 0)
    query = sa.select(place, sa.func.count()).where(*here).group_by(place)
    for at, found in connection.execute(query):
        held[min(at, most - 1)] += found
    return [Band(low + at * width, low + (at + 1) * width, found) for at, found in held.items()]


# Runs


class RunRow(NamedTuple):
    """A run as its row holds it; `status` may say that it is played although nobody does."""

    id: int
    name: str
    created_at: float
    status: str
    planned: int
    manifest: str


def page_of_runs(connection: Connection, count: int, before: int | None) -> list[RunRow]:
    """The next runs, newest first, before an id."""
    query = sa.select(*(runs.c[name] for name in RunRow._fields)).order_by(runs.c.id.desc()).limit(count)
    if before is not None:
        query = query.where(runs.c.id < min(before, MAX_ORDINAL))
    return [RunRow(*row) for row in connection.execute(query)]


def run_called(connection: Connection, name: str) -> RunRow | None:
    """The run with exactly this name."""
    row = connection.execute(
        sa.select(*(runs.c[one] for one in RunRow._fields)).where(runs.c.name == name)
    ).first()
    return None if row is None else RunRow(*row)


def ended_among(connection: Connection, run_id: int, among: frozenset[int]) -> int:
    """The number of ended episodes of a run among some ordinals."""
    where = (episodes.c.run == run_id, *_among(episodes.c.ordinal, among))
    return connection.execute(sa.select(sa.func.count()).select_from(episodes).where(*where)).scalar_one()


def ended_counts(connection: Connection, run_ids: Sequence[int]) -> dict[int, int]:
    """The number of ended episodes of each run."""
    query = sa.select(runs.c.id, ended_of(runs.c.id)).where(runs.c.id.in_(run_ids))
    return {row[0]: row[1] for row in connection.execute(query)}
