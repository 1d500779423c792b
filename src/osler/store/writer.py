"""The buffered writer for a run in progress: rows are buffered and committed together (group commit).

All callers of `flush` in the same turn of the event loop share one transaction. The buffer is cleared only
after a successful commit, and writes are idempotent, so after a failure, even one with an unknown outcome, it
is enough to flush again.
"""

from __future__ import annotations

import asyncio
import json
import time
import zlib
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from types import TracebackType
from typing import Any, Final, NamedTuple, Self

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import Connection, Dialect, Engine
from sqlalchemy.exc import SQLAlchemyError

from osler.core.trace import AskedRow, ExchangeRow, InnerRow, Outcome
from osler.errors import InfrastructureFault
from osler.store.connect import WRITES, explain
from osler.store.leases import still_ours, taken_over
from osler.store.records import COUNTED, has_more
from osler.store.schema import (
    asked,
    calls,
    cases,
    episodes,
    exchanges,
    inner_exchanges,
    judgements,
    run_cases,
    scores,
    storable,
)
from osler.store.scores import rows_of

AUTO_FLUSH_ROWS: Final = 2000
CHANNEL: Final = "osler"
"""PostgreSQL's channel on which a committed run is announced, by its id."""

ANNOUNCED_S: Final = 0.05
"""The least time between two announcements of a run; whoever listens looks again that long after one."""

TOGETHER_S: Final = 0.1
"""The time for which open questions wait to be committed with the answers to others."""
_SEEN_CASES: Final = 10_000
_Row = tuple[Any, ...]  # the columns' values in the table's order, texts already `storable`


Also = Callable[[Connection], None]
"""What is done in the transaction of every commit."""


class Committed(NamedTuple):
    """A commit of a run in play: the episodes with new exchanges or questions, and those that ended."""

    run: int
    ordinals: frozenset[int]
    ended: frozenset[int]


