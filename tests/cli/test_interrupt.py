"""Ctrl-C ends a run cleanly, says how to go on, and going on ends with the same bytes."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

OSLER = str(Path(sys.executable).with_name("osler"))


def osler(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    done = subprocess.run([OSLER, *words], cwd=folder, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done


def test_ctrl_c_says_how_to_go_on_and_going_on_changes_no_byte(tmp_path: Path) -> None:
    long_run = ("consult", "library", "--limit", "5", "--repeats", "400", "--seed", "2")
    process = subprocess.Popen(
        [OSLER, *long_run], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    while not (tmp_path / "osler.db-wal").exists() or (tmp_path / "osler.db-wal").stat().st_size < 500_000:
        assert process.poll() is None, "the run was over before it could be interrupted"
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "To go on: osler resume r-" in " ".join(said.split())
    assert "Traceback" not in said

    listed = json.loads(osler(tmp_path, "runs", "--json").stdout)["runs"][0]
    assert listed["status"] == "interrupted"
    assert 0 < listed["done"] < 2000
    assert json.loads(osler(tmp_path, "resume", "last", "--json").stdout)["episodes"] == 2000
    osler(tmp_path, "export", "last", "--out", "resumed.jsonl")
    osler(tmp_path, *long_run)
    osler(tmp_path, "export", "last", "--out", "undisturbed.jsonl")
    assert (tmp_path / "resumed.jsonl").read_bytes() == (tmp_path / "undisturbed.jsonl").read_bytes()
