"""The rates of endpoints, kept in one row each for all processes that use a store.

The statement is `osler.models.rates.take` in SQL, with the server's clock (SQLite: this machine's).
"""

from __future__ import annotations

import asyncio
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import Connection, Engine

from osler.models.config import Endpoint
from osler.models.rates import RECOVERY_S, SLOWEST, Chunk
from osler.store.connect import WRITES
from osler.store.leases import clock, faults
from osler.store.schema import rate_limits

_FURTHEST_S: Final = 3600.0
"""Nothing is given away for longer than this: a row that says so was written before a clock was set back."""


class SharedBucket:
    """The bucket of an endpoint's rates (`osler.models.rates.Bucket`), shared through the store. Its
    statements run in threads. Raises InfrastructureFault if the store cannot be reached or its row makes no
    sense."""

    def __init__(self, engine: Engine, label: str, endpoint: Endpoint) -> None:
        self._sqlite = engine.dialect.name == "sqlite"
        self.chunk_s, self.cap_s = (0.5, 1.0) if self._sqlite else (0.25, 0.5)
        options: dict[str, Any] = {WRITES: True} if self._sqlite else {"isolation_level": "AUTOCOMMIT"}
        self._engine, self._label = engine.execution_options(**options), label
        self._account = endpoint.account

    async def take(self, requests_s: float, tokens_s: float) -> Chunk:
        """Take requests and tokens worth so many seconds of the full rate."""
        return await asyncio.to_thread(self.take_now, requests_s, tokens_s)

    async def slow(self, epoch: int) -> None:
        """Halve the rate, unless that was done since `epoch`."""
        await asyncio.to_thread(self.slow_now, epoch)

    def take_now(self, requests_s: float, tokens_s: float) -> Chunk:
        """The same as `take`, in this thread."""
        with faults(self._label), self._engine.begin() as connection:
            now = clock(connection)
            statement = self._taking(connection, now, requests_s, tokens_s)
            row = connection.execute(statement).first()
            if row is None:
                self._create(connection, now)
                row = connection.execute(statement).one()
        return Chunk(max(0.0, row.requests, row.tokens), row.epoch)

    def slow_now(self, epoch: int) -> None:
        """The same as `slow`, in this thread."""
        columns = rate_limits.c
        with faults(self._label), self._engine.begin() as connection:
            now = clock(connection)
            half = self._most(SLOWEST, self._factor(now) / 2)
            here = (columns.account == self._account, columns.epoch == epoch)
            values = {"factor": half, "since": now, "epoch": epoch + 1}
            connection.execute(sa.update(rate_limits).where(*here).values(values))

    def _taking(
        self, connection: Connection, now: sa.ColumnElement[float], requests_s: float, tokens_s: float
    ) -> Any:
        def until(column: sa.Column[float], seconds: float) -> sa.ColumnElement[float]:
            given = sa.case((column <= now + _FURTHEST_S, column), else_=now)
            return self._most(given, now - self.cap_s) + sa.literal(seconds, sa.Double) / self._factor(now)

        columns = rate_limits.c
        statement = sa.update(rate_limits).where(columns.account == self._account)
        statement = statement.values(
            requests_until=until(columns.requests_until, requests_s),
            tokens_until=until(columns.tokens_until, tokens_s),
        )
        if not self._sqlite:
            # What a crash of the server would lose is less than a second's leave; a commit need not wait.
            quick = sa.func.set_config("synchronous_commit", "off", sa.true())
            statement = statement.where(quick == "off")
        return statement.returning(
            (columns.requests_until - now).label("requests"),
            (columns.tokens_until - now).label("tokens"),
            columns.epoch,
        )

    def _create(self, connection: Connection, now: sa.ColumnElement[float]) -> None:
        put = sqlite.insert if self._sqlite else postgresql.insert
        empty = {"requests_until": now, "tokens_until": now, "factor": 1.0, "since": now, "epoch": 0}
        connection.execute(put(rate_limits).values(account=self._account, **empty).on_conflict_do_nothing())

    def _factor(self, now: sa.ColumnElement[float]) -> sa.ColumnElement[float]:
        passed = self._most(now - rate_limits.c.since, 0.0)
        return self._least(rate_limits.c.factor + passed / RECOVERY_S, 1.0)

    def _most(self, one: Any, other: Any) -> sa.ColumnElement[float]:
        return (sa.func.max if self._sqlite else sa.func.greatest)(one, other, type_=sa.Double)

    def _least(self, one: Any, other: Any) -> sa.ColumnElement[float]:
        return (sa.func.min if self._sqlite else sa.func.least)(one, other, type_=sa.Double)