class Writer:
    """A writer for one run. For one event loop (or none: the buffering calls and `close` are synchronous).

    With a lease `token` it writes nothing once that registration has been taken over. With `keep_prompts` the
    messages of every call to a model are stored; otherwise only a hash of them is. `also` is done in the
    transaction of every commit.
    """

    def __init__(
        self,
        engine: Engine,
        label: str,
        run_id: int,
        token: int | None = None,
        *,
        keep_prompts: bool = False,
        also: Also | None = None,
        listeners: Sequence[Callable[[Committed], None]] = (),
    ) -> None:
        self._also, self._listeners = also, listeners
        self._engine = engine.execution_options(**{WRITES: True})
        self._label, self._run, self._token = label, run_id, token
        # Parents before children: judgements refer to episodes, and the use of a case to the case.
        tables = (cases, run_cases, calls, inner_exchanges, exchanges, episodes, judgements, scores)
        self._buffers: dict[str, list[_Row]] = {table.name: [] for table in tables}
        self._inserts = {table.name: _BulkInsert(table, engine.dialect) for table in tables}
        self._cases, self._uses = self._buffers["cases"], self._buffers["run_cases"]
        self._exchanges, self._episodes = self._buffers["exchanges"], self._buffers["episodes"]
        self._judgements, self._inner = self._buffers["judgements"], self._buffers["inner_exchanges"]
        self._calls, self._scores = self._buffers["calls"], self._buffers["scores"]
        self._asked: dict[tuple[int, int], AskedRow] = {}  # to be written; an answer replaces it
        self._shown: set[tuple[int, int]] = set()
        self._answered: list[tuple[int, int]] = []
        self._announced = 0.0
        self._left_out = () if keep_prompts else ("messages",)
        self._seen: dict[str, None] = {}
        self._flushing: asyncio.Future[None] | None = None
        self._soon: asyncio.TimerHandle | None = None

    def case(self, case_hash: str, body: str) -> None:
        """Buffer a case (its JSON text) the first time this writer meets it."""
        if case_hash in self._seen:
            return
        if len(self._seen) >= _SEEN_CASES:
            del self._seen[next(iter(self._seen))]  # the oldest; writing it again is harmless
        self._seen[case_hash] = None
        self._cases.append((case_hash, zlib.compress(body.encode("utf-8", "surrogatepass"), 1)))
        self._uses.append((case_hash, self._run))

    def asked(self, ordinal: int, row: AskedRow) -> None:
        """Buffer an open question. Its exchange, or the episode's end, removes it."""
        self._asked[ordinal, row.n] = row
        self._shown.add((ordinal, row.n))

    def exchange(self, ordinal: int, row: ExchangeRow) -> None:
        """Buffer an exchange; it is safe once `flush` has returned."""
        n, seat, request, events, reply, attempts, made = row
        if (ordinal, n) in self._shown:
            self._shown.remove((ordinal, n))
            self._asked.pop((ordinal, n), None)
            self._answered.append((ordinal, n))
        self._exchanges.append(
            (self._run, ordinal, n, seat, request, storable(events), storable(reply), storable(attempts))
        )
        if made:
            self._keep(ordinal, n, "", seat, made)
        if len(self._exchanges) >= AUTO_FLUSH_ROWS:
            self._commit()

    def inner(self, ordinal: int, row: InnerRow) -> None:
        """Buffer an inner exchange of a composite player; it is safe once `flush` has returned."""
        n, path, seat, *texts, made = row
        self._inner.append((self._run, ordinal, n, path, seat, *map(storable, texts)))
        if made:
            self._keep(ordinal, n, path, seat, made)
        if len(self._inner) >= AUTO_FLUSH_ROWS:
            self._commit()

    def _keep(self, ordinal: int, n: int, path: str, seat: str, made: Sequence[dict[str, Any]]) -> None:
        for at, call in enumerate(made, start=1):
            body = {name: value for name, value in call.items() if name not in self._left_out}
            if body.get("seat", seat) != seat:
                body["role"] = body["seat"]  # a second reader's, say, asked for this seat's reply
            body["seat"] = seat
            self._calls.append((self._run, ordinal, n, path, at, json.dumps(body)))

    def end(
        self,
        ordinal: int,
        key: str,
        case_hash: str,
        case_id: str,
        outcome: Outcome,
        judgements: Iterable[tuple[str, str, str]] = (),
        *,
        started: float | None = None,
    ) -> None:
        """Buffer an episode's end, committed together with its exchanges that are still buffered.

        `judgements` are (grader, version, body as JSON text); `started` is in seconds since 1970, UTC.
        """
        status, reason, minutes, exchanges, counts, tail = outcome
        turns, tests, cost = (counts.get(name, 0) for name in COUNTED)
        together = storable(json.dumps(dict(counts))) if has_more(counts) else None
        head = (self._run, ordinal, key, case_hash, storable(case_id), str(status), storable(reason))
        numbers = (turns, tests, minutes, cost, exchanges)
        now = time.time()
        self._episodes.append((*head, *numbers, storable(tail), started, now, together))
        for grader, version, body in judgements:
            judged = (self._run, ordinal, storable(grader), storable(version), storable(body), now)
            self._judgements.append(judged)
            self._scores.extend(rows_of(self._run, ordinal, grader, body))
        if len(self._exchanges) + len(self._episodes) >= AUTO_FLUSH_ROWS:
            self._commit()

    async def flush(self) -> None:
        """Return once everything buffered so far is committed; raises `InfrastructureFault` if that fails."""
        if self._flushing is None:
            loop = asyncio.get_running_loop()
            self._flushing = loop.create_future()
            # Not immediately: other tasks that are ready to run may have rows to add.
            loop.call_soon(self._flush_now, self._flushing)
        # One waiter's cancellation must not cancel the others' flush.
        await asyncio.shield(self._flushing)

    def flush_soon(self) -> None:
        """Have the open questions buffered so far committed: with what else is committed in a moment, or by
        themselves after it. If that fails, the commit of their answers meets the fault, too."""
        if self._soon is None:
            self._soon = asyncio.get_running_loop().call_later(TOGETHER_S, self._flush_asked)

    def close(self) -> None:
        """Commit what is left."""
        if self._soon is not None:
            self._soon.cancel()
            self._soon = None
        self._commit()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _flush_asked(self) -> None:
        self._soon = None
        if self._asked:
            with suppress(InfrastructureFault):
                self._commit()

    def _flush_now(self, waiters: asyncio.Future[None]) -> None:
        self._flushing = None
        try:
            self._commit()
        except BaseException as error:  # whatever it is, the waiters must see it
            waiters.set_exception(error)
        else:
            waiters.set_result(None)

    def _commit(self) -> None:
        if not (self._asked or any(self._buffers.values())):
            return
        try:
            with self._engine.begin() as connection:
                if self._token is not None and not still_ours(connection, self._token):
                    raise taken_over(self._label)
                self._write(connection)
                if self._also is not None:
                    self._also(connection)
        except SQLAlchemyError as error:
            what, hint = explain(error)
            raise InfrastructureFault(what, where=self._label, hint=hint) from error
        done = self._what_changed() if self._listeners else None
        for buffer in self._buffers.values():
            buffer.clear()
        self._asked.clear()
        self._answered.clear()
        if done:
            for heard in tuple(self._listeners):
                heard(done)

    def _what_changed(self) -> Committed:
        ended = frozenset(row[1] for row in self._episodes)
        exchanged = {row[1] for row in (*self._exchanges, *self._inner)}
        return Committed(self._run, ended | exchanged | {ordinal for ordinal, _ in self._asked}, ended)

    def _write(self, connection: Connection) -> None:
        # In one global order, so that two writers of the same cases cannot deadlock.
        self._cases.sort()
        self._uses.sort()
        for name, buffer in self._buffers.items():
            if buffer:
                self._inserts[name](connection, buffer)
        self._write_asked(connection)
        now = time.monotonic()
        if connection.dialect.name == "postgresql" and now - self._announced >= ANNOUNCED_S:
            self._announced = now
            connection.execute(_ANNOUNCE, {"channel": CHANNEL, "run": str(self._run)})

    def _write_asked(self, connection: Connection) -> None:
        if self._asked:
            rows = [
                {"run": self._run, "ordinal": at, **row._asdict()} for (at, _), row in self._asked.items()
            ]
            connection.execute(_ASKED[connection.dialect.name], rows)
        if self._answered:
            connection.execute(_ANSWERED, [{"of": self._run, "at": at, "the": n} for at, n in self._answered])
        if self._episodes:
            connection.execute(_OVER, {"of": self._run, "each": [row[1] for row in self._episodes]})


