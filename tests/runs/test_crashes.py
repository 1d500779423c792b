"""Same bytes at any concurrency and after any crash, and nothing recorded is asked again."""

from __future__ import annotations

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
from osler.protocols.consultation.episode import Episode
from osler.protocols.consultation.settings import Limits, Settings
from osler.runs import run as runs
from osler.store.store import Store, open_store
from tests.runs.conftest import CONFIG, asked, exported, logged, play_to_the_end

ROOT = Path(__file__).parents[2]
SHORT = CONFIG.model_copy(update={"settings": Settings(limits=Limits(max_turns=3))})
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
    seats = {"doctor": players, "patient": players}
    config = SHORT.model_copy(update={**seats, "limit": 5, "repeats": 14})
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


def recorded(url: str) -> set[Question]:
    """The questions whose answers are committed, as the logging players would write them down."""
    worlds = {}
    for index, case in enumerate(open_source("library")):
        for repeat in range(CONFIG.repeats):
            episode = Episode(0, case, persona("plain"), CONFIG.settings, f"{CONFIG.seed}/{repeat}")
            # The limits of an episode are no part of its world.
            worlds[index * CONFIG.repeats + repeat] = episode.world
    found = set[Question]()
    with open_store(url) as store:
        for run in store.runs():
            for ordinal in range(2 * CONFIG.repeats):
                counts = {"doctor": 0, "patient": 0}
                for row in store.recorded(run.id, ordinal):
                    if row.seat in counts:
                        found.add((worlds[ordinal], row.seat, counts[row.seat]))
                        counts[row.seat] += 1
    return found


@pytest.mark.slow
def test_a_crash_at_every_commit_boundary_loses_and_repeats_nothing(url: str, tmp_path: Path) -> None:
    with open_store(url) as store:
        run = runs.begin(SHORT, store, logged(tmp_path / "log"))
        with crashing(store, at=-1, after=False) as count:
            runs.play(run, store, concurrency=4, more=logged(tmp_path / "log"))
        expected = exported(url, tmp_path / "undisturbed.jsonl")
        store.delete_run(run.name)
    assert count[0] > 15
    for at in range(1, count[0] + 1):
        for after in (False, True):
            disturb(url, tmp_path, f"{at}-{after}", at, after=after, expected=expected)


def disturb(url: str, folder: Path, name: str, at: int, *, after: bool, expected: bytes) -> None:
    """Crash once, resume, and compare."""
    log = folder / f"{name}.log"
    with open_store(url) as store:
        run = runs.begin(SHORT, store, logged(log))
        with crashing(store, at, after=after), suppress(Crash):
            runs.play(run, store, concurrency=4, more=logged(log))
    before, safe = len(asked(log)), recorded(url)
    with open_store(url) as store:
        play_to_the_end(store, log)
        again = set(asked(log)[before:]) & safe
        assert not again, f"asked again after a crash at commit {at}: {again}"
        assert exported(url, folder / f"{name}.jsonl") == expected
        store.delete_run(run.name)


@pytest.mark.slow
def test_real_kills_at_random_instants_of_two_who_share_a_run_change_no_byte(
    url: str, tmp_path: Path, undisturbed: bytes
) -> None:
    log, rng, kills = tmp_path / "log", Random(20261120), 0
    command = [sys.executable, "-m", "tests.runs.killable", url, str(log)]
    with open_store(url) as store:
        runs.begin(CONFIG, store, logged(log))
    processes = [subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE) for _ in range(2)]
    while kills < 5:
        doomed = processes.pop(rng.randrange(2))
        wait_for_a_question(doomed, log, len(asked(log)) + rng.randint(1, 12))
        time.sleep(rng.random() * 0.01)
        doomed.kill()
        doomed.communicate()
        # What is safe is looked up first: the other process goes on meanwhile.
        safe = recorded(url)
        seen = len(asked(log))
        processes.append(subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE))
        kills += 1
        wait_for_a_question(processes[0], log, seen + 4)
        assert not set(asked(log)[seen:]) & safe, "a recorded exchange was asked again"
    for process in processes:
        assert process.wait(300) == 0, process.communicate()[1].decode()
        process.communicate()
    assert not set(asked(log)[seen:]) & safe
    assert exported(url, tmp_path / "out.jsonl") == undisturbed


def wait_for_a_question(process: subprocess.Popen[bytes], log: Path, number: int) -> None:
    """Wait until the players were asked `number` questions, or the run is over."""
    deadline = time.monotonic() + 300
    while len(asked(log)) < number and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.001)
