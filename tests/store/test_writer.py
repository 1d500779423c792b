"""Rows are committed together, written twice without harm, and never lost by a failure."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch

import pytest
import sqlalchemy as sa
from sqlalchemy.exc import OperationalError

from osler.errors import InfrastructureFault
from osler.store import writer as writing
from osler.store.schema import cases
from osler.store.store import Store
from osler.store.writer import Writer
from tests.store import samples


@contextmanager
def commits(store: Store) -> Iterator[list[int]]:
    """Counts transactions committed meanwhile."""
    seen: list[int] = []

    def note(connection: sa.Connection) -> None:
        seen.append(1)

    sa.event.listen(store._engine, "commit", note)
    yield seen
    sa.event.remove(store._engine, "commit", note)


@contextmanager
def failing(store: Store, after: bool) -> Iterator[None]:
    """Every commit fails meanwhile: before it has happened, or after, when its answer is lost on the way."""
    dialect = store._engine.dialect
    commit = dialect.do_commit

    def fail(connection: sa.PoolProxiedConnection) -> None:
        if after:
            commit(connection)
        raise OperationalError(None, None, Exception("database or disk is full"))

    with patch.object(dialect, "do_commit", fail):  # there is no event after a commit
        yield


def test_those_who_flush_in_the_same_turn_share_one_transaction(store: Store) -> None:
    run = store.begin_run(None, {}, 20)

    async def play(writer: Writer, ordinal: int) -> None:
        for row in samples.exchanges(ordinal):
            writer.exchange(ordinal, row)
            await writer.flush()
            assert row in store.recorded(run.id, ordinal), "flush has returned, so it is committed"

    async def play_all() -> None:
        writer = store.writer(run.id)
        await asyncio.gather(*(play(writer, ordinal) for ordinal in range(20)))

    writes: list[int]
    with commits(store) as writes:
        asyncio.run(play_all())
    reads = 20 * samples.EXCHANGES
    assert len(writes) - reads == samples.EXCHANGES
    assert store.partial(run.id) == set(range(20))


def test_nothing_is_committed_before_somebody_asks_for_it(store: Store) -> None:
    run = store.begin_run(None, {}, 1)
    writer = store.writer(run.id)
    writer.exchange(0, samples.exchange(1))
    assert store.recorded(run.id, 0) == []
    writer.close()
    assert store.recorded(run.id, 0) == [samples.exchange(1)]


def test_a_full_buffer_is_committed_by_itself(store: Store) -> None:
    run = store.begin_run(None, {}, 1)
    writer = store.writer(run.id)
    for n in range(writing.AUTO_FLUSH_ROWS + 5):
        writer.exchange(0, samples.exchange(n))
    assert len(store.recorded(run.id, 0)) == writing.AUTO_FLUSH_ROWS
    writer.close()
    assert len(store.recorded(run.id, 0)) == writing.AUTO_FLUSH_ROWS + 5


def test_an_end_is_committed_together_with_its_exchanges(store: Store) -> None:
    run = store.begin_run(None, {}, 1)
    with commits(store) as seen:
        samples.play(store, run.id, range(1))
    assert len(seen) == 1


def test_rows_written_twice_are_there_once_and_the_first_stays(store: Store) -> None:
    run = store.begin_run(None, {}, 2)
    for _ in range(2):
        samples.play(store, run.id, range(2))
    with store.writer(run.id) as writer:
        writer.exchange(0, samples.exchange(1, "something else"))
    assert store.recorded(run.id, 0) == samples.exchanges(0)
    assert store.run("last").done == 2
    assert len(list(store.judgements(run.id))) == 2 * len(samples.JUDGED)


@pytest.mark.parametrize("after", [False, True], ids=["refused", "answer-lost"])
def test_a_failed_commit_reaches_every_waiter_and_loses_nothing(store: Store, after: bool) -> None:
    run = store.begin_run(None, {}, 3)

    async def scene() -> None:
        writer = store.writer(run.id)
        writer.case(samples.CASE, samples.BODY)
        for ordinal in range(3):
            for row in samples.exchanges(ordinal):
                writer.exchange(ordinal, row)
            key = samples.key(ordinal)
            writer.end(ordinal, key, samples.CASE, "case-1", samples.outcome(), samples.JUDGED)
        with failing(store, after):
            faults = await asyncio.gather(*(writer.flush() for _ in range(3)), return_exceptions=True)
        assert [type(fault) for fault in faults] == [InfrastructureFault] * 3
        assert "the disk is full" in str(faults[0])
        await writer.flush()

    asyncio.run(scene())
    assert store.partial(run.id) == set()
    assert [trace.rows for _, trace in store.traces(run.id)] == [
        tuple(samples.exchanges(o)) for o in range(3)
    ]
    assert len(list(store.judgements(run.id))) == 3 * len(samples.JUDGED)


def test_one_waiter_who_gives_up_does_not_take_the_others_along(store: Store) -> None:
    run = store.begin_run(None, {}, 1)

    async def scene() -> None:
        writer = store.writer(run.id)
        writer.exchange(0, samples.exchange(1))
        impatient, patient = asyncio.create_task(writer.flush()), asyncio.create_task(writer.flush())
        await asyncio.sleep(0)
        impatient.cancel()
        await patient
        assert impatient.cancelled() or impatient.cancelling()

    asyncio.run(scene())
    assert store.recorded(run.id, 0) == [samples.exchange(1)]


def test_a_deleted_run_is_not_written_to(store: Store) -> None:
    run = store.begin_run("gone", {}, 1)
    writer = store.writer(run.id)
    writer.exchange(0, samples.exchange(1))
    store.delete_run("gone")
    with pytest.raises(InfrastructureFault, match="deleted"):
        writer.close()
    assert store.recorded(run.id, 0) == []


def test_a_case_forgotten_by_the_writer_is_written_again_without_harm(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writing, "_SEEN_CASES", 2)
    run = store.begin_run(None, {}, 1)
    with store.writer(run.id) as writer:
        for name in ("a", "b", "a", "c", "d", "a", "a"):
            writer.case(name, name * 100)
    with store._engine.connect() as connection:
        assert set(connection.execute(sa.select(cases.c.hash)).scalars()) == {"a", "b", "c", "d"}
    assert store.case("a") == "a" * 100
