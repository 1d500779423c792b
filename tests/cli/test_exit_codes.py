"""Exit codes tell a script what happened: 0 done, 1 bad input, 2 usage, 3 paused, 4 too low, 130 stopped."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from osler.cli.main import app
from osler.store.store import open_store
from tests.endpoints import running

OSLER = str(Path(sys.executable).with_name("osler"))
RUNS = {
    "consult": ("consult", "library", "--limit=2", "--doctor=model:fake"),
    "round": ("round", "library", "--limit=2", "--tutor=model:fake"),
    "scenario": ("scenario", "play", "library", "--limit=2", "--examinee=model:fake"),
    "run": ("run", "consultation", "library", "--limit=2", "--seat=doctor=model:fake"),
}
ENDPOINT = """
[endpoints.fake]
base_url = "{url}"
model = "fake-model"
price_in = 1.0
price_out = 1.0
"""


def osler(*words: str) -> Result:
    return CliRunner().invoke(app, list(words))


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OSLER_STORE", str(tmp_path / "osler.db"))
    return tmp_path


def configure(url: str) -> None:
    Path("osler.toml").write_text(ENDPOINT.format(url=url))


def player(folder: Path, monkeypatch: pytest.MonkeyPatch, body: str) -> None:
    """A module `outside` with a class `Mine` whose `reply` has this body."""
    lines = f"class Mine:\n    name = 'mine'\n\n    async def reply(self, request):\n        {body}\n"
    (folder / "outside.py").write_text(lines)
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.delitem(sys.modules, "outside", raising=False)


@pytest.mark.parametrize("kind", RUNS)
def test_a_paused_run_exits_3_and_prints_one_object_that_says_how_to_continue(kind: str) -> None:
    with running(script=[{"status": 401, "reply": "wrong key"}]) as url:
        configure(url)
        done = osler(*RUNS[kind], "--json")
    assert done.exit_code == 3, done.stderr
    said = json.loads(done.stdout)
    assert (said["status"], said["done"], said["planned"]) == ("paused", 0, 2)
    assert "endpoint fake: auth" in said["why"]
    assert said["to_continue"] == f"osler resume {said['run']}"
    with running() as url:
        configure(url)
        assert osler("resume", said["run"], "--json").exit_code == 0


@pytest.mark.parametrize("limit", ["--token-budget=100", "--max-money=0.001"])
def test_the_command_to_continue_never_repeats_the_limit_that_is_used_up(limit: str) -> None:
    flag, _, value = limit.partition("=")
    with running() as url:
        configure(url)
        done = osler(*RUNS["consult"], limit, "--json", "--concurrency=1")
        for _ in range(40):
            if done.exit_code == 0:
                break
            assert done.exit_code == 3
            again = json.loads(done.stdout)["to_continue"].split()
            raised = float(again[again.index(flag) + 1])
            assert raised > float(value)
            value = str(raised)
            done = osler(*again[1:], "--json", "--concurrency=1")
    assert done.exit_code == 0, "going on as told ends"


def test_a_score_below_what_is_wanted_exits_4() -> None:
    done = osler("consult", "library", "--limit=1", "--doctor=null", "--fail-under=0.5")
    assert done.exit_code == 4


def test_a_players_exception_pauses_and_is_counted_where_asked(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    player(folder, monkeypatch, "return undefined_name")
    words = ("consult", "library", "--limit=2", "--doctor=python:outside:Mine", "--json")
    done = osler(*words)
    assert done.exit_code == 3
    why = json.loads(done.stdout)["why"]
    assert "the player mine (doctor) raised NameError: name 'undefined_name'" in why
    assert "Traceback" not in done.output
    done = osler("resume", "last", "--max-errors=0", "--concurrency=1", "--json")
    assert done.exit_code == 3
    assert "1 episodes ended by faults, more than 0" in json.loads(done.stdout)["why"].replace("\n", " ")
    done = osler("resume", "last", "--max-errors=5", "--json")
    assert done.exit_code == 0
    found = json.loads(done.stdout)
    assert found["ended"] == {"player_fault": 2}
    assert found["ended_because"] == {"player_fault": {"NameError": 2}}
    assert found["headline_bounds"] == [0.0, 1.0]

    player(folder, monkeypatch, "raise SystemExit(3)")
    assert osler("resume", "last", "--retry-failed").exit_code == 3

    good = "from osler.protocols.consultation.players.trivial import AlwaysConclude as Good"
    player(folder, monkeypatch, f"{good}\n        return await Good().reply(request)")
    again = osler("resume", "last", "--retry-failed", "--json")
    assert again.exit_code == 0
    assert json.loads(again.stdout)["ended"] == {"completed": 2}


def test_causes_are_told_in_the_summary_the_report_and_the_transcript(folder: Path) -> None:
    with running(script=[{"reply": "", "finish_reason": "content_filter"}]) as url:
        configure(url)
        done = osler(*RUNS["consult"])
    assert done.exit_code == 0
    assert "invalid_play: 2 filtered" in done.stdout
    assert "No headline" in done.stdout
    assert "invalid_play (filtered)" in osler("show", "last:0").stdout
    assert osler("report", "last", "--out", "report.html").exit_code == 0
    page = Path("report.html").read_text()
    assert "invalid_play: filtered" in page
    assert "<b>No headline</b>" in page


def store_during(change: Callable[[Path], None], folder: Path) -> subprocess.CompletedProcess[str]:
    """Play slowly into a store, change its file once something is recorded, and wait for the end."""
    kept = folder / "kept"
    kept.mkdir()
    (folder / "slow.py").write_text(
        dedent(
            """
            import asyncio
            from osler.protocols.consultation.players.doctor import BaselineDoctor

            class Slow:
                name, durable = "slow", True

                async def reply(self, request):
                    await asyncio.sleep(0.2)
                    return await BaselineDoctor().reply(request)
            """
        )
    )
    words = ("consult", "library", "--limit=2", "--doctor=python:slow:Slow", "--store", str(kept / "o.db"))
    environ = {**os.environ, "PYTHONPATH": f"{folder}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"}
    process = subprocess.Popen(
        [OSLER, *words], cwd=folder, env=environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    while True:
        assert process.poll() is None, process.communicate()
        if (kept / "o.db").exists():
            with open_store(kept / "o.db") as store:
                if any(store.partial(run.id) for run in store.runs()):
                    break
        time.sleep(0.05)
    change(kept)
    out, err = process.communicate(timeout=120)
    return subprocess.CompletedProcess(words, process.returncode, out, err)


def removed(kept: Path) -> None:
    for file in kept.glob("o.db*"):
        file.unlink()


def replaced(kept: Path) -> None:
    shutil.copy(kept / "o.db", kept / "other.db")
    (kept / "other.db").replace(kept / "o.db")


@pytest.mark.slow
@pytest.mark.parametrize("change", [removed, shutil.rmtree, replaced])
def test_a_store_that_vanishes_pauses_the_run(change: Callable[[Path], Any], folder: Path) -> None:
    done = store_during(change, folder)
    said = " ".join(done.stderr.split())
    assert done.returncode == 3, said
    assert "the store was removed or replaced while it was in use" in said
    assert "To continue: osler resume" in said
    assert "Traceback" not in said


@pytest.mark.parametrize(
    "before", [(), ("sh", "-c", "trap '' INT; exec \"$@\"", "sh")], ids=["", "background"]
)
def test_sigterm_says_how_to_continue_like_ctrl_c(folder: Path, before: tuple[str, ...]) -> None:
    with running(latency_ms=500) as url:
        configure(url)
        process = subprocess.Popen(
            [*before, OSLER, *RUNS["consult"]],
            cwd=folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        while not (folder / "osler.db").exists():
            time.sleep(0.05)
        while True:
            with open_store(folder / "osler.db") as store:
                if any(store.partial(run.id) for run in store.runs()):
                    break
            time.sleep(0.05)
        process.send_signal(signal.SIGTERM)
        _, said = process.communicate(timeout=60)
    assert process.returncode == 130, said
    assert "To continue: osler resume r-" in " ".join(said.split())
    assert "Traceback" not in said
