"""Rates kept in the store: the statement is the rule, many hold one limit, one congestion slows all."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import sqlalchemy as sa
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from osler.errors import InfrastructureFault
from osler.models import rates as rating
from osler.models.config import Endpoint, Rates
from osler.models.rates import Pacer, State
from osler.store import rates as sharing
from osler.store.rates import SharedBucket
from osler.store.schema import rate_limits
from osler.store.store import Store, open_store

ROOT = Path(__file__).parents[2]
PER_S = 200.0
ENDPOINT = Endpoint(name="e", base_url="http://h/v1", model="m", requests_per_minute=PER_S * 60)


def row_of(store: Store) -> State:
    with store.connected() as connection:
        return State(*connection.execute(sa.select(rate_limits)).one()[1:])


def change(store: Store, **values: object) -> None:
    with store.writing() as connection:
        connection.execute(sa.update(rate_limits).values(**values))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=10)
@given(
    st.lists(
        st.one_of(
            st.tuples(st.just("take"), st.floats(0, 3), st.floats(0, 3)),
            st.tuples(st.just("slow"), st.integers(0, 2), st.just(0)),
        ),
        max_size=12,
    ),
    st.floats(0.01, 5),
)
def test_the_statement_is_the_rule(
    store: Store, monkeypatch: pytest.MonkeyPatch, script: list[tuple[str, float, float]], later: float
) -> None:
    now = 1000.0
    monkeypatch.setattr(sharing, "clock", lambda connection: sa.literal(now, sa.Double))
    with store.writing() as connection:
        connection.execute(sa.delete(rate_limits))
    bucket = SharedBucket(store._engine, store.label, ENDPOINT)
    state = rating.fresh(now)
    bucket.take_now(0.0, 0.0)
    for what, requests, tokens in script:
        now += later
        if what == "take":
            taken = bucket.take_now(requests, tokens)
            state, expected = rating.take(state, now, requests, tokens, bucket.cap_s)
            assert taken.wait_s == pytest.approx(expected.wait_s, abs=1e-6)
            assert taken.epoch == expected.epoch
        else:
            bucket.slow_now(state.epoch - int(requests))
            state = rating.slowed(state, now, state.epoch - int(requests))
        assert row_of(store) == pytest.approx(state)


def granted_by(workers: int, seconds: float, take: Callable[[], SharedBucket]) -> int:
    """How many calls so many event loops, each in a thread of its own, let go in a time under full load."""

    async def work() -> int:
        pacer = Pacer(ENDPOINT.rates or Rates(), take())
        until, count = time.monotonic() + seconds, 0

        async def caller() -> None:
            nonlocal count
            while True:
                await pacer.admit()
                if time.monotonic() > until:
                    return
                count += 1
                await asyncio.sleep(0.02)

        await asyncio.gather(*(caller() for _ in range(24)))
        await pacer.close()
        return count

    with ThreadPoolExecutor(workers) as pool:
        return sum(pool.map(lambda _: asyncio.run(work()), range(workers)))


@pytest.mark.parametrize("workers", [1, 4])
def test_however_many_ask_no_more_is_granted_than_the_rate(store: Store, workers: int) -> None:
    began = time.monotonic()
    found = granted_by(workers, 0.8, lambda: store.shared_bucket(ENDPOINT))
    assert 0 < found <= PER_S * (time.monotonic() - began) + PER_S


WORKER = """
import asyncio, sys
from osler.models.config import Endpoint, Rates
from osler.store.store import open_store
from tests.store.test_rates import ENDPOINT, granted_by
with open_store(sys.argv[1]) as store:
    print("ready", flush=True)
    sys.stdin.readline()
    print(granted_by(1, float(sys.argv[2]), lambda: store.shared_bucket(ENDPOINT)))
"""


@pytest.mark.slow
def test_processes_hold_the_rate_together(url: str) -> None:
    seconds, workers = 3.0, 4
    with open_store(url) as store:
        store.shared_bucket(ENDPOINT).take_now(0, 0)
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", WORKER, url, str(seconds)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
        )
        for _ in range(workers)
    ]
    assert [one.stdout.readline() for one in processes if one.stdout] == ["ready\n"] * workers
    began = time.monotonic()
    for one in processes:
        assert one.stdin is not None
        one.stdin.write("\n")
        one.stdin.flush()
    total = sum(int(one.communicate(timeout=120)[0]) for one in processes)
    assert 0 < total <= PER_S * (time.monotonic() - began + 1)
    with open_store(url) as store:
        spent = row_of(store).requests_until
    assert spent <= time.time() + 5, "no one has taken far ahead"


def test_one_congestion_slows_all_once_and_the_next_slows_again(store: Store) -> None:
    one, two = (store.shared_bucket(ENDPOINT) for _ in range(2))
    sent = [bucket.take_now(0.0, 0.0).epoch for bucket in (one, two)]
    assert sent == [0, 0]
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda bucket: bucket.slow_now(0), [one, two] * 4))
    state = row_of(store)
    assert state.epoch == 1
    assert state.factor == pytest.approx(0.5, abs=0.01)
    assert two.take_now(2.0, 0.0).wait_s == pytest.approx(4.0, abs=0.5), "the other one is slower, too"
    one.slow_now(0)
    assert row_of(store).epoch == 1, "sent before the rate was halved"
    one.slow_now(1)
    assert row_of(store).epoch == 2


def test_an_endpoint_that_rests_saves_less_than_a_second(store: Store) -> None:
    bucket = store.shared_bucket(ENDPOINT)
    bucket.take_now(0.0, 0.0)
    change(store, requests_until=0.0)
    assert bucket.take_now(bucket.cap_s, 0.0).wait_s <= 0.05
    assert bucket.take_now(1.0, 0.0).wait_s == pytest.approx(1.0, abs=0.3)
    assert bucket.cap_s <= 1.0


def test_a_clock_that_was_set_back_stops_nobody(store: Store) -> None:
    bucket = store.shared_bucket(ENDPOINT)
    bucket.take_now(0.0, 0.0)
    for nonsense in (1e12, float("inf")):
        change(store, requests_until=nonsense)
        assert bucket.take_now(1.0, 0.0).wait_s <= 2


def test_other_accounts_do_not_wait(store: Store) -> None:
    store.shared_bucket(ENDPOINT).take_now(100.0, 0.0)
    other = ENDPOINT.model_copy(update={"model": "another"})
    assert store.shared_bucket(other).take_now(0.1, 0.0).wait_s < 1


def test_a_damaged_row_is_a_fault_and_no_answer(store: Store) -> None:
    bucket = store.shared_bucket(ENDPOINT)
    bucket.take_now(0.0, 0.0)
    change(store, factor=0.0, since=1e12)
    with pytest.raises(InfrastructureFault, match="database says"):
        bucket.take_now(1.0, 1.0)


def test_a_store_that_is_gone_is_a_fault(tmp_path: Path) -> None:
    with open_store(tmp_path / "osler.db") as store:
        bucket = store.shared_bucket(ENDPOINT)
        bucket.take_now(0.0, 0.0)
        with store.writing() as connection:
            connection.execute(sa.text("DROP TABLE rate_limits"))
        with pytest.raises(InfrastructureFault):
            bucket.take_now(1.0, 0.0)
        with pytest.raises(InfrastructureFault):
            asyncio.run(Pacer(ENDPOINT.rates or Rates(), bucket).admit())
