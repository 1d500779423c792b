"""Finding and opening a store, migrations, and what is said when it cannot be opened."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory

from osler.errors import BadStore
from osler.memory import sql_memory as memory
from osler.store import connect as opening
from osler.store.export import export_lines
from osler.store.rooms import Rooms
from osler.store.schema import FIRST, HEAD, VERSION_TABLE, metadata
from osler.store.store import Store, open_store
from tests.store import later_release, samples


def test_the_constant_is_the_newest_migration_and_the_first_release_the_oldest() -> None:
    config = Config()
    config.set_main_option("script_location", str(opening.MIGRATIONS))
    found = ScriptDirectory.from_config(config)
    assert (found.get_bases(), found.get_current_head()) == ([FIRST], HEAD)


def differences(store: Store) -> list[Any]:
    """What a store's tables lack of the schema, and have beside it."""
    with store._engine.connect() as connection:
        opts = {"compare_type": True, "include_name": _is_of_the_schema}
        context = MigrationContext.configure(connection, opts=opts)
        described: Any = [metadata, memory.metadata]  # alembic takes several, its types say one
        found: list[Any] = compare_metadata(context, described)
        return found


def _is_of_the_schema(name: str | None, kind: str, _of: object) -> bool:
    """Whether it is no partition, and no part of the index that each database keeps in its own way."""
    if kind == "index":
        return name != "search_lines_words"
    return kind != "table" or not (str(name).endswith("_default") or str(name).startswith("search_words"))


def test_a_new_store_has_the_tables_of_the_schema(store: Store) -> None:
    assert (versions(store), differences(store)) == ([HEAD], [])


def versions(store: Store) -> list[str]:
    with store._engine.connect() as connection:
        return list(connection.exec_driver_sql(f"SELECT version_num FROM {VERSION_TABLE}").scalars())


