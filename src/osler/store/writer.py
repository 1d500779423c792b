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
from collections.abc import Iterable
from types import TracebackType
from typing import Final, Self

from sqlalchemy.engine import Connection, Engine
from sqlalchemy.exc import SQLAlchemyError

from osler.core.trace import ExchangeRow, InnerRow, Outcome
from osler.errors import InfrastructureFault
from osler.store.bulk import BulkInsert, Row
from osler.store.connect import WRITES
from osler.store.db_errors import explain
from osler.store.leases import still_ours, taken_over
from osler.store.records import COUNTED, has_more
from osler.store.schema import (
    cases,
    episodes,
    exchanges,
    inner_exchanges,
    judgements,
    run_cases,
)
from osler.store.text_encoding import storable

AUTO_FLUSH_ROWS: Final = 2000
_SEEN_CASES: Final = 10_000


class Writer:
    """A writer for one run. For one event loop (or none: the buffering calls and `close` are synchronous).

    With a lease `token` it writes nothing once that registration has been taken over.
    """

    def __init__(self, engine: Engine, label: str, run_id: int, token: int | None = None) -> None:
        self._engine = engine.execution_options(**{WRITES: True})
        self._label, self._run, self._token = label, run_id, token
        # Parents before children: judgements refer to episodes, and the use of a case to the case.
        tables = (cases, run_cases, inner_exchanges, exchanges, episodes, judgements)
        self._buffers: dict[str, list[Row]] = {table.name: [] for table in tables}
        self._inserts = {table.name: BulkInsert(table, engine.dialect) for table in tables}
        self._cases, self._uses = self._buffers["cases"], self._buffers["run_cases"]
        self._exchanges, self._episodes = self._buffers["exchanges"], self._buffers["episodes"]
        self._judgements, self._inner = self._buffers["judgements"], self._buffers["inner_exchanges"]
        self._seen: dict[str, None] = {}
        self._flushing: asyncio.Future[None] | None = None

    def case(self, case_hash: str, body: str) -> None:
        """Buffer a case (its JSON text) the first time this writer meets it."""
        if case_hash in self._seen:
            return
        if len(self._seen) >= _SEEN_CASES:
            del self._seen[next(iter(self._seen))]  # the oldest; writing it again is harmless
        self._seen[case_hash] = None
        self._cases.append((case_hash, zlib.compress(body.encode("utf-8", "surrogatepass"), 1)))
        self._uses.append((case_hash, self._run))

    def exchange(self, ordinal: int, row: ExchangeRow) -> None:
        """Buffer an exchange; it is safe once `flush` has returned."""
        n, seat, request, events, reply, attempts = row
        self._exchanges.append(
            (self._run, ordinal, n, seat, request, storable(events), storable(reply), storable(attempts))
        )
        if len(self._exchanges) >= AUTO_FLUSH_ROWS:
            self._commit()

    def inner(self, ordinal: int, row: InnerRow) -> None:
        """Buffer an inner exchange of a composite player; it is safe once `flush` has returned."""
        n, path, seat, *texts = row
        self._inner.append((self._run, ordinal, n, path, seat, *map(storable, texts)))
        if len(self._inner) >= AUTO_FLUSH_ROWS:
            self._commit()

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
        self._judgements.extend(
            (self._run, ordinal, storable(grader), storable(version), storable(body), now)
            for grader, version, body in judgements
        )
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

    def close(self) -> None:
        """Commit what is left."""
        self._commit()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _flush_now(self, waiters: asyncio.Future[None]) -> None:
        self._flushing = None
        try:
            self._commit()
        except BaseException as error:  # whatever it is, the waiters must see it
            waiters.set_exception(error)
        else:
            waiters.set_result(None)

    def _commit(self) -> None:
        if not any(self._buffers.values()):
            return
        try:
            with self._engine.begin() as connection:
                if self._token is not None and not still_ours(connection, self._token):
                    raise taken_over(self._label)
                self._write(connection)
        except SQLAlchemyError as error:
            what, mend = explain(error)
            raise InfrastructureFault(what, where=self._label, mend=mend) from error
        for buffer in self._buffers.values():
            buffer.clear()

    def _write(self, connection: Connection) -> None:
        # In one global order, so that two writers of the same cases cannot deadlock.
        self._cases.sort()
        self._uses.sort()
        for name, buffer in self._buffers.items():
            if buffer:
                self._inserts[name](connection, buffer)
