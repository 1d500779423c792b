"""Backing a store up while it is used, restoring it, and going back to an earlier version of the program."""

from __future__ import annotations

import multiprocessing
import shutil
import sqlite3
import stat
import subprocess
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest
import sqlalchemy as sa
from typer.testing import CliRunner, Result

from osler.cli.main import app
from osler.errors import BadInput, BadStore
from osler.store.backup import backup, info
from osler.store.schema import HEAD, VERSION_TABLE
from osler.store.store import open_store
from tests.store import later_release, samples

EPISODES = 200
NEWER = f"{int(HEAD) + 1:04}"


def write(path: str, run_id: int, first: int) -> None:
    with open_store(path) as store:
        for ordinal in range(first, EPISODES):
            samples.play(store, run_id, range(ordinal, ordinal + 1))


def whole(path: Path) -> int:
    """The episodes of the one run in a store, each of which is as it was written."""
    with open_store(path, create=False) as store:
        records = list(store.records(store.runs()[0].id))
        for row, trace, judged in records:
            assert trace.rows == tuple(samples.exchanges(row.ordinal))
            assert len(judged) == len(samples.JUDGED)
        assert [row.ordinal for row, *_ in records] == list(range(len(records)))
        return len(records)


def made(path: Path, episodes: int = 3) -> Path:
    with open_store(path) as store:
        samples.play(store, store.begin_run("kept", {}, EPISODES).id, range(episodes))
    return path


def set_version(path: Path, version: str) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute(f"UPDATE {VERSION_TABLE} SET version_num = '{version}'")
    connection.close()


def said(*words: str) -> Result:
    return CliRunner().invoke(app, list(words))


@pytest.mark.smoke
@pytest.mark.slow
def test_a_backup_of_a_store_that_is_written_to_is_a_whole_one(tmp_path: Path) -> None:
    path = made(tmp_path / "osler.db", 1)
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as other:
        writing, taken = other.submit(write, str(path), 1, 1), list[Path]()
        while not writing.done():
            taken.append(tmp_path / f"backup-{len(taken)}.db")
            backup(str(path), taken[-1])
        writing.result()
    backup(str(path), tmp_path / "last.db")
    counts = [whole(one) for one in taken]
    assert counts == sorted(counts)
    assert whole(tmp_path / "last.db") == whole(path) == EPISODES


def test_what_still_stands_in_the_log_beside_the_file_is_in_the_backup(tmp_path: Path) -> None:
    path = tmp_path / "osler.db"
    with open_store(path) as store:
        samples.play(store, store.begin_run("kept", {}, 3).id, range(3))
        assert path.with_name("osler.db-wal").stat().st_size > 0
        backup(str(path), tmp_path / "backup.db")
    assert whole(tmp_path / "backup.db") == 3


def test_a_backup_is_one_file_for_its_owner_alone_and_can_be_used_at_once(tmp_path: Path) -> None:
    path, copied = made(tmp_path / "osler.db"), tmp_path / "copies" / "backup.db"
    copied.parent.mkdir()
    told = backup(str(path), copied)
    assert [one.name for one in copied.parent.iterdir()] == ["backup.db"]
    assert stat.S_IMODE(copied.stat().st_mode) == 0o600
    assert (told.store, told.state, told.runs, told.sound) == (f"sqlite:///{copied}", "current", 1, True)
    with open_store(copied) as store, store._engine.connect() as connection:
        assert connection.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"


def test_what_cannot_be_backed_up_is_said_and_leaves_nothing(tmp_path: Path) -> None:
    path = made(tmp_path / "osler.db")
    (tmp_path / "there.db").write_text("kept")
    with pytest.raises(BadInput, match="there is a file"):
        backup(str(path), tmp_path / "there.db")
    assert (tmp_path / "there.db").read_text() == "kept"
    with pytest.raises(BadInput, match="cannot be written"):
        backup(str(path), tmp_path / "missing" / "backup.db")
    with pytest.raises(BadStore, match="no store here"):
        backup(str(tmp_path / "nobody.db"), tmp_path / "backup.db")
    (tmp_path / "notes.db").write_text("these are notes, and no store" * 100)
    with pytest.raises(BadStore, match="not an Osler store"):
        backup(str(tmp_path / "notes.db"), tmp_path / "backup.db")
    with pytest.raises(BadStore, match="pg_dump"):
        backup("postgresql://nobody@127.0.0.1:1/none", tmp_path / "backup.db")
    assert sorted(one.name for one in tmp_path.iterdir()) == ["notes.db", "osler.db", "there.db"]


