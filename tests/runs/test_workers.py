"""Many processes play one run: the same bytes as one, whatever happens to any of them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from osler.cli.main import app
from osler.cli.options import Spread, spread
from osler.cli.processes import check_spread
from osler.cli.worker import seconds
from osler.errors import BadInput
from osler.protocols.consultation.config import RunConfig
from osler.runs import on_ray, workers
from osler.runs import run as runs
from osler.runs.worker_process import WorkerEnd
from osler.runs.workers import play_by_workers
from osler.store.records import RunInfo
from osler.store.store import Store, open_store
from tests.runs.conftest import exported

OSLER = str(Path(sys.executable).with_name("osler"))
MANY = RunConfig(cases="library", repeats=15, limit=20)
CONSULT = ("consult", "library", "--repeats", "15", "--limit", "20", "--processes", "2")
FEW = RunConfig(cases="library", limit=3)


def osler(*words: str, store: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [OSLER, *words], capture_output=True, text=True, check=False, env={**os.environ, "OSLER_STORE": store}
    )


def here(*words: str, store: str) -> Result:
    """What a command says that plays nothing, called in this process."""
    return CliRunner().invoke(app, list(words), env={"OSLER_STORE": store})


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The export of the run when one process plays it."""
    path = tmp_path_factory.mktemp("alone") / "alone.db"
    with open_store(path) as store:
        assert runs.play(runs.begin(MANY, store), store).status == "done"
    return exported(path, path.with_name("out.jsonl"))


