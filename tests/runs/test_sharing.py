"""Several processes at one run: every episode is played by one of them, and no byte tells that."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from osler.errors import BadInput
from osler.protocols.consultation.config import RunConfig
from osler.runs import run as runs
from osler.runs.rejudging import judge_again
from osler.store.records import RunInfo
from osler.store.schema import workers
from osler.store.store import Store, open_store
from tests.runs.conftest import asked, exported, logged, play_to_the_end

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
MANY = RunConfig(cases="library", doctor="swift", limit=30, repeats=30)
SOME = RunConfig(cases="library", doctor="logged", patient="logged", limit=8, repeats=2)


@contextmanager
def players(
    url: str, log: Path, number: int = 1, hold: Path | None = None
) -> Iterator[list[subprocess.Popen[str]]]:
    """Processes that join the last run, all at the same moment; their doctor thinks while `hold` exists."""
    command = [sys.executable, "-m", "tests.runs.sharing", url, str(log), *([str(hold)] if hold else [])]
    pipes: dict[str, Any] = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    found = [subprocess.Popen(command, cwd=ROOT, text=True, **pipes) for _ in range(number)]
    try:
        for process in found:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
        for process in found:
            assert process.stdin is not None
            process.stdin.write("go\n")
            process.stdin.flush()
        yield found
    finally:
        for process in found:
            process.kill()
            process.wait()
            for pipe in (process.stdin, process.stdout, process.stderr):
                if pipe:
                    pipe.close()


def said(process: subprocess.Popen[str]) -> dict[str, Any]:
    """What a process said at its end."""
    out, wrong = process.communicate(timeout=300)
    assert process.returncode == 0, wrong
    found: dict[str, Any] = json.loads(out)
    return found


def begun(url: str, config: RunConfig, log: Path) -> RunInfo:
    """A run entered into a store."""
    with open_store(url) as store:
        return runs.begin(config, store, logged(log))


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Callable[[RunConfig], bytes]:
    """The export of a run that one process has played."""

    made: dict[str, bytes] = {}

    def export(config: RunConfig) -> bytes:
        name = config.model_dump_json()
        if name not in made:
            folder = tmp_path_factory.mktemp("alone")
            with open_store(folder / "alone.db") as store:
                play_to_the_end(store, folder / "log", config=config)
            made[name] = exported(folder / "alone.db", folder / "alone.jsonl")
        return made[name]

    return export


def test_three_processes_share_900_episodes_without_a_duplicate(
    url: str, tmp_path: Path, alone: Callable[[RunConfig], bytes]
) -> None:
    log = tmp_path / "log"
    run = begun(url, MANY, log)
    with players(url, log, 3) as found:
        ends = [said(process) for process in found]
    assert [end["status"] for end in ends] == ["done"] * 3
    assert all(end["played"] for end in ends), "each had its share"
    assert sum(end["played"] for end in ends) == 900
    assert set(Counter(asked(log)).values()) == {1}
    assert len(asked(log)) == 900
    with open_store(url) as store:
        assert (store.info(run.id).status, store.info(run.id).done) == ("done", 900)
    assert exported(url, tmp_path / "shared.jsonl") == alone(MANY)


def test_what_a_dead_process_leaves_is_played_by_the_one_that_waits(
    url: str, tmp_path: Path, hold: Path, alone: Callable[[RunConfig], bytes]
) -> None:
    log = tmp_path / "log"
    run = begun(url, SOME, log)
    with players(url, log, hold=hold) as (doomed,), open_store(url) as store:
        until(lambda: holders(store, run) == [doomed.pid])
        with players(url, log) as (other,):
            until(lambda: all_but(store, run, doomed))
            doomed.kill()
            end = said(other)
    assert end["status"] == "done"
    assert end["played"] == 16
    assert exported(url, tmp_path / "shared.jsonl") == alone(SOME)


def test_ctrl_c_of_one_leaves_the_other_going_and_the_status_true(
    url: str, tmp_path: Path, hold: Path, alone: Callable[[RunConfig], bytes]
) -> None:
    log = tmp_path / "log"
    run = begun(url, SOME, log)
    with players(url, log, hold=hold) as (other,), open_store(url) as store:
        until(lambda: holders(store, run) == [other.pid])
        with players(url, log) as (one,):
            until(lambda: all_but(store, run, other))
            one.send_signal(signal.SIGINT)
            end = said(one)
        assert (end["status"], end["others"]) == ("interrupted", 1)
        assert store.info(run.id).status == "running"
        hold.unlink()
        assert said(other)["status"] == "done"
        assert store.info(run.id).status == "done"
    assert exported(url, tmp_path / "shared.jsonl") == alone(SOME)


def test_who_was_taken_over_writes_no_more_and_is_done_when_nothing_is_left(
    url: str, tmp_path: Path, hold: Path, alone: Callable[[RunConfig], bytes]
) -> None:
    log = tmp_path / "log"
    run = begun(url, SOME, log)
    with players(url, log, hold=hold) as (late,), open_store(url) as store:
        until(lambda: holders(store, run) == [late.pid])
        with store._writing() as connection:
            connection.execute(sa.update(workers).values(expires=0))
        play_to_the_end(store, log)
        whole = exported(url, tmp_path / "before.jsonl")
        hold.unlink()
        end = said(late)
        assert store.info(run.id).status == "done"
    assert (end["status"], end["played"]) == ("done", 0)
    assert exported(url, tmp_path / "after.jsonl") == whole == alone(SOME)


def test_a_run_is_left_in_peace_while_another_process_plays_it(url: str, tmp_path: Path, hold: Path) -> None:
    log = tmp_path / "log"
    run = begun(url, SOME, log)
    acts: tuple[Callable[[RunInfo, Store], int], ...] = (runs.forget_diverged, judge_again)
    with players(url, log, hold=hold) as (other,), open_store(url) as store:
        until(lambda: holders(store, run) == [other.pid])
        for act in acts:
            with pytest.raises(BadInput, match=f"is being played by .*:{other.pid}"):
                act(run, store)
        with pytest.raises(BadInput, match="is being played by"):
            store.delete_run(run.name)
        hold.unlink()
        assert said(other)["status"] == "done"
        assert judge_again(run, store) == 16


@pytest.fixture
def hold(tmp_path: Path) -> Path:
    """The file that keeps a process from answering."""
    path = tmp_path / "hold"
    path.touch()
    return path


def holders(store: Store, run: RunInfo) -> list[int]:
    """The processes that hold episodes of the run."""
    with store.claims(run.id) as claims:
        return [holder.process.pid for holder in claims.holding_others()]


def all_but(store: Store, run: RunInfo, holder: subprocess.Popen[str]) -> bool:
    """Whether all is played that this process, asked four episodes at once, does not hold."""
    return store.info(run.id).done == run.planned - 4 and holders(store, run) == [holder.pid]


def until(holds: Callable[[], bool]) -> None:
    """Wait for what must come to hold."""
    deadline = time.monotonic() + 300
    while not holds():
        assert time.monotonic() < deadline, "it never came to hold"
        time.sleep(0.1)