def test_a_damaged_store_makes_no_backup(tmp_path: Path) -> None:
    path = made(tmp_path / "osler.db", 40)
    raw = bytearray(path.read_bytes())
    middle = len(raw) // 2
    raw[middle : middle + 16384] = b"\x07" * 16384
    path.write_bytes(raw)
    assert info(str(path), verify=True).sound is False
    assert said("store", "info", "--verify", "--store", str(path)).exit_code == 1
    with pytest.raises(BadStore, match="damaged"):
        backup(str(path), tmp_path / "backup.db")
    assert not (tmp_path / "backup.db").exists()


def test_an_older_store_is_described_and_backed_up_as_it_stands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = made(tmp_path / "osler.db")
    later_release.installed(tmp_path / "later", monkeypatch)
    backup(str(path), tmp_path / "backup.db")
    for one in (path, tmp_path / "backup.db"):
        found = info(str(one))
        assert (found.schema_version, found.state) == (HEAD, "older")
    shown = said("store", "info", "--store", str(path))
    assert shown.exit_code == 0
    assert "make a backup first" in " ".join(shown.stdout.split())


def test_a_store_from_before_the_first_release_is_described_with_what_carries_it_over(tmp_path: Path) -> None:
    path = made(tmp_path / "osler.db")
    set_version(path, "0022")
    backup(str(path), tmp_path / "backup.db")
    shown = said("store", "info", "--store", str(tmp_path / "backup.db"))
    assert shown.exit_code == 1
    assert "osler runs restore FOLDER" in " ".join(shown.stdout.split())


def test_going_back_to_the_earlier_version_is_restoring_the_backup_made_with_it(tmp_path: Path) -> None:
    """The walk of docs/deployment.md: the upgrade is undone by the file, never by the program."""
    path, kept = made(tmp_path / "osler.db"), tmp_path / "before.db"
    assert said("store", "backup", str(kept), "--store", str(path)).exit_code == 0
    set_version(path, NEWER)  # a newer program opened it
    for words in (["runs"], ["check", "--offline"], ["store", "info"]):
        refused = said(*words, "--store", str(path))
        assert refused.exit_code == 1
        assert NEWER in refused.output
        assert "newer" in refused.output
    for name in ("osler.db", "osler.db-wal", "osler.db-shm"):
        (tmp_path / name).unlink(missing_ok=True)
    shutil.copyfile(kept, path)
    assert said("store", "info", "--verify", "--store", str(path)).exit_code == 0
    assert whole(path) == 3


def test_a_store_on_a_server_is_described(url: str) -> None:
    with open_store(url) as store:
        samples.play(store, store.begin_run("kept", {}, 3).id, range(3))
    found = info(url, verify=True)
    assert (found.state, found.runs) == ("current", 1)
    assert found.bytes > 10_000
    assert found.sound is (True if url.startswith("sqlite") else None)


@pytest.mark.parametrize("url", ["postgresql"], indirect=True)
def test_a_dump_of_postgresql_is_restored_with_all_it_holds(url: str, tmp_path: Path) -> None:
    if shutil.which("pg_dump") is None:
        pytest.skip("pg_dump is not installed")
    with open_store(url) as store:
        samples.play(store, store.begin_run("kept", {}, 3).id, range(3))
    server, _, options = url.partition("?")
    schema, dump = options.rpartition("%3D")[2], tmp_path / "osler.dump"
    subprocess.run(
        ["pg_dump", "--format=custom", f"--schema={schema}", f"--file={dump}", server],
        check=True,
        capture_output=True,
    )
    engine = sa.create_engine(sa.make_url(server).set(drivername="postgresql+psycopg"))
    with engine.begin() as connection:
        connection.execute(sa.schema.DropSchema(schema, cascade=True))
    engine.dispose()
    subprocess.run(["pg_restore", f"--dbname={server}", str(dump)], check=True, capture_output=True)
    with open_store(url, create=False) as store:
        records = list(store.records(store.run("kept").id))
    assert [trace.rows for _, trace, _ in records] == [tuple(samples.exchanges(n)) for n in range(3)]
