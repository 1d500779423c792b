"""Osler killed while the model writes: its server goes with it, and the run goes on where it was."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Final

import pytest

from osler.core.trace import ExchangeRow
from osler.models.embedded.server import LocalServer
from osler.runs import run as runs
from osler.runs.seating import ModelOptions, open_cast
from osler.store.records import RunInfo
from osler.store.store import Store, open_store
from tests.models.embedded.test_serving import running

LAST: Final = 2
PATIENCE_S: Final = 300.0


@pytest.mark.smoke
def test_a_run_killed_in_mid_answer_goes_on_and_asks_nothing_twice(
    toml: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "o.db"
    words = [sys.executable, "-m", "tests.real_models.killed", str(toml), str(file), str(LAST)]
    root = Path(__file__).parents[2]
    done = subprocess.run(words, cwd=root, stdout=subprocess.PIPE, text=True, timeout=PATIENCE_S)
    assert done.returncode == -signal.SIGKILL
    until = time.monotonic() + 10
    while running(int(done.stdout)):
        assert time.monotonic() < until, "the server is still there"
        time.sleep(0.02)
    sent = requests_counted(monkeypatch)
    with open_store(file) as store:
        [run] = store.runs()
        before = moves(store, run)
        assert len(before) == LAST - 1, "it was killed before the answer came"
        seated = open_cast(runs.config_of(run), ModelOptions(toml), resumed=(run, store))
        sitting = runs.play(run, store, concurrency=1, more=seated.more, around=seated.around)
        assert sitting.status == "done", sitting.why
        after = moves(store, run)
        assert after[: len(before)] == before
        calls = sum(row.body["calls"] for row in store.calls(run.id))
        assert sent == [1] * (calls - len(before))


def requests_counted(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """A list that grows by one with each request to the model."""
    port, sent = LocalServer.port, list[int]()

    async def counted(server: LocalServer) -> int:
        sent.append(1)
        return await port(server)

    monkeypatch.setattr(LocalServer, "port", counted)
    return sent


def moves(store: Store, run: RunInfo) -> list[ExchangeRow]:
    """The moves of the model in every encounter, in order."""
    return [
        row
        for ordinal in range(run.planned)
        for row in store.recorded(run.id, ordinal)
        if row.seat == "doctor"
    ]