def _upsert(insert: sqlite.Insert | postgresql.Insert) -> sa.Insert:
    fresh = {name: insert.excluded[name] for name in ("seat", "request", "events", "since")}
    return insert.on_conflict_do_update(index_elements=["run", "ordinal", "n"], set_=fresh)


_ASKED: Final = {"sqlite": _upsert(sqlite.insert(asked)), "postgresql": _upsert(postgresql.insert(asked))}
_ANSWERED: Final = sa.delete(asked).where(
    asked.c.run == sa.bindparam("of"),
    asked.c.ordinal == sa.bindparam("at"),
    asked.c.n == sa.bindparam("the"),
)
_OVER: Final = sa.delete(asked).where(
    asked.c.run == sa.bindparam("of"), asked.c.ordinal.in_(sa.bindparam("each", expanding=True))
)
_ANNOUNCE: Final = sa.select(sa.func.pg_notify(sa.bindparam("channel"), sa.bindparam("run")))


class _BulkInsert:
    """A bulk insert into one table; rows whose primary key already exists are left unchanged.

    SQLite: the driver's own `executemany`, at two thirds of the cost of Core's. PostgreSQL: all rows in one
    JSON argument, at a third of the client's time and three quarters of the wall time of row by row.
    """

    def __init__(self, table: sa.Table, dialect: Dialect) -> None:
        self._names = [column.name for column in table.columns]
        self._by_row, self._at_once = "", _from_json(table)
        if dialect.name == "sqlite":
            self._by_row = str(sqlite.insert(table).on_conflict_do_nothing().compile(dialect=dialect))

    def __call__(self, connection: Connection, rows: Sequence[_Row]) -> None:
        """Insert the rows in the connection's transaction."""
        if self._by_row:
            connection.exec_driver_sql(self._by_row, list(rows))
            return
        records = [dict(zip(self._names, row, strict=True)) for row in rows]
        text = json.dumps(records, ensure_ascii=False, default=_hex)
        connection.execute(self._at_once, {"rows": text})


def _from_json(table: sa.Table) -> sa.Insert:
    # Texts are already `storable`; treating the columns as plain text avoids encoding them twice.
    plain = [
        sa.column(c.name, sa.Text() if isinstance(c.type, sa.TypeDecorator) else c.type)
        for c in table.columns
    ]
    fresh = sa.func.json_to_recordset(sa.cast(sa.bindparam("rows", type_=sa.Text), postgresql.JSON))
    every = sa.select(*fresh.table_valued(*plain, name="fresh").render_derived(with_types=True).c)
    return postgresql.insert(table).from_select([c.name for c in plain], every).on_conflict_do_nothing()


def _hex(value: bytes) -> str:
    return f"\\x{value.hex()}"  # how PostgreSQL reads bytes
