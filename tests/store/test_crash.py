"""Killed at every commit of a run, before and after it: nothing half written, nothing asked twice."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch

import pytest
import sqlalchemy as sa

from osler.core.trace import ExchangeRow
from osler.store.export import export_lines
from osler.store.store import Store
from osler.store.writer import Writer
from tests.store import samples

EPISODES = 3


class Killed(KeyboardInterrupt):
    """The process dies here. (Of this kind, because the event loop lets no other through at once.)"""


@contextmanager
def killed_at(store: Store, boundary: int, after: bool) -> Iterator[None]:
    """The process dies at this commit, counted from 0: before it has happened, or just after."""
    dialect = store._engine.dialect
    commit = dialect.do_commit
    seen = 0

    def die(connection: sa.PoolProxiedConnection) -> None:
        nonlocal seen
        seen += 1
        if seen <= boundary:
            commit(connection)
            return
        if after and seen == boundary + 1:
            commit(connection)
        raise Killed

    with patch.object(dialect, "do_commit", die):  # there is no event after a commit
        yield


async def sitting(store: Store, run_id: int, asked: list[tuple[int, int]]) -> None:
    """Plays what the store does not hold yet, side by side; `asked` collects the exchanges asked."""
    done, writer = store.done(run_id), store.writer(run_id)
    recorded = {ordinal: store.recorded(run_id, ordinal) for ordinal in store.partial(run_id)}
    writer.case(samples.CASE, samples.BODY)
    todo = [ordinal for ordinal in range(EPISODES) if ordinal not in done]
    await asyncio.gather(*(episode(writer, ordinal, recorded.get(ordinal, []), asked) for ordinal in todo))
    writer.close()


async def episode(
    writer: Writer, ordinal: int, recorded: list[ExchangeRow], asked: list[tuple[int, int]]
) -> None:
    for row in samples.exchanges(ordinal)[len(recorded) :]:
        asked.append((ordinal, row.n))
        writer.exchange(ordinal, row)
        if (row.n + ordinal) % 2:  # some seats are durable, others are committed with whoever is
            await writer.flush()
    writer.end(ordinal, samples.key(ordinal), samples.CASE, "case-1", samples.outcome(), samples.JUDGED)
    await writer.flush()


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_killed_at_any_commit_and_resumed_it_is_the_same_run(store: Store, after: bool) -> None:
    whole = store.begin_run(None, {}, EPISODES)
    asyncio.run(sitting(store, whole.id, []))
    expected = list(export_lines(store, whole.id))
    boundary, died = 0, True
    while died:
        run, died = store.begin_run(None, {}, EPISODES), False
        try:
            with killed_at(store, boundary + _READS, after):
                asyncio.run(sitting(store, run.id, []))
        except Killed:
            died = True
        held = _what_is_held(store, run.id)
        asked: list[tuple[int, int]] = []
        asyncio.run(sitting(store, run.id, asked))
        assert not held & set(asked), "what was committed is not asked again"
        assert list(export_lines(store, run.id)) == expected
        boundary += 1
    assert boundary > EPISODES, "there were boundaries to die at"


_READS = 2  # a sitting begins by reading what is done and what is partial


def _what_is_held(store: Store, run_id: int) -> set[tuple[int, int]]:
    """The exchanges that survived, after checking that every episode is whole or the beginning of one."""
    held = set[tuple[int, int]]()
    for ordinal in range(EPISODES):
        rows = store.recorded(run_id, ordinal)
        assert rows == samples.exchanges(ordinal)[: len(rows)]
        if ordinal in store.done(run_id):
            assert len(rows) == samples.EXCHANGES
            assert [j.grader for j in store.judgements(run_id) if j.ordinal == ordinal] == [
                "diagnosis",
                "history",
            ]
        held |= {(ordinal, row.n) for row in rows}
    return held
