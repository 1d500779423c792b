"""Queries over one run, each returning no more rows than fit in memory, and the copy that begins a branch."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from osler.core.trace import AskedRow, ExchangeRow, InnerRow
from osler.errors import Status
from osler.store.records import COUNTED, EpisodeRow, Judgement, KeptPart, Ordinals
from osler.store.schema import (
    asked,
    calls,
    episode_counts,
    episodes,
    exchanges,
    inner_exchanges,
    judgements,
    run_cases,
)

MAX_ORDINAL: Final = 2**31 - 1  # the largest integer of both databases
_ORDINALS: Final = 20_000
_COUNTED: Final = [episodes.c[name] for name in COUNTED]
_EPISODE: Final = [*(episodes.c[name] for name in EpisodeRow._fields), *_COUNTED]
_EXCHANGE: Final = [exchanges.c[name] for name in ExchangeRow._fields if name != "calls"]
_INNER: Final = [inner_exchanges.c[name] for name in InnerRow._fields if name != "calls"]
_JUDGEMENT: Final = [judgements.c[name] for name in Judgement._fields]


def _of_run(table: sa.Table, *columns: sa.ColumnElement[Any]) -> sa.Select[Any]:
    return sa.select(*columns).where(table.c.run == sa.bindparam("run_id"))


def _one(table: sa.Table, *columns: sa.ColumnElement[Any]) -> sa.Select[Any]:
    return _of_run(table, *columns).where(table.c.ordinal == sa.bindparam("at"))


def _each(table: sa.Table, *columns: sa.Column[Any]) -> sa.Select[Any]:
    # By a list, not a range: any number of unfinished episodes may lie between two ended ones.
    listed = table.c.ordinal.in_(sa.bindparam("ordinals", expanding=True))
    return _of_run(table, table.c.ordinal, *columns).where(listed)


# Built once: building a statement costs more than running it.
_EPISODE_AT: Final = _one(episodes, *_EPISODE)
_EPISODES_AFTER: Final = (
    _of_run(episodes, *_EPISODE)
    .where(episodes.c.ordinal > sa.bindparam("after"))
    .order_by(episodes.c.ordinal)
    .limit(sa.bindparam("count"))
)
_EPISODES_OF: Final = _of_run(episodes, *_EPISODE).where(
    episodes.c.ordinal.in_(sa.bindparam("ordinals", expanding=True))
)
_EXCHANGES_AT: Final = (
    _one(exchanges, *_EXCHANGE).where(exchanges.c.n > sa.bindparam("after")).order_by(exchanges.c.n)
)
_WITH_INNER: Final = _one(inner_exchanges, inner_exchanges.c.n).where(
    inner_exchanges.c.n > sa.bindparam("after")
)
_LAST_AT: Final = _one(exchanges, sa.func.max(exchanges.c.n))
_ASKED_AT: Final = (
    _one(asked, *(asked.c[name] for name in AskedRow._fields))
    .where(  # one that was answered while its process died is no longer open
        ~sa.exists().where(
            exchanges.c.run == asked.c.run, exchanges.c.ordinal == asked.c.ordinal, exchanges.c.n == asked.c.n
        )
    )
    .order_by(asked.c.n)
)
_EXCHANGES_OF_EACH: Final = _each(exchanges, *_EXCHANGE).order_by(exchanges.c.ordinal, exchanges.c.n)
_INNER_OF_EACH: Final = _each(inner_exchanges, *_INNER).order_by(inner_exchanges.c.ordinal)
_JUDGEMENTS_OF_EACH: Final = _each(judgements, *_JUDGEMENT[1:], judgements.c.judged)
_DONE_AFTER: Final = (
    _of_run(episodes, episodes.c.ordinal)
    .where(episodes.c.ordinal > sa.bindparam("after"))
    .order_by(episodes.c.ordinal)
    .limit(sa.bindparam("count"))
)
_DONE_BETWEEN: Final = _of_run(episodes, episodes.c.ordinal).where(
    episodes.c.ordinal.between(sa.bindparam("first"), sa.bindparam("last"))
)
_BEGUN_BETWEEN: Final = sa.union(
    *(
        _of_run(table, table.c.ordinal)
        .where(table.c.ordinal.between(sa.bindparam("first"), sa.bindparam("last")))
        .distinct()
        for table in (exchanges, inner_exchanges)
    )
)


def ended_of(run: sa.ColumnElement[int] | int) -> sa.ScalarSelect[int]:
    """The number of a run's ended episodes, which triggers keep: nothing is counted."""
    total = sa.func.coalesce(sa.func.sum(episode_counts.c.ended), 0)
    return sa.select(total).where(episode_counts.c.run == run).scalar_subquery()


def episode(connection: Connection, run_id: int, ordinal: int) -> EpisodeRow | None:
    """One ended episode."""
    row = connection.execute(_EPISODE_AT, {"run_id": run_id, "at": ordinal}).first()
    return None if row is None else _episode(row)


def episodes_after(connection: Connection, run_id: int, after: int, count: int) -> list[EpisodeRow]:
    """The next ended episodes in order."""
    given = {"run_id": run_id, "after": after, "count": count}
    return [_episode(row) for row in connection.execute(_EPISODES_AFTER, given)]


def episodes_at(connection: Connection, run_id: int, ordinals: Sequence[int]) -> dict[int, EpisodeRow]:
    """Those of some episodes that have ended, by ordinal."""
    rows = connection.execute(_EPISODES_OF, {"run_id": run_id, "ordinals": ordinals})
    return {row.ordinal: _episode(row) for row in rows}


