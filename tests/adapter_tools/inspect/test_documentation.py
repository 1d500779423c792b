"""The commands of docs/adapters/inspect.md, as they stand there."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from osler.store.store import open_store

PAGE = Path(__file__).parents[3] / "docs" / "adapters" / "inspect.md"


def commands() -> list[str]:
    blocks = re.findall(r"^```sh\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    lines = "\n".join(blocks).replace("\\\n", " ").splitlines()
    return [line for line in lines if line and not line.startswith(("pip ", "export "))]


def test_its_commands_run_as_it_says(tmp_path: Path, endpoint: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MINE_BASE_URL", endpoint)
    monkeypatch.setenv("MINE_API_KEY", "none")
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    told = []
    for line in commands():
        done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, timeout=600, check=False)
        assert done.returncode == 0, f"{line}\n{done.stdout}\n{done.stderr}"
        told.append(done.stdout)
    assert [line.split()[0] for line in commands()] == ["inspect", "osler", "osler", "inspect"]
    assert "correct" in told[0]
    assert "2 of 2 encounters; each was replayed" in told[1]
    assert "step_gain" in told[3]
    with open_store(tmp_path / "osler.db") as store:
        assert [(run.status, run.done) for run in store.runs()] == [("done", 2)]
