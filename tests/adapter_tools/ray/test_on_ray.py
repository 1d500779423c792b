"""Ray starts the workers of a run: the bytes of one process, whatever dies, and nothing told to anybody."""

from __future__ import annotations

import json
import os
import signal
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from osler.store.store import open_store
from tests.adapter_tools.ray.conftest import CONSULT, PASSWORD, at_work, commands, osler
from tests.runs.conftest import exported


def test_two_nodes_write_the_bytes_of_one_process_and_tell_no_password(
    url: str, cluster: str, logs: Path, undisturbed: bytes, tmp_path: Path
) -> None:
    with open_store(url) as store:
        with osler(*CONSULT, "--json", store=url, home=tmp_path, cluster=cluster) as found:
            workers = at_work(store)
            seen = commands()
            told, said = found.communicate(timeout=300)
        assert found.returncode == 0, said
        assert json.loads(told)["episodes"] == 800
        assert {pid for pid in workers if "osler.cli.main worker" in seen[pid]} == set(workers)
        assert not [line for line in seen.values() if PASSWORD in line]
        run = store.run("last")
        assert PASSWORD not in json.dumps(run.manifest) + told + said
        assert not store.workers()
    written = [path for path in logs.rglob("*") if path.is_file()]
    assert written
    assert not [path.name for path in written if PASSWORD.encode() in path.read_bytes()]
    assert exported(url, tmp_path / "out.jsonl") == undisturbed


def test_workers_and_tasks_killed_cost_nothing(
    url: str, cluster: str, undisturbed: bytes, tmp_path: Path
) -> None:
    with open_store(url) as store:
        with osler(*CONSULT, store=url, home=tmp_path, cluster=cluster) as found:
            os.kill(at_work(store)[0], signal.SIGKILL)  # a worker
            at_work(store, 1)
            ours = f"ray::osler worker {store.run('last').name}"
            task = next(pid for pid, line in commands().items() if line.startswith(ours))
            os.kill(task, signal.SIGKILL)  # the process of Ray that has started one
            _, said = found.communicate(timeout=300)
            assert found.returncode == 0, said
        assert not store.workers()
    assert exported(url, tmp_path / "out.jsonl") == undisturbed


def test_ctrl_c_gives_all_back_and_resume_goes_on_without_ray(
    url: str, cluster: str, undisturbed: bytes, tmp_path: Path
) -> None:
    with open_store(url) as store:
        with osler(*CONSULT, store=url, home=tmp_path, cluster=cluster) as found:
            at_work(store)
            found.send_signal(signal.SIGINT)
            _, said = found.communicate(timeout=120)
        assert found.returncode == 130, said
        assert "To continue: osler resume" in " ".join(said.split())
        assert not store.workers()
        run = store.run("last")
        assert (run.status, run.planned > run.done) == ("interrupted", True)
        with osler("resume", "last", store=url, home=tmp_path) as again:
            assert again.wait(timeout=300) == 0
    assert exported(url, tmp_path / "out.jsonl") == undisturbed


def test_a_cluster_of_its_own_leaves_nothing_behind(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, few = tmp_path / "home", ("consult", "library", "--limit", "2", "--on", "ray:2")
    home.mkdir()
    with TemporaryDirectory(prefix="own-") as own:
        monkeypatch.setenv("TMPDIR", own)
        with osler(*few, "--doctor", "baseline,oracle", store=url, home=home) as found:
            _, said = found.communicate(timeout=300)
        assert found.returncode == 0, said
        assert not [path.name for path in home.rglob("*") if "ray" in str(path)]
        until = time.monotonic() + 30
        while (left := [one for one in commands().values() if own in one]) and time.monotonic() < until:
            time.sleep(0.1)
        assert not left
        assert not [path.name for path in Path(own).iterdir() if path.name.startswith("osler-ray-")]


def test_ctrl_c_while_a_cluster_starts_is_an_interrupted_run(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with TemporaryDirectory(prefix="own-") as own:
        monkeypatch.setenv("TMPDIR", own)
        with osler("consult", "library", "--limit", "2", "--on", "ray:2", store=url, home=tmp_path) as found:
            until = time.monotonic() + 120
            while not any(Path(own).rglob("python-core-driver-*")):  # it connects
                assert time.monotonic() < until, "no cluster was started"
                time.sleep(0.02)
            found.send_signal(signal.SIGINT)
            _, said = found.communicate(timeout=120)
        assert found.returncode == 130, said
        assert "To continue: osler resume" in " ".join(said.split())
        assert not list(Path(own).iterdir())


def test_a_cluster_that_cannot_be_had_is_told_in_words(url: str, tmp_path: Path) -> None:
    few = ("consult", "library", "--limit", "2", "--on", "ray:2")
    with osler(*few, store=url, home=tmp_path, cluster="http://127.0.0.1:8265") as found:
        _, said = found.communicate(timeout=120)
        assert found.returncode == 1
        assert "no address of a Ray cluster" in said
        assert "Traceback" not in said
    with osler(*few, store=url, home=tmp_path, cluster="127.0.0.1:9") as found:
        _, said = found.communicate(timeout=120)
        assert found.returncode == 1, said
        assert "no Ray cluster answers" in said
        assert "Traceback" not in said
