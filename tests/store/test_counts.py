"""The number of a run's ended episodes is kept by the database, right whoever writes, deletes or fails."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest
import sqlalchemy as sa
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy.dialects import postgresql, sqlite

from osler.store.listing import ended_counts
from osler.store.schema import episode_counts, episodes, judgements, runs
from osler.store.store import Store, open_store
from tests.store import samples

FREE = (
    episodes.c.key == "x",
    ~sa.exists().where(judgements.c.run == episodes.c.run, judgements.c.ordinal == episodes.c.ordinal),
)
"""What was written by hand and not judged."""


def row(run_id: int, ordinal: int) -> dict[str, object]:
    """An episode as somebody may write it by hand."""
    texts = dict.fromkeys(("key", "case_hash", "case_id", "status", "reason", "tail"), "x")
    numbers = dict.fromkeys(("turns", "tests", "minutes", "cost", "exchanges"), 1)
    return {"run": run_id, "ordinal": ordinal, **texts, **numbers}


def check(store: Store) -> None:
    """The numbers that are told are those that are counted."""
    with store.connected() as connection:
        counted = sa.select(runs.c.id, sa.func.count(episodes.c.ordinal)).outerjoin(episodes)
        wanted = {one[0]: one[1] for one in connection.execute(counted.group_by(runs.c.id))}
        assert ended_counts(connection, list(wanted)) == wanted
    assert {run.id: run.done for run in store.runs()} == wanted


class Rollback(Exception):
    """What happens shall not have happened."""


class Both:
    """Two runs to which anything is done."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.ids = [store.begin_run(None, {}, 9).id for _ in range(2)]

    def play(self, which: int, ordinal: int) -> None:
        """Episodes, some of which may have been written before, by two writers that commit in turn."""
        run_id = self.ids[which]
        with self.store.writer(run_id) as one, self.store.writer(run_id) as other:
            for writer, at in ((one, ordinal), (other, ordinal + 1), (other, ordinal)):
                writer.case(samples.CASE, samples.BODY)
                writer.exchange(at, samples.exchange(1))
                writer.end(at, samples.key(at), samples.CASE, "case-1", samples.outcome(), samples.JUDGED)

    def forget(self, which: int, ordinal: int) -> None:
        self.store.forget(self.ids[which], ordinal)

    def begin_again(self, which: int, _ordinal: int) -> None:
        """Another run in place of one that is deleted."""
        self.store.delete_run(self.store.info(self.ids[which]).name)
        self.ids[which] = self.store.begin_run(None, {}, 9).id

    def roll_back(self, which: int, ordinal: int) -> None:
        with suppress(Rollback), self.store.writing() as connection:
            self._insert(connection, which, [ordinal, ordinal + 1])
            connection.execute(sa.delete(episodes).where(*FREE))
            raise Rollback

    def by_hand(self, which: int, ordinal: int) -> None:
        """Rows that are there or not, in one statement."""
        with self.store.writing() as connection:
            self._insert(connection, which, [ordinal, ordinal + 3, ordinal])

    def delete_by_hand(self, _which: int, ordinal: int) -> None:
        """Of all runs at once."""
        with self.store.writing() as connection:
            connection.execute(sa.delete(episodes).where(*FREE, episodes.c.ordinal >= ordinal))

    def move(self, which: int, ordinal: int) -> None:
        """From one run to the other, to an ordinal that is free."""
        with self.store.writing() as connection:
            here = (*FREE, episodes.c.ordinal == ordinal, episodes.c.run == self.ids[which])
            free = sa.select(sa.func.coalesce(sa.func.max(episodes.c.ordinal), 0) + 1).scalar_subquery()
            to = {"run": self.ids[1 - which], "ordinal": free}
            connection.execute(sa.update(episodes).where(*here).values(to))

    def _insert(self, connection: sa.Connection, which: int, ordinals: list[int]) -> None:
        dialect = sqlite if connection.dialect.name == "sqlite" else postgresql
        values = [row(self.ids[which], ordinal) for ordinal in ordinals]
        connection.execute(dialect.insert(episodes).values(values).on_conflict_do_nothing())


STEPS = ("play", "forget", "begin_again", "roll_back", "by_hand", "delete_by_hand", "move")
anything = st.lists(st.tuples(st.sampled_from(STEPS), st.integers(0, 1), st.integers(0, 3)), max_size=12)


@given(steps=anything)
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_is_done_the_number_is_that_of_the_rows(
    store: Store, steps: list[tuple[str, int, int]]
) -> None:
    both = Both(store)
    for step, which, ordinal in steps:
        getattr(both, step)(which, ordinal)
        check(store)


@pytest.mark.parametrize("words", ["INSERT OR IGNORE", "INSERT OR ABORT", "INSERT OR REPLACE"])
def test_sqlite_counts_whatever_a_statement_says_of_conflicts(tmp_path: Path, words: str) -> None:
    with open_store(tmp_path / "osler.db") as store:
        run = store.begin_run(None, {}, 9)
        for ordinal in range(3):
            with store.writing() as connection:
                insert = sa.insert(episodes).prefix_with(words.removeprefix("INSERT "))
                connection.execute(insert.values(row(run.id, ordinal)))
        assert store.info(run.id).done == 3
        check(store)


def test_those_who_commit_at_the_same_time_do_not_wait_for_each_other(on_server: str) -> None:
    with open_store(on_server) as store:
        run = store.begin_run(None, {}, 2)
        connections = [store.engine.connect()]
        shards = {connections[0].scalar(shard_of := sa.text("SELECT mod(pg_backend_pid(), 32)"))}
        while len(shards) < 2:  # one that has the same shard as the first says nothing
            connections.append(store.engine.connect())
            shards.add(connections[-1].scalar(shard_of))
        first, last = connections[0], connections[-1]
        for ordinal, connection in enumerate((first, last)):
            connection.execute(sa.text("SET LOCAL lock_timeout = '2s'"))  # in place of waiting for ever
            connection.execute(sa.insert(episodes).values(row(run.id, ordinal)))
        assert store.info(run.id).done == 0, "neither has committed"
        for connection in (last, first):
            connection.commit()
        for connection in connections:
            connection.close()
        assert store.info(run.id).done == 2
        with store.connected() as connection:
            assert set(connection.scalars(sa.select(episode_counts.c.shard))) == shards


def test_who_writes_need_not_have_the_schema_on_the_search_path(on_server: str) -> None:
    with open_store(on_server) as store:
        run = store.begin_run(None, {}, 2)
        with store.writing() as connection:
            schema = connection.scalar(sa.text("SELECT current_schema()"))
            connection.execute(sa.text("SET LOCAL search_path = ''"))
            named = sa.table("episodes", *(sa.column(name) for name in row(0, 0)), schema=schema)
            connection.execute(sa.insert(named).values(row(run.id, 0)))
        assert store.info(run.id).done == 1
