"""An export by several processes is that of one, on both databases, whatever the ranges are."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from osler.errors import BadInput, BadStore
from osler.store import parallel_export
from osler.store.export import export_run
from osler.store.parallel_export import export_by_processes
from osler.store.schema import exchanges
from osler.store.store import Store
from tests.store import samples

EPISODES = 13
MANIFEST = {"configuration": {"seed": 7, "cast": {"doctor": "baseline"}}}


@pytest.fixture
def run(store: Store) -> int:
    """A run of which the last planned episodes were never played."""
    found = store.begin_run(None, MANIFEST, EPISODES + 2)
    samples.play(store, found.id, range(EPISODES))
    return found.id


def test_two_processes_write_the_bytes_of_one(store: Store, run: int, tmp_path: Path) -> None:
    alone, together = tmp_path / "alone.jsonl", tmp_path / "together.jsonl"
    assert export_run(store, run, alone) == EPISODES
    assert export_by_processes(store, run, together, 2) == EPISODES
    assert together.read_bytes() == alone.read_bytes()
    left = {path.name for path in tmp_path.iterdir() if not path.name.startswith("osler.db")}
    assert left == {alone.name, together.name}


def killed(wanted: object) -> bool:
    """A process that somebody kills before it has written anything."""
    os.kill(os.getpid(), signal.SIGKILL)
    return True


def test_a_process_that_is_killed_costs_nothing(
    store: Store, run: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parallel_export, "_written", killed)
    alone, together = tmp_path / "alone.jsonl", tmp_path / "together.jsonl"
    assert export_run(store, run, alone) == export_by_processes(store, run, together, 2) == EPISODES
    assert together.read_bytes() == alone.read_bytes()


def test_a_folder_that_is_not_there_is_named_as_by_one(store: Store, run: int, tmp_path: Path) -> None:
    out = tmp_path / "none" / "out.jsonl"
    with pytest.raises(BadInput, match=f"^{out}: cannot be written"):
        export_by_processes(store, run, out, 2)


@pytest.mark.slow
def test_a_damaged_episode_is_refused_or_left_out_as_by_one(store: Store, run: int, tmp_path: Path) -> None:
    with store.engine.begin() as connection:
        here = (exchanges.c.run == run, exchanges.c.ordinal == 6, exchanges.c.n == 1)
        connection.execute(exchanges.update().where(*here).values(reply="{"))
    with pytest.raises(BadStore, match="6"):
        export_by_processes(store, run, tmp_path / "refused.jsonl", 2)
    assert not (tmp_path / "refused.jsonl").exists()
    out = tmp_path / "rest.jsonl"
    assert store.as_far_as_readable(lambda: export_by_processes(store, run, out, 2)) == EPISODES - 1
