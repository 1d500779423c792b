"""What holds people's words is its owner's alone, whatever the umask; a file that is there keeps its mode."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from osler.models.cache import Cache
from osler.store.backup import backup
from osler.store.export import export_calls, export_run
from osler.store.store import open_store
from tests.store import samples


@pytest.fixture(autouse=True)
def usual_umask() -> Iterator[None]:
    """The umask of most machines, by which everybody may read a new file."""
    before = os.umask(0o022)
    yield
    os.umask(before)


def modes(folder: Path) -> dict[str, str]:
    return {one.name: oct(one.stat().st_mode & 0o777) for one in folder.iterdir()}


def test_a_new_store_its_log_its_exports_and_its_backup_are_private(tmp_path: Path) -> None:
    with open_store(tmp_path / "osler.db") as store:
        run = store.begin_run("one", {"configuration": {"seed": 1}}, 1)
        samples.play(store, run.id, range(1))
        assert modes(tmp_path) == dict.fromkeys(("osler.db", "osler.db-shm", "osler.db-wal"), "0o600")
        export_run(store, run.id, tmp_path / "out.jsonl")
        export_calls(store, run.id, tmp_path / "calls.jsonl")
    backup(str(tmp_path / "osler.db"), tmp_path / "backup.db")
    assert set(modes(tmp_path).values()) == {"0o600"}
    assert {"out.jsonl", "calls.jsonl", "backup.db"} < modes(tmp_path).keys()


def test_a_store_that_is_there_keeps_its_mode(tmp_path: Path) -> None:
    path = tmp_path / "osler.db"
    open_store(path).close()
    path.chmod(0o640)
    with open_store(path) as store:
        store.begin_run("one", {}, 1)
        assert set(modes(tmp_path).values()) == {"0o640"}


def test_a_link_to_where_no_store_is_leads_to_a_private_one(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "osler.db").symlink_to(tmp_path / "elsewhere" / "osler.db")
    with open_store(tmp_path / "osler.db"):
        assert set(modes(tmp_path / "elsewhere").values()) == {"0o600"}


def test_a_cache_of_models_answers_is_private(tmp_path: Path) -> None:
    with Cache(tmp_path / "cache" / "answers.db"):
        assert set(modes(tmp_path / "cache").values()) == {"0o600"}