def test_a_later_release_brings_a_store_up_to_date_with_all_it_holds(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_store(url) as store:
        Rooms(store).open("ada", "{}", None)
        run = store.begin_run("kept", {}, 2)
        samples.play(store, run.id, range(2))
        before = list(export_lines(store, run.id))
    later_release.installed(tmp_path / "100% later", monkeypatch)
    for _ in range(2):  # the second time it is up to date
        with open_store(url) as store:
            assert versions(store) == [later_release.NEXT]
            assert [(kind, table, one.name) for kind, _, table, one in differences(store)] == [
                ("remove_column", "rooms", "place")
            ]
            with store._engine.connect() as connection:
                assert connection.exec_driver_sql("SELECT place FROM rooms").all() == [("upstairs",)]
            assert list(export_lines(store, run.id)) == before


def test_a_migration_that_fails_leaves_the_store_as_it_was(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_store(url).close()
    with monkeypatch.context() as later:
        wrong = later_release.MIGRATION.replace("UPDATE rooms", "UPDATE nothing")
        later_release.installed(tmp_path / "later", later, wrong)
        with pytest.raises(BadStore):
            open_store(url)
    with open_store(url) as store:
        assert (versions(store), differences(store)) == ([HEAD], [])


@pytest.mark.parametrize("version", ["0001", "0022"])
def test_a_store_from_before_the_first_release_is_refused_in_words_and_left_alone(
    url: str, version: str
) -> None:
    with open_store(url) as store, store._engine.begin() as connection:
        connection.execute(sa.text(f"UPDATE {VERSION_TABLE} SET version_num = '{version}'"))
    for _ in range(2):
        with pytest.raises(BadStore, match=f"before the first release .schema {version}") as caught:
            open_store(url)
        assert "osler runs archive" in caught.value.hint
        assert "osler runs restore" in caught.value.hint


def test_opening_again_finds_what_was_written(url: str) -> None:
    with open_store(url) as first:
        samples.play(first, first.begin_run("kept", {}, 1).id, range(1))
    with open_store(url) as again:
        assert again.run("kept").done == 1


def test_a_store_that_is_up_to_date_opens_without_alembic(tmp_path: Path) -> None:
    path = tmp_path / "osler.db"
    open_store(path).close()
    script = f"import sys; from osler.store.store import open_store; open_store({str(path)!r}).close(); "
    script += "sys.exit('alembic' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0


@pytest.mark.parametrize("version", [f"{int(HEAD) + 1:04}", "9999", "abcdef012345"])
def test_a_store_of_a_newer_or_another_program_is_refused_and_left_alone(url: str, version: str) -> None:
    with open_store(url) as store, store._engine.begin() as connection:
        connection.execute(sa.text(f"UPDATE {VERSION_TABLE} SET version_num = '{version}'"))
    for _ in range(2):
        with pytest.raises(BadStore, match=r"newer Osler|another program"):
            open_store(url)


def test_a_database_of_something_else_is_refused_and_left_alone(url: str) -> None:
    engine = opening._engine(opening.address(url), "")
    with engine.begin() as connection:
        connection.execute(sa.text("CREATE TABLE episodes (title TEXT)"))
    with pytest.raises(BadStore, match="something else"):
        open_store(url)
    with engine.connect() as connection:
        assert sa.inspect(connection).get_table_names() == ["episodes"]
    engine.dispose()


def test_sqlite_is_set_up_for_readers_beside_a_writer(tmp_path: Path) -> None:
    with open_store(tmp_path / "osler.db") as store, store._engine.connect() as connection:
        settings = {
            name: connection.exec_driver_sql(f"PRAGMA {name}").scalar()
            for name in ("journal_mode", "synchronous", "foreign_keys", "busy_timeout", "page_size")
        }
    normal = 1
    assert settings == {
        "journal_mode": "wal",
        "synchronous": normal,
        "foreign_keys": 1,
        "busy_timeout": 30_000,
        "page_size": 16384,
    }


def test_where_the_store_is_if_nobody_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("OSLER_STORE", raising=False)
    with open_store() as store:
        assert store.label == "sqlite:///osler.db"
    assert (tmp_path / "osler.db").exists()
    monkeypatch.setenv("OSLER_STORE", "other.db")
    with open_store() as store:
        assert store.label == "sqlite:///other.db"
    with open_store("odd name ?#%.db") as store:
        assert store.label == "sqlite:///odd name ?#%.db"
    assert (tmp_path / "odd name ?#%.db").exists()


def test_what_cannot_be_opened_is_said_with_a_mend(tmp_path: Path) -> None:
    (tmp_path / "text.db").write_text("this is no database, but it is long enough to be taken for one" * 20)
    (tmp_path / "folder").mkdir()
    for name in ("text.db", "missing/osler.db", "folder"):
        with pytest.raises(BadStore) as caught:
            open_store(tmp_path / name)
        assert caught.value.what
        assert caught.value.hint
        assert name in caught.value.where


def test_a_locked_store_is_said_to_be_locked(tmp_path: Path) -> None:
    path = tmp_path / "osler.db"
    open_store(path).close()
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    with (
        open_store(f"sqlite:///{path}?timeout=0.01") as store,
        pytest.raises(BadStore, match="another program is writing"),
    ):
        store.begin_run(None, {}, 1)
    holder.close()


@pytest.mark.parametrize(
    "address",
    [
        "sqlite://",
        "sqlite:///:memory:",
        "mysql://u:s3cret@h/d",
        "postgresql://u:s3cret@h:port/d",
        "://s3cret",
    ],
)
def test_addresses_that_cannot_be_a_store(address: str) -> None:
    with pytest.raises(BadStore) as caught:
        open_store(address)
    assert "s3cret" not in str(caught.value)


@pytest.mark.parametrize("scheme", ["postgres", "postgresql", "postgresql+psycopg"])
def test_passwords_are_never_shown(scheme: str) -> None:
    address = f"{scheme}://anna:s3cret@127.0.0.1:1/osler?password=s3cret&connect_timeout=2"
    label = opening.label_of(opening.address(address))
    assert label == "postgresql://anna@127.0.0.1:1/osler"
    with pytest.raises(BadStore, match="does not answer") as caught:
        open_store(address)
    assert "s3cret" not in str(caught.value)