@contextmanager
def parent(store: str, *words: str) -> Iterator[subprocess.Popen[str]]:
    """A command that plays in several processes, in a session of its own."""
    found = subprocess.Popen(
        [OSLER, *words],
        env={**os.environ, "OSLER_STORE": store},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        yield found
    finally:
        found.kill()
        found.communicate()


def at_work(store: Store, wanted: int = 2) -> list[int]:
    """The pids of the workers of the last run, once so many hold blocks."""
    until = time.monotonic() + 60
    while time.monotonic() < until:
        found = [one.process.pid for _, one in store.workers() if one.blocks]
        if len(found) >= wanted:
            return found
        time.sleep(0.02)
    raise AssertionError("the workers did not begin")


def gone(store: Store) -> bool:
    """Whether no process plays any more, within a minute."""
    until = time.monotonic() + 60
    while store.workers() and time.monotonic() < until:
        time.sleep(0.05)
    return not store.workers()


@pytest.mark.slow
def test_two_processes_write_the_bytes_of_one(url: str, undisturbed: bytes, tmp_path: Path) -> None:
    with open_store(url) as store:
        run = runs.begin(MANY, store)
        seen: list[int] = []
        sitting = play_by_workers(
            run,
            store,
            2,
            environ={**os.environ, "OSLER_STORE": url},
            on_progress=lambda progress: seen.append(progress.done),
        )
        assert (sitting.status, sitting.why, sitting.run.done) == ("done", "", run.planned)
        assert exported(url, tmp_path / "out.jsonl") == undisturbed
        assert seen == sorted(seen)
        assert not store.workers()


def test_a_worker_leaves_when_nothing_is_left_to_lease(tmp_path: Path) -> None:
    path = tmp_path / "osler.db"
    with open_store(path) as store:
        run = runs.begin(FEW, store)
        with store.claims(run.id) as others:
            assert others.take([(0, 2)])
            listed = json.loads(here("runs", "--workers", "--json", store=str(path)).stdout)["workers"]
            assert [(one["pid"], one["run"], one["blocks"]) for one in listed] == [(os.getpid(), run.name, 1)]
            assert listed[0]["since"].startswith("20")
            done = osler("worker", run.name, "--json", store=str(path))
        assert done.returncode == 0
        said = json.loads(done.stdout)
        assert (said["status"], said["done"], len(said["others"])) == ("done", 0, 1)
        done = osler("worker", run.name, "--json", store=str(path))
        assert (done.returncode, json.loads(done.stdout)["done"]) == (0, 3)
        assert here("worker", run.name, store=str(path)).exit_code == 0  # it exits at once: all is done


def test_a_person_is_refused_in_words(tmp_path: Path) -> None:
    store = str(tmp_path / "osler.db")
    words = ("--processes", "2", "--doctor", "person")
    done = here("consult", "library", "--limit", "1", *words, store=store)
    assert done.exit_code == 1
    assert "--processes 2" in done.stderr
    assert here("worker", "last", "--for", "soon", store=store).exit_code == 1


def test_a_fault_of_the_workers_is_the_runs(tmp_path: Path) -> None:
    path = tmp_path / "osler.db"
    with open_store(path) as store:
        run = runs.begin(FEW.model_copy(update={"doctor": "external"}), store)
        sitting = play_by_workers(run, store, 2, environ={**os.environ, "OSLER_STORE": str(path)})
        assert sitting.status == "paused"
        assert "answered from outside" in sitting.why


class Pretended:
    """A worker of many, which have played all when one is first asked for its end; Ctrl-C comes just then."""

    def __init__(self, run: RunInfo, store: Store) -> None:
        self._run, self._store = run, store

    def ended(self) -> WorkerEnd:
        if self._store.info(self._run.id).status != "done":
            assert runs.play(self._run, self._store).status == "done"
            raise KeyboardInterrupt
        return WorkerEnd(0, {})

    def stop(self) -> None: ...

    def kill(self) -> None: ...


def test_ctrl_c_as_a_run_ends_is_not_lost_on_whoever_plays_many(tmp_path: Path) -> None:
    started = list[Sequence[str]]()

    def start(words: Sequence[str]) -> Pretended:
        started.append(words)
        return Pretended(run, store)

    with open_store(tmp_path / "osler.db") as store:
        run = runs.begin(FEW, store)
        sitting = play_by_workers(run, store, 16, start=start)
    assert (sitting.status, sitting.run.status, sitting.fault) == ("interrupted", "done", None)
    assert started == [[run.name, "--concurrency=6"]] * 3, "no more workers than episodes"


def test_for_what_is_done_no_worker_is_started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "osler.db"
    with open_store(path) as store:
        assert runs.play(runs.begin(FEW, store), store).status == "done"
    monkeypatch.setattr(workers, "play_by_workers", lambda *given, **how: pytest.fail("it started workers"))
    done = CliRunner().invoke(app, ["resume", "last", "--processes", "2", "--json", "--store", str(path)])
    assert (done.exit_code, json.loads(done.stdout)["episodes"]) == (0, 3)


@pytest.mark.smoke
@pytest.mark.slow
def test_workers_killed_at_random_cost_nothing(url: str, undisturbed: bytes, tmp_path: Path) -> None:
    with open_store(url) as store:
        with parent(
            url, "consult", "library", "--repeats", "15", "--limit", "20", "--processes", "2"
        ) as found:
            for _ in range(3):
                os.kill(at_work(store, 1)[0], signal.SIGKILL)
            assert found.wait(timeout=300) == 0
        run = store.run("last")
        assert run.status == "done"
        assert exported(url, tmp_path / "out.jsonl") == undisturbed


@pytest.mark.slow
def test_ctrl_c_ends_all_and_resume_goes_on(url: str, undisturbed: bytes, tmp_path: Path) -> None:
    with open_store(url) as store:
        with parent(
            url, "consult", "library", "--repeats", "15", "--limit", "20", "--processes", "2"
        ) as found:
            at_work(store)
            found.send_signal(signal.SIGINT)
            _, said = found.communicate(timeout=120)
        assert found.returncode == 130
        assert "To continue: osler resume" in " ".join(said.split())
        assert not store.workers()
        run = store.run("last")
        assert run.status == "interrupted"
        assert run.planned - run.done > 0
        assert osler("resume", "last", "--processes", "2", store=url).returncode == 0
        assert exported(url, tmp_path / "out.jsonl") == undisturbed


@pytest.mark.slow
def test_without_their_parent_workers_give_their_blocks_back(url: str) -> None:
    with open_store(url) as store:
        with parent(
            url, "consult", "library", "--repeats", "15", "--limit", "20", "--processes", "2"
        ) as found:
            at_work(store)
            found.kill()
            assert gone(store)
        assert store.run("last").status == "interrupted"


@pytest.mark.slow
def test_a_worker_whose_time_is_over_gives_its_blocks_back(
    url: str, undisturbed: bytes, tmp_path: Path
) -> None:
    with open_store(url) as store:
        run = runs.begin(MANY, store)
        done = osler("worker", run.name, "--for", "2s", "--json", store=url)
        said: dict[str, Any] = json.loads(done.stdout)
        assert (done.returncode, said["status"]) == (0, "time over")
        assert not store.workers()
        assert store.run(run.name).status == "interrupted"
        assert osler("worker", run.name, store=url).returncode == 0
        assert exported(url, tmp_path / "out.jsonl") == undisturbed


def test_durations_in_words() -> None:
    assert [seconds(text) for text in ("90s", "55m", "1.5h")] == [90, 3300, 5400]
    for text in ("", "0s", "5", "-3m", "1d", "1e9s"):
        with pytest.raises(BadInput, match="no duration"):
            seconds(text)


def test_where_a_run_cannot_be_played_is_said_in_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert spread(4) == Spread(4)
    assert spread(None, "ray:20") == Spread(20, by_ray=True)
    for on in ("ray", "ray:0", "ray:many", "ray:1000", "moon:2", ""):
        with pytest.raises(BadInput, match="no place to play"):
            spread(1, on)
    with pytest.raises(BadInput, match="leave one out"):
        spread(2, "ray:2")
    with pytest.raises(BadInput, match=r"SQLite is for one machine.*--processes 2"):
        check_spread(spread(1, "ray:2"), [FEW], str(tmp_path / "osler.db"))
    monkeypatch.setattr(on_ray, "find_spec", lambda name: None)
    with pytest.raises(BadInput, match=r"--on ray:2: Ray is not installed \(pip install -e '\.\[ray\]'"):
        check_spread(spread(1, "ray:2"), [FEW], "postgresql://nobody@127.0.0.1:1/none")


def test_a_study_that_cannot_be_played_so_begins_nothing(tmp_path: Path) -> None:
    path = tmp_path / "osler.db"
    done = osler("study", "run", "tutors", "--on", "ray:2", store=str(path))
    assert done.returncode == 1
    assert "SQLite is for one machine" in done.stderr
    assert not path.exists()
