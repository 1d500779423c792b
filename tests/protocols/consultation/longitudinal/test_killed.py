"""A study whose process is killed outright goes on with the same command, on both databases."""

from __future__ import annotations

import subprocess
import sys
import time
from typing import Any

import pytest

from osler.memory.sql_memory import SqlKeeper
from osler.protocols.consultation.longitudinal.design import Design
from osler.protocols.consultation.longitudinal.run_study import run_here, sits, studied
from osler.store.store import open_store

pytestmark = pytest.mark.slow

DESIGN = Design(
    cases="generated:60:2", by="random", blocks=2, orders=1, seeds=2, taught=5, probes=4, reserved=0.02
)
WORDS = "study run longitudinal --cases generated:60:2 --by random --blocks 2 --orders 1 --seeds 2 --taught 5"


def begun(url: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", "from osler.cli.main import app; app()", *WORDS.split()]
    more = ["--probes", "4", "--processes", "2", "--json", "--store", url]
    return subprocess.Popen([*command, *more], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def done(url: str) -> int:
    with open_store(url) as store:
        return sum(run.done for run in store.runs())


def logs(url: str) -> dict[str, Any]:
    with open_store(url) as store:
        keeper = SqlKeeper(store.engine)
        return {name: keeper.steps(name) for name in keeper.names()}


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Any], int, dict[str, Any]]:
    at = str(tmp_path_factory.mktemp("whole") / "s.db")
    study = studied(DESIGN)
    with open_store(at) as store:
        report = run_here(study, store, sits(study, store, 4), lambda _: None)
    return report.model_dump(mode="json"), done(at), logs(at)


def test_killed_outright_nobody_plays_on_and_going_on_comes_to_the_same(
    url: str, undisturbed: tuple[dict[str, Any], int, dict[str, Any]]
) -> None:
    whole, episodes, steps = undisturbed
    with open_store(url) as store:
        process = begun(url)
        until = time.monotonic() + 300
        while sum(run.done for run in store.runs()) < episodes // 4 and time.monotonic() < until:
            assert process.poll() is None
            time.sleep(0.3)  # what looks too often slows down what it looks at
    process.kill()
    process.communicate(timeout=300)  # its output ends when the last of its own processes has ended
    assert 0 < done(url) < episodes
    study = studied(DESIGN)
    for _ in range(2):  # what is done already is not played again, and nothing is written down twice
        with open_store(url) as store:
            report = run_here(study, store, sits(study, store, 4), lambda _: None)
        assert report.model_dump(mode="json") == whole
        assert done(url) == episodes
        assert logs(url) == steps
