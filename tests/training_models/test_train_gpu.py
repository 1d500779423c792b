"""The benchmark for one GPU, as far as it can be seen without one: its dry run."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "train_gpu.py"


def ran(*words: str, **more: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, str(SCRIPT), *words], capture_output=True, text=True, **more)


def test_a_dry_run_times_every_part_and_writes_one_table(tmp_path: Path) -> None:
    out, kept = tmp_path / "figures.json", tmp_path / "kept"
    kept.mkdir()
    done = ran("--dry-run", "--minutes", "60", "--out", str(out), "--folder", str(kept))
    assert done.returncode == 0, done.stderr
    found = json.loads(out.read_text())
    assert found["dry_run"] is True
    assert "these figures mean nothing" in done.stdout
    rows = {one["part"]: one for one in found["parts"]}
    assert len(rows) == 4
    assert all(f"| {name} |" in done.stdout for name in rows)
    vllm = rows.pop("GRPO, answers by vLLM")
    assert vllm["status"].startswith("not run") or vllm["status"] == "done"
    for name, one in rows.items():
        assert one["status"] == "done", name
        # The first of three updates warms up.
        assert one["steps"] == 2, name
        assert 0 < one["least_s"] <= one["step_s"] <= one["most_s"], name
        assert one["tokens_per_s"] > 0, name
        assert one["peak_gb"] > 0, name
    # Tokens of the answers are those that the samples hold.
    lines = [json.loads(one) for one in (kept / "part-2" / "samples.jsonl").read_text().splitlines()]
    assert len(lines) == 3 * 2 * 4
    timed = sum(one["tokens"] for one in lines if one["step"] > 1)
    grpo = rows["GRPO, answers by transformers"]
    assert grpo["tokens_per_s"] == pytest.approx(timed / (grpo["least_s"] + grpo["most_s"]), rel=0.02)


def test_without_a_base_nothing_is_timed() -> None:
    done = ran()
    assert done.returncode == 2
    assert "--dry-run" in done.stderr


def test_a_base_that_is_none_is_refused_before_anything_is_played(tmp_path: Path) -> None:
    done = ran("--base", str(tmp_path / "nowhere"), "--folder", str(tmp_path / "kept"))
    assert done.returncode == 2
    assert "no such folder" in done.stderr
    assert not (tmp_path / "kept").exists()
