"""Same bytes at any concurrency and after any crash, and nothing recorded is asked again."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from random import Random
from typing import Any

import pytest

from osler.cases.personas import persona
from osler.cases.sources import open_source
from osler.store.store import Store, open_store
from osler.studies import runs
from osler.studies.build import RunConfig
from osler.studies.execute import Episode
from tests.studies.conftest import CONFIG, asked, exported, logged, play_to_the_end

ROOT = Path(__file__).parents[2]
Question = tuple[str, str, int]


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The export of the run when nothing goes wrong, one episode at a time."""
    folder = tmp_path_factory.mktemp("undisturbed")
    with open_store(folder / "o.db") as store:
        play_to_the_end(store, folder / "log", concurrency=1)
    return exported(folder / "o.db", folder / "out.jsonl")


@pytest.mark.parametrize("players", ["logged", "baseline"])
def test_same_bytes_at_concurrency_1_and_64(tmp_path: Path, players: str) -> None:
    config = RunConfig(cases="library", doctor=players, patient=players, limit=5, repeats=14)
    made = []
    for concurrency in (1, 64):
        with open_store(tmp_path / f"{concurrency}.db") as store:
            play_to_the_end(store, tmp_path / "log", concurrency=concurrency, config=config)
        made.append(exported(tmp_path / f"{concurrency}.db", tmp_path / f"{concurrency}.jsonl"))
    assert made[0].count(b"\n") == 5 * 14 + 1
    assert made[0] == made[1]


class Crash(BaseException):
    """The process is gone."""


@contextmanager
def crashing(store: Store, at: int, *, after: bool) -> Iterator[list[int]]:
    """Crash just before, or just after, the commit number `at` of this store takes effect."""
    dialect = store._engine.dialect
    commit = dialect.do_commit
    count = [0]

    def do_commit(connection: Any) -> None:
        count[0] += 1
        if count[0] == at and not after:
            raise Crash
        commit(connection)
        if count[0] == at and after:
            raise Crash

    setattr(dialect, "do_commit", do_commit)  # noqa: B010 - mypy takes it for a method
    try:
        yield count
    finally:
        setattr(dialect, "do_commit", commit)  # noqa: B010


def recorded(path: Path) -> set[Question]:
    """The questions whose answers are committed, as the logging players would write them down."""
    worlds = {}
    for index, case in enumerate(open_source("library")):
        for repeat in range(CONFIG.repeats):
            episode = Episode(0, case, persona("plain"), CONFIG.settings, f"{CONFIG.seed}/{repeat}")
            worlds[index * CONFIG.repeats + repeat] = episode.world
    found = set[Question]()
    with open_store(path) as store:
        for run in store.runs():
            for ordinal in range(2 * CONFIG.repeats):
                counts = {"doctor": 0, "patient": 0}
                for row in store.recorded(run.id, ordinal):
                    if row.seat in counts:
                        found.add((worlds[ordinal], row.seat, counts[row.seat]))
                        counts[row.seat] += 1
    return found


def test_a_crash_at_every_commit_boundary_loses_and_repeats_nothing(
    tmp_path: Path, undisturbed: bytes
) -> None:
    with open_store(tmp_path / "count.db") as store:
        run = runs.begin(CONFIG, store, logged(tmp_path / "log"))
        with crashing(store, at=-1, after=False) as count:
            runs.play(run, store, concurrency=4, more=logged(tmp_path / "log"))
    assert count[0] > 20
    for at in range(1, count[0] + 1):
        for after in (False, True):
            disturb(tmp_path, f"{at}-{after}", at, after=after, expected=undisturbed)


def disturb(folder: Path, name: str, at: int, *, after: bool, expected: bytes) -> None:
    """Crash once, resume, and compare."""
    path, log = folder / f"{name}.db", folder / f"{name}.log"
    with open_store(path) as store:
        run = runs.begin(CONFIG, store, logged(log))
        with crashing(store, at, after=after), suppress(Crash):
            runs.play(run, store, concurrency=4, more=logged(log))
    before, safe = len(asked(log)), recorded(path)
    with open_store(path) as store:
        play_to_the_end(store, log)
    again = set(asked(log)[before:]) & safe
    assert not again, f"asked again after a crash at commit {at}: {again}"
    assert exported(path, folder / f"{name}.jsonl") == expected
    path.unlink()


def test_five_real_kills_at_random_instants_change_no_byte(tmp_path: Path, undisturbed: bytes) -> None:
    path, log = tmp_path / "killed.db", tmp_path / "log"
    command = [sys.executable, "-m", "tests.studies.killable", str(path), str(log)]
    luck, safe, seen, kills = Random(20261120), set[Question](), 0, 0
    while kills < 5:
        process = subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE)
        wait_for_a_question(process, log, seen + luck.randint(1, 12))
        time.sleep(luck.random() * 0.01)
        with suppress(ProcessLookupError):
            os.kill(process.pid, signal.SIGKILL)
        process.communicate()
        assert not set(asked(log)[seen:]) & safe, "a recorded exchange was asked again"
        seen, safe = len(asked(log)), recorded(path)
        kills += 1
    with open_store(path) as store:
        play_to_the_end(store, log)
    assert not set(asked(log)[seen:]) & safe
    assert exported(path, tmp_path / "out.jsonl") == undisturbed


def wait_for_a_question(process: subprocess.Popen[bytes], log: Path, number: int) -> None:
    """Wait until the players were asked `number` questions, or the run is over."""
    deadline = time.monotonic() + 60
    while len(asked(log)) < number and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.001)
