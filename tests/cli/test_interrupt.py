"""Ctrl-C ends a run cleanly, says how to go on, and going on ends with the same bytes."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from osler.cli.main import app
from osler.runs import run as runs
from osler.store.store import open_store

OSLER = str(Path(sys.executable).with_name("osler"))


def osler(*words: str) -> Result:
    done = CliRunner().invoke(app, list(words))
    assert done.exit_code == 0, done.stderr
    return done


@pytest.mark.smoke
@pytest.mark.slow
def test_ctrl_c_says_how_to_go_on_and_going_on_changes_no_byte(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("OSLER_STORE", raising=False)
    long_run = ("consult", "library", "--limit", "5", "--repeats", "150", "--seed", "2")
    with open_store(tmp_path / "osler.db") as store:
        process = subprocess.Popen(
            [OSLER, *long_run], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        while not any(run.done for run in store.runs()):
            assert process.poll() is None, "the run was over before it could be interrupted"
            time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=300)
    assert process.returncode == 130
    assert "To continue: osler resume r-" in " ".join(said.split())
    assert "Traceback" not in said

    listed = json.loads(osler("runs", "--json").stdout)["runs"][0]
    assert listed["status"] == "interrupted"
    assert 0 < listed["done"] < 750
    assert json.loads(osler("resume", "last", "--json").stdout)["episodes"] == 750
    osler("export", "last", "--out", "resumed.jsonl")
    osler(*long_run)
    osler("export", "last", "--out", "undisturbed.jsonl")
    assert (tmp_path / "resumed.jsonl").read_bytes() == (tmp_path / "undisturbed.jsonl").read_bytes()


def test_ctrl_c_before_the_first_episode_says_how_to_go_on_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("OSLER_STORE", raising=False)

    def stopped(*run: object, **how: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(runs, "play", stopped)
        done = CliRunner().invoke(app, ["consult", "library", "--limit", "1", "--doctor", "baseline,oracle"])
    assert done.exit_code == 130
    with open_store(tmp_path / "osler.db") as store:
        later, first = (run.name for run in store.runs())
    said = " ".join(done.stderr.split())
    assert f"To continue: osler resume {first}" in said
    assert f"Begun with it, and resumed in the same way: {later}" in said
    assert json.loads(osler("resume", first, "--json").stdout)["episodes"] == 1


def test_what_is_shown_next_is_an_episode_that_there_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("OSLER_STORE", raising=False)
    done = osler("run", "consultation", "library", "--only", "cardiology-02")
    hint = " ".join(done.stderr.split()).partition("osler show ")[2].split()[0]
    assert osler("show", hint, "--json").stdout
