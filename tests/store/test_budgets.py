"""A budget kept in the store: chunks that shrink, the dead's part freed, nothing overdrawn."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from random import Random

import pytest
import sqlalchemy as sa
from hypothesis import given
from hypothesis import strategies as st

from osler.errors import InfrastructureFault
from osler.models.budget import Amounts, Budget, BudgetPaused, Estimate, Ledger, Limits
from osler.models.config import Endpoint
from osler.models.types import Usage
from osler.store.budgets import CHUNK, Share, reserved
from osler.store.leases import Leases
from osler.store.schema import budgets
from osler.store.store import Store
from tests.store import samples
from tests.store.test_leases import run_out

PRICED = Endpoint(name="e", base_url="http://h/v1", model="m", price_in=1.0, price_out=1.0)
CALL = Estimate(90, 10)


class Worker:
    """A worker with a budget: it makes calls of 100 tokens, one after another, as long as it may."""

    def __init__(self, store: Store, claims: Leases, run_id: int, limits: Limits, used: float = 0) -> None:
        self.store, self.claims, self.run_id = store, claims, run_id
        self.ledger = Ledger()
        self.budget = Budget(limits, self.ledger)
        self.purse = store.shared_budget(run_id, claims.token, lambda: Amounts(used, used / 1e6))
        self.purse.spent = self.budget.spent_here
        self.budget.share(self.purse)

    async def call(self) -> None:
        await self.budget.cover(PRICED, CALL)
        held = self.budget.reserve(PRICED, CALL)
        await asyncio.sleep(0)
        self.ledger.charge("doctor", PRICED, Usage(prompt_tokens=90, completion_tokens=10), CALL)
        self.budget.release(held)

    async def calls(self, most: int = 10**6) -> BudgetPaused | None:
        for _ in range(most):
            try:
                await self.call()
            except BudgetPaused as paused:
                return paused
        return None

    def commit(self) -> None:
        with self.store.writing() as connection:
            self.purse.settle(connection)


@given(
    st.lists(st.tuples(st.booleans(), st.integers(0, 200), st.integers(0, 200)), min_size=1, max_size=6),
    st.integers(0, 1000),
    st.integers(0, 50),
    st.integers(1, 50),
)
def test_a_reservation_is_enough_and_never_more_than_is_left(
    rows: list[tuple[bool, int, int]], limit: int, under_way: int, wanted: int
) -> None:
    shares = [
        Share(at, alive or at == 0, Amounts(held, 0.0), Amounts(spent, 0.0))
        for at, (alive, held, spent) in enumerate(rows)
    ]
    limits, here, one = Limits(tokens=limit), Amounts(under_way, 0.0), Amounts(wanted, 0.0)
    spent = sum(share.spent.tokens for share in shares)
    others = sum(share.open.tokens for share in shares[1:])
    fits = spent + others + under_way + wanted <= limit
    try:
        held = reserved(shares, 0, limits, here, one)
    except BudgetPaused:
        assert not fits
        return
    assert fits
    ours = shares[0]._replace(held=held)
    assert ours.open.tokens >= under_way + wanted
    assert spent + others + ours.open.tokens <= max(limit, spent + others + shares[0].open.tokens) + 1e-9
    assert ours.held.tokens - max(*shares[0].held[:1], *shares[0].spent[:1]) <= max(
        CHUNK * limit, 20 * wanted, under_way + wanted
    )


@pytest.mark.parametrize("limits", [Limits(tokens=10_050), Limits(money=0.010_05)])
def test_alone_a_worker_may_spend_what_one_process_may(store: Store, limits: Limits) -> None:
    run = store.begin_run(None, {}, 15)
    with store.claims(run.id) as claims:
        worker = Worker(store, claims, run.id, limits)
        paused = asyncio.run(worker.calls())
        assert worker.ledger.total.calls == 100
        alone = Budget(limits, worker.ledger)
        with pytest.raises(BudgetPaused) as expected:
            alone.reserve(PRICED, CALL)
        assert paused is not None
        assert (str(paused), paused.enough) == (str(expected.value), expected.value.enough)


def test_together_workers_spend_nearly_all_and_no_more_and_each_pauses(store: Store) -> None:
    run = store.begin_run(None, {}, 15)
    limits = Limits(tokens=100_000)
    with store.claims(run.id) as one, store.claims(run.id) as two, store.claims(run.id) as three:
        workers = [Worker(store, claims, run.id, limits) for claims in (one, two, three)]
        with ThreadPoolExecutor(3) as pool:
            ends = list(pool.map(lambda worker: asyncio.run(worker.calls()), workers))
        assert [end.limit for end in ends if end] == ["tokens"] * 3
        total = sum(worker.ledger.total.tokens for worker in workers)
        assert 0.95 * 100_000 <= total <= 100_000


def test_calls_at_once_are_all_covered(store: Store) -> None:
    run = store.begin_run(None, {}, 15)
    with store.claims(run.id) as claims:
        worker = Worker(store, claims, run.id, Limits(tokens=2_000))

        async def many() -> list[BaseException | None]:
            return await asyncio.gather(*(worker.call() for _ in range(50)), return_exceptions=True)

        ends = asyncio.run(many())
        assert sum(end is None for end in ends) == worker.ledger.total.calls <= 20
        assert {type(end) for end in ends} == {type(None), BudgetPaused}


def test_what_a_dead_worker_reserved_is_free_and_what_it_had_committed_stays_spent(store: Store) -> None:
    run = store.begin_run(None, {}, 15)
    limits = Limits(tokens=1_000)
    with store.claims(run.id) as dead, store.claims(run.id) as other:
        gone, left = Worker(store, dead, run.id, limits), Worker(store, other, run.id, limits)
        asyncio.run(gone.calls(2))
        gone.commit()
        run_out(store, dead.token)
        asyncio.run(left.calls())
        assert left.ledger.total.tokens == 800, "200 are spent, and nothing is reserved any more"
        with pytest.raises(InfrastructureFault, match="taken over"):
            asyncio.run(gone.calls())


@pytest.mark.parametrize("seed", range(3))
def test_killed_again_and_again_workers_overdraw_by_no_more_than_was_not_committed(
    store: Store, seed: int
) -> None:
    run, chance, limits = store.begin_run(None, {}, 15), Random(seed), Limits(tokens=20_000)
    spent = forgotten = 0.0
    with store.claims(run.id) as other:
        left = Worker(store, other, run.id, limits)
        for _ in range(12):
            with store.claims(run.id) as claims:
                worker = Worker(store, claims, run.id, limits)
                asyncio.run(worker.calls(chance.randrange(4)))
                worker.commit()
                asyncio.run(worker.calls(chance.randrange(3)))  # answered, and killed before the commit
                forgotten += worker.ledger.total.tokens - worker_row(store, claims.token).spent.tokens
                spent += worker.ledger.total.tokens
            asyncio.run(left.calls(2))
        asyncio.run(left.calls())
        spent += left.ledger.total.tokens
        assert 0.95 * 20_000 <= spent <= 20_000 + forgotten


def worker_row(store: Store, token: int) -> Share:
    with store.connected() as connection:
        row = connection.execute(sa.select(budgets).where(budgets.c.worker == token)).one()
    return Share(
        token, True, Amounts(row.tokens_held, row.money_held), Amounts(row.tokens_spent, row.money_spent)
    )


def test_what_was_recorded_before_counts_once_however_many_join(store: Store) -> None:
    run = store.begin_run(None, {}, 15)
    limits = Limits(tokens=1_000)
    with store.claims(run.id) as one, store.claims(run.id) as two:
        first = Worker(store, one, run.id, limits, used=500)
        asyncio.run(first.calls(2))
        first.commit()
        second = Worker(store, two, run.id, limits, used=700)  # its reading holds what the first has spent
        asyncio.run(second.calls())
        asyncio.run(first.calls())
        assert first.ledger.total.tokens + second.ledger.total.tokens == 500
    with store.claims(run.id) as later:
        again = Worker(store, later, run.id, Limits(tokens=1_500), used=900)
        assert asyncio.run(again.calls()) is not None
        assert again.ledger.total.tokens == 600, "a new sitting counts what is recorded, and a raised limit"


def test_who_comes_between_reading_and_joining_is_not_forgotten(store: Store) -> None:
    run = store.begin_run(None, {}, 15)
    readings = list[float]()

    def recorded() -> Amounts:
        if not readings:  # meanwhile another comes, spends and goes
            with store.claims(run.id) as claims:
                quick = Worker(store, claims, run.id, Limits(tokens=1_000))
                asyncio.run(quick.calls(3))
                quick.commit()
        readings.append(300.0 * len(readings))
        return Amounts(readings[-1], 0.0)

    with store.claims(run.id) as claims:
        store.shared_budget(run.id, claims.token, recorded)
        assert readings == [0.0, 300.0]
        assert worker_row(store, 0).spent.tokens == 300


def test_spending_is_written_with_what_is_recorded(store: Store) -> None:
    run = store.begin_run(None, {}, 15)
    with store.claims(run.id) as claims:
        worker = Worker(store, claims, run.id, Limits(tokens=1_000))
        writer = store.writer(run.id, claims.token, also=worker.purse.settle)
        asyncio.run(worker.calls(2))
        assert worker_row(store, claims.token).spent.tokens == 0
        writer.exchange(0, samples.exchange(1))
        writer.close()
        assert worker_row(store, claims.token).spent.tokens == 200
        asyncio.run(worker.calls(1))
        worker.purse.leave()
        assert worker_row(store, claims.token).spent.tokens == 300


def damages() -> list[Callable[[], sa.Update | sa.Delete]]:
    return [
        lambda: sa.delete(budgets),
        lambda: sa.update(budgets).values(tokens_spent=-5.0),
        lambda: sa.update(budgets).values(tokens_held=sa.literal(float("inf"))),
    ]


@pytest.mark.parametrize("damage", damages(), ids=["no row", "negative", "infinite"])
def test_a_damaged_row_is_a_fault_and_nothing_is_spent(
    store: Store, damage: Callable[[], sa.Update | sa.Delete]
) -> None:
    run = store.begin_run(None, {}, 15)
    with store.claims(run.id) as claims:
        worker = Worker(store, claims, run.id, Limits(tokens=1_000))
        with store.writing() as connection:
            connection.execute(damage())
        with pytest.raises(InfrastructureFault, match="row of the run's budget"):
            asyncio.run(worker.call())
        assert worker.ledger.total.calls == 0


def test_a_deleted_run_leaves_nothing(store: Store) -> None:
    run = store.begin_run("gone", {}, 15)
    with store.claims(run.id) as claims:
        Worker(store, claims, run.id, Limits(tokens=1_000))
    store.delete_run("gone")
    with store.connected() as connection:
        assert not connection.execute(sa.select(budgets)).all()
