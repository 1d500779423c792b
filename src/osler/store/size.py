"""The bytes that runs take, estimated from a sample of their episodes; and giving freed space back."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final, NamedTuple

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from osler.core.trace import Trace
from osler.store.backup import bytes_of
from osler.store.connect import address
from osler.store.records import RunInfo
from osler.store.schema import (
    calls,
    cases,
    episodes,
    exchanges,
    inner_exchanges,
    judge_calls,
    judgements,
    run_cases,
)
from osler.store.store import Store

SAMPLE: Final = 200

ROW: Final = 24
"""Bytes of a row besides its texts: its key, its numbers and page overhead."""

PAGES: Final = 1.15
"""Bytes of database pages per byte of row data, indexes included."""


class Size(NamedTuple):
    """The approximate size of a run in bytes; `cases` counts those that no other run needs."""

    episodes: int
    cases: int

    @property
    def total(self) -> int:
        return self.episodes + self.cases


def run_size(store: Store, run: RunInfo) -> Size:
    """The bytes that deleting the run would free, from at most SAMPLE evenly spaced episodes."""
    step = max(1, -(-run.planned // SAMPLE))
    chosen = list(range(0, run.planned, step))
    with store.connected() as connection:
        sampled, taken = 0, 0
        for table in (episodes, exchanges, inner_exchanges, calls, judgements, judge_calls):
            rows, length = _measure(connection, table, run.id, chosen)
            taken += length + rows * ROW
            sampled = rows if table is episodes else sampled
        bodies = _own_cases(connection, run.id)
    per_episode = taken / sampled if sampled else 0.0
    return Size(round(per_episode * run.done * PAGES), round(bodies * PAGES))


def episode_bytes(trace: Trace, judgement: str, hashes: str) -> int:
    """The bytes that one episode will take, from its content."""
    outcome = trace.outcome
    texts = [text for row in trace.rows for text in row[1:6]]
    texts += [text for row in trace.inner for text in row[1:8]]
    count = outcome.exchanges + len(trace.inner) + 2
    texts += [outcome.reason, outcome.tail, str(outcome.status), judgement, hashes]
    return round((sum(len(text.encode("utf-8", "surrogatepass")) for text in texts) + count * ROW) * PAGES)


def file_of(url: str | None) -> Path | None:
    """The file of an SQLite store, whether it exists or not; `None` for a store on a server.

    `url` is as `open_store` takes it.
    """
    result = address(url)
    return Path(result.database or "") if result.get_backend_name() == "sqlite" else None


def store_bytes(store: Store) -> int:
    """The size of the whole store on disk, in bytes."""
    file = file_of(store.label)
    if file:
        beside = (file, file.with_name(f"{file.name}-wal"))
        return sum(one.stat().st_size for one in beside if one.exists())
    with store.connected() as connection:
        return bytes_of(connection)


def _measure(connection: Connection, table: sa.Table, run_id: int, chosen: list[int]) -> tuple[int, int]:
    """The number of rows and the bytes of their texts, for the chosen episodes of a run."""
    texts = [column for column in table.columns if isinstance(column.type, sa.Text | sa.TypeDecorator)]
    length: Any = sum((_length(connection, column) for column in texts), sa.literal(0))
    query = sa.select(sa.func.count(), sa.func.coalesce(sa.func.sum(length), 0)).where(
        table.c.run == run_id, table.c.ordinal.in_(chosen)
    )
    rows, result = connection.execute(query).one()
    return rows, int(result)


def _length(connection: Connection, column: sa.Column[Any]) -> sa.ColumnElement[int]:
    if connection.dialect.name == "postgresql":
        return sa.func.octet_length(column)
    return sa.func.length(sa.cast(column, sa.LargeBinary))


def _own_cases(connection: Connection, run_id: int) -> int:
    """Bytes of the cases that only this run needs."""
    others = run_cases.alias()
    shared = sa.exists().where(others.c.hash == run_cases.c.hash, others.c.run != run_id)
    query = (
        sa.select(sa.func.coalesce(sa.func.sum(sa.func.length(cases.c.body) + ROW), 0))
        .select_from(run_cases.join(cases, cases.c.hash == run_cases.c.hash))
        .where(run_cases.c.run == run_id, ~shared)
    )
    return int(connection.execute(query).scalar_one())


def compact(store: Store) -> bool:
    """Compact an SQLite store's file; while it works, this needs as much disk space again. Return whether
    nothing that was deleted is left in the file or beside it: a reader may keep it there for a while.

    PostgreSQL does this by itself, so nothing is done there. Raises BadStore if others write to the file.
    """
    with store.connected() as connection:
        if connection.dialect.name != "sqlite":
            return False
        # VACUUM cannot run inside a transaction, and one has begun.
        for statement in ("COMMIT", "VACUUM"):
            connection.exec_driver_sql(statement)
        busy, *_ = connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)").one()
        return not busy
