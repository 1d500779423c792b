"""Large runs on PostgreSQL have tables of their own, and nothing else about them is different."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path

import pytest
import sqlalchemy as sa
from sqlalchemy.engine import Connection
from sqlalchemy.exc import SQLAlchemyError

from osler.core.trace import InnerRow
from osler.errors import BadInput, BadStore, InfrastructureFault
from osler.store import archive, partitions, queries
from osler.store.export import export_lines
from osler.store.records import KeptPart, RunInfo
from osler.store.schema import exchanges, inner_exchanges, judgements, runs
from osler.store.size import run_size, store_bytes
from osler.store.statistics import renew_statistics
from osler.store.store import Store, open_store
from tests.store import samples

TABLES = (exchanges, inner_exchanges, judgements)
LARGE = 8
MADE = sa.text(
    "SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relname ~ '_run_[0-9]+$'"
    " AND relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema())"
    " UNION ALL SELECT conname FROM pg_constraint WHERE contype = 'c'"
    " AND connamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema())"
)


@pytest.fixture
def server(on_server: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    """A store on PostgreSQL in which a run of more than eight episodes is large, and locks are soon had."""
    monkeypatch.setattr(partitions, "LARGE", LARGE)
    for patience in ("PATIENCE", "BRIEFLY"):
        monkeypatch.setattr(partitions, patience, "50ms")
    with open_store(on_server) as store:
        yield store


def play(store: Store, run: RunInfo) -> RunInfo:
    """All of a run, with a voter in every episode."""
    samples.play(store, run.id, range(run.planned))
    with store.writer(run.id) as writer:
        for ordinal in range(run.planned):
            writer.inner(ordinal, InnerRow(1, "1", "doctor", "voter", "0" * 32, "[]", '{"a":1}', "[]"))
    with store.writing() as connection:
        connection.execute(sa.update(runs).where(runs.c.id == run.id).values(status="done"))
    return store.info(run.id)


def made(store: Store) -> set[str]:
    """The partitions of runs, and the checks on the default partitions."""
    with store.connected() as connection:
        return set(connection.scalars(MADE))


def own(run: RunInfo) -> set[str]:
    return {f"{table.name}_run_{run.id}" for table in TABLES}


def rows(store: Store, table: str, run: RunInfo) -> int:
    """The rows of a run in one table or partition."""
    with store.connected() as connection:
        count = sa.text(f"SELECT count(*) FROM {table} WHERE run = :run")
        return int(connection.execute(count, {"run": run.id}).scalar_one())


@contextmanager
def locked(store: Store, table: str, mode: str) -> Iterator[None]:
    """Meanwhile, somebody else holds a lock."""
    with store.engine.connect() as connection:
        connection.execute(sa.text(f"LOCK TABLE {table} IN {mode} MODE"))
        yield


def test_the_rows_of_a_large_run_stand_in_tables_of_its_own(server: Store) -> None:
    small = play(server, server.begin_run("small", {}, LARGE))
    assert made(server) == set()
    large = play(server, server.begin_run("large", {}, LARGE + 1))
    assert made(server) == own(large)
    for table in TABLES:
        here = f"{table.name}_run_{large.id}"
        assert rows(server, here, large) == rows(server, table.name, large) > LARGE
        assert rows(server, f"{table.name}_default", large) == 0
        assert rows(server, f"{table.name}_default", small) >= LARGE


def test_a_large_run_exports_the_same_bytes_in_the_default_partition(
    server: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = play(server, server.begin_run("one", {}, 20))
    monkeypatch.setattr(partitions, "LARGE", 50_000)
    other = play(server, server.begin_run("other", {}, 20))
    assert made(server) == own(one)
    assert list(export_lines(server, one.id))[1:] == list(export_lines(server, other.id))[1:]


def test_keys_and_what_refers_hold_in_a_partition_too(server: Store) -> None:
    large = play(server, server.begin_run("large", {}, 9))
    samples.play(server, large.id, range(9))  # the same again
    assert rows(server, "exchanges", large) == 9 * samples.EXCHANGES
    server.put_judgements(large.id, [(0, "history", "h1", '{"score":0.5}'), (0, "new", "1", "{}")])
    assert len(server.record(large.id, 0)[2]) == 3
    with pytest.raises(BadInput, match="only ended"):
        server.put_judgements(large.id, [(9, "history", "h1", "{}")])
    with pytest.raises(BadStore, match="deleted"), server.writing() as connection:
        connection.execute(sa.delete(runs).where(runs.c.id == large.id))


def test_a_large_branch_begins_in_its_partitions(server: Store) -> None:
    parent = play(server, server.begin_run("parent", {}, 2))
    branch = server.begin_run("branch", {}, 9, KeptPart(parent.id, 1, 2, samples.CASE))
    assert rows(server, f"exchanges_run_{branch.id}", branch) == 18


def test_a_query_of_one_run_reads_one_partition(server: Store) -> None:
    large = play(server, server.begin_run("large", {}, 9))
    given = {"run_id": large.id, "at": 3, "after": 0, "ordinals": [1, 2], "first": 0, "last": 4}
    asked = (
        (queries._EXCHANGES_AT, ["exchanges"]),
        (queries._EXCHANGES_OF_EACH, ["exchanges"]),
        (queries._INNER_OF_EACH, ["inner_exchanges"]),
        (queries._JUDGEMENTS_OF_EACH, ["judgements"]),
        (queries._BEGUN_BETWEEN, ["exchanges", "inner_exchanges"]),
        (queries._ASKED_AT, ["exchanges"]),
    )
    with server.connected() as connection:
        for query, tables in asked:
            known = {name: value for name, value in given.items() if name in query.compile().params}
            text = query.params(known).compile(connection, compile_kwargs={"literal_binds": True})
            plan = "\n".join(connection.exec_driver_sql(f"EXPLAIN {text}").scalars())
            for table in tables:
                assert f"{table}_run_{large.id}" in plan
            assert "_default" not in plan


def test_a_large_run_is_deleted_with_its_tables_and_no_other_is(server: Store) -> None:
    first, other, small = (
        play(server, server.begin_run(name, {}, many)) for name, many in (("a", 9), ("b", 10), ("c", 3))
    )
    kept = [list(export_lines(server, run.id)) for run in (other, small)]
    server.delete_run("a")
    assert made(server) == own(other)
    assert all(rows(server, table.name, first) == 0 for table in TABLES)
    assert [list(export_lines(server, run.id)) for run in (other, small)] == kept
    assert [run.name for run in server.runs()] == ["c", "b"]


def test_a_large_run_that_is_played_is_not_deleted(server: Store) -> None:
    large = play(server, server.begin_run("large", {}, 9))
    exported = list(export_lines(server, large.id))
    with server.claims(large.id), pytest.raises(BadInput, match="being played"):
        server.delete_run("large")

    def refuse(_: Connection) -> None:
        raise BadInput("it has changed")

    with pytest.raises(BadInput, match="changed"):
        server.delete_run("large", first=refuse)
    assert made(server) == own(large)
    assert list(export_lines(server, large.id)) == exported


def test_a_judgement_between_the_look_and_the_deletion_of_a_large_run_keeps_both(server: Store) -> None:
    large = play(server, server.begin_run("large", {}, 9))

    def seen(connection: Connection) -> None:
        connection.execute(sa.select(runs)).all()
        server.put_judgements(large.id, [(0, "late", "1", "{}")])

    with pytest.raises(BadStore):
        server.delete_run("large", first=seen)
    assert [one.grader for one in server.record(large.id, 0)[2]] == ["diagnosis", "history", "late"]
    assert len(list(server.records(large.id))) == 9


def test_an_exchange_between_the_look_and_the_deletion_of_a_large_run_is_refused_and_not_lost(
    server: Store,
) -> None:
    large = play(server, server.begin_run("large", {}, 9))
    late = list[Future[None]]()

    def write() -> None:
        with server.writer(large.id) as writer:
            writer.exchange(0, samples.exchange(99))

    with ThreadPoolExecutor() as beside:

        def seen(_: Connection) -> None:
            late.append(beside.submit(write))
            wait(late, timeout=0.3)  # time enough to be written, if it could be

        server.delete_run("large", first=seen)
        with pytest.raises(InfrastructureFault, match="deleted in the meantime"):
            late[0].result()


@pytest.mark.parametrize("table", [one.name for one in TABLES])
@pytest.mark.parametrize("mode", ["ACCESS SHARE", "ROW EXCLUSIVE"])
def test_a_run_that_gets_no_lock_begins_in_the_default_partition_and_says_so(
    server: Store, table: str, mode: str, caplog: pytest.LogCaptureFixture
) -> None:
    with locked(server, f"{table}_default", mode), caplog.at_level(logging.WARNING, "osler.store"):
        large = server.begin_run("large", {}, 9)
    assert ["gets no partitions" in one.getMessage() for one in caplog.records] == [True]
    assert made(server) == set(), "nothing is left of what was begun"
    assert play(server, large).done == 9
    assert rows(server, f"{table}_default", large) >= 9


@pytest.mark.parametrize("table", ["runs", "episodes"])
def test_nothing_is_left_of_partitions_that_were_not_attached(server: Store, table: str) -> None:
    with locked(server, table, "ROW EXCLUSIVE"):
        server.begin_run("large", {}, 9)
    assert made(server) == set()


def test_what_a_killed_attempt_leaves_hinders_nobody_and_goes_with_the_next(
    server: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as killed:
        killed.setattr(partitions, "sweep", lambda *_: None)
        with locked(server, "episodes", "ROW EXCLUSIVE"):
            large = server.begin_run("large", {}, 9)
        left = made(server)
    assert {name.rpartition("_")[0] for name in left} == {
        *("exchanges_run", "inner_exchanges_run", "judgements_run", "judgements_not")
    }
    assert play(server, large).done == 9
    next_one = server.begin_run("next", {}, 9)
    assert made(server) == left | own(next_one)
    server.delete_run("next")
    assert made(server) == set()
    assert server.info(large.id).done == 9


def test_a_run_that_is_not_begun_after_all_leaves_no_partitions(server: Store) -> None:
    server.begin_run("large", {}, 1)
    with pytest.raises(BadInput, match="already a run"):
        server.begin_run("large", {}, 9)
    assert made(server) == set()


def test_partitions_that_hold_rows_or_whose_run_is_there_are_never_dropped(server: Store) -> None:
    large = server.begin_run("large", {}, 9)
    for table in TABLES:
        partitions._drop(server.engine, table.name, large.id)
    assert made(server) == own(large)
    with server.writing() as connection:  # as if the run were about to be begun by another process
        connection.execute(sa.text("SET LOCAL session_replication_role = replica"))
        connection.execute(sa.delete(runs).where(runs.c.id == large.id))
        row = {"run": large.id, "ordinal": 0, **samples.exchange(1)._asdict()}
        del row["calls"]
        connection.execute(sa.insert(exchanges).values(row))
    partitions.sweep(server.engine, large.id)
    assert made(server) == {f"exchanges_run_{large.id}"}


def test_a_large_run_that_somebody_reads_is_deleted_row_by_row(
    server: Store, caplog: pytest.LogCaptureFixture
) -> None:
    large = play(server, server.begin_run("large", {}, 9))
    with locked(server, f"exchanges_run_{large.id}", "ACCESS SHARE"):
        with caplog.at_level(logging.WARNING, "osler.store"):
            server.delete_run("large")
        assert ["row by row" in one.getMessage() for one in caplog.records] == [True]
        assert server.runs() == []
        assert all(rows(server, table.name, large) == 0 for table in TABLES)
    for name in ("another", "newest"):
        server.begin_run(name, {}, 9)
    server.delete_run("another")
    server.delete_run("newest")
    assert made(server) == set(), "the empty partition went with the next"


def test_locks_are_waited_for_without_end_again_after_an_attempt(server: Store) -> None:
    large = play(server, server.begin_run("large", {}, 9))
    names = [f"judgements_run_{large.id}"]
    with server.writing() as connection:
        assert partitions.freeze(connection, names)
        assert connection.scalar(sa.text("SHOW lock_timeout")) == "0"
    with locked(server, names[0], "ACCESS SHARE"), server.writing() as connection:
        assert not partitions.empty(connection, names)
        assert connection.scalar(sa.text("SHOW lock_timeout")) == "0"


def test_an_archived_large_run_comes_back_into_partitions(server: Store, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow", reason="pyarrow is not installed: pip install -e '.[archive]'")
    run = server.begin_run("large", {"configuration": {"doctor": "baseline"}}, 9)
    samples.play(server, run.id, range(9), case=blake2b(samples.BODY.encode(), digest_size=16).hexdigest())
    with server.writing() as connection:
        connection.execute(sa.update(runs).values(status="done"))
    exported = list(export_lines(server, run.id))
    archive.archive_run(server, "large", tmp_path / "kept")
    assert made(server) == set()
    back = archive.restore_run(server, tmp_path / "kept")
    assert made(server) == own(back)
    assert rows(server, f"exchanges_run_{back.id}", back) == 9 * samples.EXCHANGES
    assert list(export_lines(server, back.id)) == exported
    server.delete_run("large")

    def fails(*_: object) -> None:
        raise BadInput("it is not proven")

    with pytest.MonkeyPatch.context() as forged:
        forged.setattr(archive, "_check_export", fails)
        with pytest.raises(BadInput, match="proven"):
            archive.restore_run(server, tmp_path / "kept")
    assert made(server) == set()
    assert server.runs() == []


def test_partitions_are_among_the_bytes_of_a_store_and_of_a_run(server: Store) -> None:
    before = store_bytes(server)
    large = play(server, server.begin_run("large", {}, 600))
    took = run_size(server, large).total
    assert took / 2 < store_bytes(server) - before < 4 * took
    server.delete_run("large")
    assert store_bytes(server) - before < took, "tables are given back, unlike rows"


def test_statistics_of_a_partition_are_those_of_its_table(on_server: str, server: Store) -> None:
    with open_store(on_server) as store:
        run = store.begin_run("large", {}, 300)
        samples.play(store, run.id, range(300))
    assert renew_statistics(server) == ["exchanges"], "1,200 new rows"
    with server.connected() as connection:
        known = sa.text("SELECT DISTINCT tablename FROM pg_stats WHERE schemaname = current_schema()")
        assert {"exchanges", f"exchanges_run_{run.id}"} <= set(connection.scalars(known))


def test_a_role_that_may_make_no_tables_begins_large_runs_all_the_same(
    server: Store, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def refused(*_: object) -> None:
        raise SQLAlchemyError("permission denied for schema osler")

    monkeypatch.setattr(partitions, "_make", refused)
    run = server.begin_run("large", {}, 9)
    assert play(server, run).done == 9
    assert "permission denied" in caplog.text