def exchanges_of(connection: Connection, run_id: int, ordinal: int, after: int = -1) -> list[ExchangeRow]:
    """One episode's exchanges after `after`, in order."""
    rows = connection.execute(_EXCHANGES_AT, {"run_id": run_id, "at": ordinal, "after": after})
    return [ExchangeRow(*row) for row in rows]


def last_exchange(connection: Connection, run_id: int, ordinal: int) -> int:
    """The number of an episode's last exchange; 0 if there is none."""
    return connection.execute(_LAST_AT, {"run_id": run_id, "at": ordinal}).scalar() or 0


def exchanges_with_inner(connection: Connection, run_id: int, ordinal: int, after: int = 0) -> frozenset[int]:
    """The exchanges after `after` in which a player asked others inside it."""
    given = {"run_id": run_id, "at": ordinal, "after": after}
    return frozenset(connection.execute(_WITH_INNER, given).scalars())


def asked_of(connection: Connection, run_id: int, ordinal: int) -> list[AskedRow]:
    """One episode's open questions in order."""
    rows = connection.execute(_ASKED_AT, {"run_id": run_id, "at": ordinal})
    return [AskedRow(*row) for row in rows]


def exchanges_of_each(
    connection: Connection, run_id: int, ordinals: Sequence[int]
) -> dict[int, list[ExchangeRow]]:
    """Several episodes' exchanges in order, by ordinal."""
    rows = connection.execute(_EXCHANGES_OF_EACH, {"run_id": run_id, "ordinals": ordinals})
    return {at: [ExchangeRow(*row[1:]) for row in each] for at, each in groupby(rows, itemgetter(0))}


def inner_of_each(connection: Connection, run_id: int, ordinals: Sequence[int]) -> dict[int, list[InnerRow]]:
    """Several episodes' inner exchanges in order, by ordinal."""
    rows = connection.execute(_INNER_OF_EACH, {"run_id": run_id, "ordinals": ordinals})
    return {
        at: sorted((InnerRow(*row[1:]) for row in each), key=lambda row: row.number)
        for at, each in groupby(rows, itemgetter(0))
    }


def judgements_of_each(
    connection: Connection, run_id: int, ordinals: Sequence[int], *, earlier: bool = False
) -> dict[int, tuple[Judgement, ...]]:
    """Several episodes' judgements by ordinal, sorted by grader: each grader's latest, or with `earlier` also
    those of its other versions, the latest last."""
    rows = connection.execute(_JUDGEMENTS_OF_EACH, {"run_id": run_id, "ordinals": ordinals})
    # Sorted here, because databases differ about the order of text.
    by_age = sorted(rows, key=lambda row: (row[0], row[1], row[4] or 0.0, row[2]))
    judgements = [Judgement(*row[:4]) for row in by_age]
    if not earlier:
        judgements = list({(one.ordinal, one.grader): one for one in judgements}.values())
    return {at: tuple(each) for at, each in groupby(judgements, itemgetter(0))}


def done_after(connection: Connection, run_id: int, after: int, count: int) -> Sequence[int]:
    """The ordinals of the next ended episodes."""
    given = {"run_id": run_id, "after": after, "count": count}
    return connection.execute(_DONE_AFTER, given).scalars().all()


def done(connection: Connection, run_id: int) -> Ordinals:
    """The ordinals of the ended episodes."""
    ordinals = Ordinals()
    page: Sequence[int] = [-1]
    while page:
        page = done_after(connection, run_id, page[-1], _ORDINALS)
        for each in page:
            ordinals.add(each)
    return ordinals


def partial(connection: Connection, run_id: int) -> set[int]:
    """The ordinals of episodes that have exchanges but have not ended."""
    result = set[int]()
    # Only gaps between ended episodes are read: the exchanges of ended ones may be gigabytes.
    for first, last in done(connection, run_id).gaps():
        result.update(begun_between(connection, run_id, first, MAX_ORDINAL if last is None else last))
    return result


def done_between(connection: Connection, run_id: int, first: int, last: int) -> Sequence[int]:
    """The ordinals of the ended episodes from `first` to `last`."""
    given = {"run_id": run_id, "first": first, "last": last}
    return connection.execute(_DONE_BETWEEN, given).scalars().all()


def begun_between(connection: Connection, run_id: int, first: int, last: int) -> Sequence[int]:
    """The ordinals from `first` to `last` that have any recorded exchange."""
    given = {"run_id": run_id, "first": first, "last": last}
    return connection.execute(_BEGUN_BETWEEN, given).scalars().all()


def keep(connection: Connection, run_id: int, planned: int, part: KeptPart) -> None:
    """Start every planned episode of a run with the kept exchanges, in the connection's transaction.

    The rows are copies owned by the run: its parent may be deleted.
    """
    connection.execute(sa.insert(run_cases).values(run=run_id, hash=part.case))
    for table in (exchanges, inner_exchanges, calls):
        copy = _copy(table, run_id, part)
        for ordinal in range(planned):
            connection.execute(copy, {"target": ordinal})


def _copy(table: sa.Table, run_id: int, part: KeptPart) -> sa.Insert:
    names = [column.name for column in table.columns]
    target = sa.bindparam("target", type_=sa.Integer)
    given = {"run": sa.literal(run_id).label("run"), "ordinal": target.label("ordinal")}
    source = sa.select(*(given.get(name, table.c[name]) for name in names)).where(
        table.c.run == part.run, table.c.ordinal == part.ordinal, table.c.n <= part.at
    )
    return sa.insert(table).from_select(names, source)


def _episode(row: sa.Row[Any]) -> EpisodeRow:
    result = EpisodeRow(*row[: -len(COUNTED)])
    held = dict(zip(COUNTED, row[-len(COUNTED) :], strict=True))
    return result._replace(
        status=Status(result.status), counts=json.loads(row.counts) if row.counts else held
    )
