"""Queries over one run. Each answers with no more rows than fit in memory."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from operator import attrgetter
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from osler.encounter.trace import ExchangeRow
from osler.errors import Status
from osler.store.rows import EpisodeRow, Judgement, Ordinals
from osler.store.schema import episodes, exchanges, judgements

_ORDINALS: Final = 20_000
_EPISODE: Final = [episodes.c[name] for name in EpisodeRow._fields]
_EXCHANGE: Final = [exchanges.c[name] for name in ExchangeRow._fields]
_JUDGEMENT: Final = [judgements.c[name] for name in Judgement._fields]


def episode(connection: Connection, run_id: int, ordinal: int) -> EpisodeRow | None:
    """One ended episode."""
    query = _of_run(episodes, run_id, _EPISODE).where(episodes.c.ordinal == ordinal)
    row = connection.execute(query).first()
    return None if row is None else _episode(row)


def episodes_after(connection: Connection, run_id: int, after: int, count: int) -> list[EpisodeRow]:
    """The next ended episodes in order."""
    query = _of_run(episodes, run_id, _EPISODE).where(episodes.c.ordinal > after)
    return [_episode(row) for row in connection.execute(query.order_by(episodes.c.ordinal).limit(count))]


def exchanges_of(connection: Connection, run_id: int, ordinal: int) -> list[ExchangeRow]:
    """One episode's exchanges in order."""
    query = _of_run(exchanges, run_id, _EXCHANGE).where(exchanges.c.ordinal == ordinal)
    return [ExchangeRow(*row) for row in connection.execute(query.order_by(exchanges.c.n))]


def exchanges_of_each(
    connection: Connection, run_id: int, page: Sequence[EpisodeRow]
) -> dict[int, list[ExchangeRow]]:
    """Several episodes' exchanges in order, by ordinal."""
    query = _of_each(exchanges, run_id, page, _EXCHANGE)
    rows = connection.execute(query.order_by(exchanges.c.ordinal, exchanges.c.n))
    return {at: [ExchangeRow(*row[1:]) for row in each] for at, each in groupby(rows, attrgetter("ordinal"))}


def judgements_of_each(
    connection: Connection, run_id: int, page: Sequence[EpisodeRow]
) -> dict[int, tuple[Judgement, ...]]:
    """Several episodes' judgements by grader, by ordinal."""
    query = _of_each(judgements, run_id, page, _JUDGEMENT[1:])
    rows = connection.execute(query.order_by(judgements.c.ordinal, judgements.c.grader))
    return {at: tuple(Judgement(*row) for row in each) for at, each in groupby(rows, attrgetter("ordinal"))}


def judgements_after(
    connection: Connection, run_id: int, after: tuple[int, str], count: int
) -> list[Judgement]:
    """The next judgements by ordinal and grader."""
    place = sa.tuple_(judgements.c.ordinal, judgements.c.grader)
    query = _of_run(judgements, run_id, _JUDGEMENT).where(place > after)
    rows = connection.execute(query.order_by(judgements.c.ordinal, judgements.c.grader).limit(count))
    return [Judgement(*row) for row in rows]


def done(connection: Connection, run_id: int) -> Ordinals:
    """The ordinals of the ended episodes."""
    ordinal = episodes.c.ordinal
    query = _of_run(episodes, run_id, [ordinal]).order_by(ordinal).limit(_ORDINALS)
    found = Ordinals()
    page: Sequence[int] = [-1]
    while page:
        page = connection.execute(query.where(ordinal > page[-1])).scalars().all()
        for each in page:
            found.add(each)
    return found


def partial(connection: Connection, run_id: int) -> set[int]:
    """The ordinals of episodes with exchanges but without an end."""
    ordinal = exchanges.c.ordinal
    query = _of_run(exchanges, run_id, [ordinal]).distinct()
    found = set[int]()
    # Only what lies between ended episodes is read: the exchanges of those would be gigabytes.
    for first, last in done(connection, run_id).gaps():
        within = query.where(ordinal >= first)
        if last is not None:
            within = within.where(ordinal <= last)
        found.update(connection.execute(within).scalars())
    return found


def _of_run(table: sa.Table, run_id: int, columns: Sequence[sa.Column[Any]]) -> sa.Select[Any]:
    return sa.select(*columns).where(table.c.run == run_id)


def _of_each(
    table: sa.Table, run_id: int, page: Sequence[EpisodeRow], columns: Sequence[sa.Column[Any]]
) -> sa.Select[Any]:
    # By a list, not by a range: between two ended episodes there may be any number that have not ended.
    ordinals = [episode.ordinal for episode in page]
    return _of_run(table, run_id, [table.c.ordinal, *columns]).where(table.c.ordinal.in_(ordinals))


def _episode(row: Sequence[Any]) -> EpisodeRow:
    found = EpisodeRow(*row)
    return found._replace(status=Status(found.status))
