"""Several processes at one store: readers see whole episodes while another writes, writers take turns."""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor

import pytest

from osler.store.store import open_store
from tests.store import samples

EPISODES = 60


@pytest.fixture(scope="module")
def others() -> Iterator[ProcessPoolExecutor]:
    """Up to three other processes, which go on to the next test."""
    with ProcessPoolExecutor(3, mp_context=multiprocessing.get_context("spawn")) as pool:
        yield pool


def watch(url: str, run_id: int) -> tuple[int, int]:
    """Read until the run is complete; returns (times looked, episodes found not whole)."""
    looked = torn = done = 0
    with open_store(url) as store:
        while done < EPISODES:
            found = list(store.records(run_id))
            looked, done = looked + 1, len(found)
            for row, trace, judged in found:
                whole = trace.rows == tuple(samples.exchanges(row.ordinal))
                torn += not (whole and len(judged) == len(samples.JUDGED))
    return looked, torn


def open_and_write(url: str, ordinals: range) -> int:
    """Open a store that may not be there yet and write a run of one's own."""
    with open_store(url) as store:
        run = store.begin_run(None, {}, len(ordinals))
        for ordinal in ordinals:
            samples.play(store, run.id, range(ordinal, ordinal + 1))
        return store.info(run.id).done


def test_two_read_while_one_writes(url: str, others: ProcessPoolExecutor) -> None:
    with open_store(url) as store:
        run = store.begin_run(None, {}, EPISODES)
        watching = [others.submit(watch, url, run.id) for _ in range(2)]
        for first in range(0, EPISODES, 4):
            samples.play(store, run.id, range(first, first + 4))
        for each in watching:
            looked, torn = each.result(timeout=60)
            assert looked > 0
            assert torn == 0


def test_two_open_a_fresh_store_at_once_and_both_write(url: str, others: ProcessPoolExecutor) -> None:
    writing = [others.submit(open_and_write, url, range(20)) for _ in range(2)]
    assert [each.result(timeout=60) for each in writing] == [20, 20]
    with open_store(url) as store:
        assert [run.done for run in store.runs()] == [20, 20]


def write_in_turns(url: str, run_id: int, ordinals: range) -> None:
    """Write episodes of one run, each in a transaction of its own."""
    with open_store(url) as store:
        for ordinal in ordinals:
            samples.play(store, run_id, range(ordinal, ordinal + 1))


def test_three_write_one_run_and_nobody_finds_it_locked(url: str, others: ProcessPoolExecutor) -> None:
    with open_store(url) as store:
        run = store.begin_run(None, {}, 120)
        shares = [range(first, 120, 3) for first in range(3)]
        for each in [others.submit(write_in_turns, url, run.id, share) for share in shares]:
            each.result(timeout=60)
        assert list(store.done(run.id)) == list(range(120))
