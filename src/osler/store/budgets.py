"""The budget of a run, spent by all its workers together.

A worker reserves a chunk, spends from it, and writes what it has spent with each of its commits, so that the
figure is as old as its record. A reservation counts as long as the worker's place exists: a dead worker's is
free once its place is taken away. What was spent before the first of the workers began is read from the
record, as for one process.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Engine

from osler.errors import InfrastructureFault
from osler.models.budget import Amounts, Limits, check_within
from osler.store.connect import WRITES
from osler.store.leases import faults, lock, still_ours, take_dead_away, taken_over
from osler.store.schema import budgets, workers

CHUNK: Final = 0.01
"""The share of a budget that is reserved at once,"""
CALLS: Final = 20
"""or what is enough for so many requests, if that is more."""
_RECORDED: Final = 0  # the worker of the row that holds what was recorded before


class Share(NamedTuple):
    """A worker's row: all that it has reserved, and what it has spent of that; of one whose place is gone,
    only what it has spent counts."""

    worker: int
    alive: bool
    held: Amounts
    spent: Amounts

    @property
    def open(self) -> Amounts:
        """The amounts reserved and not spent."""
        tokens, money = (max(0.0, held - spent) for held, spent in zip(self.held, self.spent, strict=True))
        return Amounts(tokens, money) if self.alive else Amounts()


def reserved(
    shares: Sequence[Share], ours: int, limits: Limits, under_way: Amounts, wanted: Amounts
) -> Amounts:
    """Return how much our worker has reserved after reserving at least enough for what is under way and
    wanted: a chunk, but where little is left, no more than half of an equal share of that. Raises
    BudgetPaused if it is not there."""
    mine = next(share for share in shares if share.worker == ours)
    others = [share for share in shares if share is not mine]
    spent = _sum(share.spent for share in shares)
    check_within(limits, spent, _sum((under_way, *(share.open for share in others))), wanted)
    taken = _sum((spent, *(share.open for share in shares)))
    sharers = sum(share.alive for share in shares)
    amounts = []
    for what, limit in enumerate((limits.tokens, limits.money)):
        before = max(mine.held[what], mine.spent[what])
        if limit is None:
            amounts.append(before)
            continue
        lacking = max(0.0, under_way[what] + wanted[what] - mine.open[what])
        chunk = min(max(CHUNK * limit, CALLS * wanted[what]), (limit - taken[what]) / (2 * sharers))
        amounts.append(before + max(lacking, chunk))
    return Amounts(*amounts)


class SharedBudget:
    """A worker's part in the budget of its run (`osler.models.budget.Purse`). `recorded` reads what the
    record of the run has used so far; `spent` tells what this worker has spent.

    Raises InfrastructureFault if the store cannot be reached, its rows make no sense, or the worker's place
    was taken over.
    """

    def __init__(
        self, engine: Engine, label: str, run_id: int, token: int, recorded: Callable[[], Amounts]
    ) -> None:
        self._engine, self._label = engine.execution_options(**{WRITES: True}), label
        self._run, self._token = run_id, token
        self.spent: Callable[[], Amounts] = Amounts
        self._seen = set[int]()
        before: set[int] | None = None
        amounts = Amounts()
        while not self._joined(before, amounts):
            before = self._seen
            amounts = recorded()

    async def reserve(self, limits: Limits, spent: Amounts, under_way: Amounts, wanted: Amounts) -> Amounts:
        """See `Purse`. The transaction runs in a thread."""
        return await asyncio.to_thread(self.reserve_now, limits, spent, under_way, wanted)

    def reserve_now(self, limits: Limits, spent: Amounts, under_way: Amounts, wanted: Amounts) -> Amounts:
        """The same as `reserve`, in this thread."""
        with faults(self._label), self._engine.begin() as connection:
            self._begin(connection)
            shares = self._shares(connection)
            mine = next((share for share in shares if share.worker == self._token), None)
            if mine is None:
                raise self._damaged("is missing")
            spent = Amounts(*map(max, mine.spent, spent))  # a commit in the meantime has told of more
            shares = [share._replace(spent=spent) if share is mine else share for share in shares]
            amounts = reserved(shares, self._token, limits, under_way, wanted)
            connection.execute(self._ours().values(tokens_held=amounts.tokens, money_held=amounts.money))
            return amounts

    def settle(self, connection: Connection) -> None:
        """Write what this worker has spent, in the transaction of a commit."""
        spent = self.spent()
        values = {"tokens_spent": spent.tokens, "money_spent": spent.money}
        if connection.execute(self._ours().values(values)).rowcount != 1:
            raise self._damaged("is missing")

    def leave(self) -> None:
        """Write what this worker has spent in the end."""
        with faults(self._label), self._engine.begin() as connection:
            if still_ours(connection, self._token):
                self.settle(connection)

    def _joined(self, before: set[int] | None, amounts: Amounts) -> bool:
        """Add our row: beside those of others who are spending; or, if no one is and no row has come since
        those of `before` were seen, in place of them, with what was recorded."""
        with faults(self._label), self._engine.begin() as connection:
            self._begin(connection)
            shares = self._shares(connection)
            self._seen = {share.worker for share in shares}
            if not any(share.alive for share in shares):
                if before != self._seen:
                    return False
                connection.execute(sa.delete(budgets).where(budgets.c.run == self._run))
                self._put(connection, _RECORDED, amounts)
            self._put(connection, self._token, Amounts())
        return True

    def _begin(self, connection: Connection) -> None:
        """Let no one else reserve, and free what the dead have reserved."""
        lock(connection, self._run)
        if not still_ours(connection, self._token):
            raise taken_over(self._label)
        take_dead_away(connection, self._label, self._run, self._token)

    def _put(self, connection: Connection, worker: int, spent: Amounts) -> None:
        row = {"run": self._run, "worker": worker, "tokens_held": 0.0, "money_held": 0.0}
        row |= {"tokens_spent": float(spent.tokens), "money_spent": spent.money}
        connection.execute(sa.insert(budgets).values(row))

    def _shares(self, connection: Connection) -> list[Share]:
        alive = sa.exists().where(workers.c.id == budgets.c.worker, workers.c.run == self._run)
        query = sa.select(budgets, alive.label("alive")).where(budgets.c.run == self._run)
        shares = [
            Share(
                row.worker,
                bool(row.alive),
                Amounts(row.tokens_held, row.money_held),
                Amounts(row.tokens_spent, row.money_spent),
            )
            for row in connection.execute(query)
        ]
        for share in shares:
            for number in (*share.held, *share.spent):
                if not isinstance(number, float) or not 0 <= number < math.inf:
                    raise self._damaged("is damaged")
        return shares

    def _ours(self) -> Any:
        return sa.update(budgets).where(budgets.c.run == self._run, budgets.c.worker == self._token)

    def _damaged(self, what: str) -> InfrastructureFault:
        return InfrastructureFault(
            f"a row of the run's budget {what}",
            where=self._label,
            hint="stop its other workers and resume: what was spent is then read from its record",
        )


def _sum(amounts: Any) -> Amounts:
    result = list(amounts)
    return Amounts(sum(one.tokens for one in result), sum(one.money for one in result))
