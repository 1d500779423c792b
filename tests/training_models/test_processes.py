"""A policy trained by two processes: the same answers, scores and updates as by one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from osler.cli.main import app
from osler.training.folder import Folder
from tests.training_models.conftest import HERE
from tests.training_models.policies import many
from tests.training_models.scripted import generate

SETTINGS = ("steps=3", "prompts=4", "mini_batch=4", "group=4", "per_device=4", 'weights="all"', "beta=0.05")
CHANGES = [word for one in (*SETTINGS, "learning_rate=1e-4", "save_every=3") for word in ("--set", one)]
LAUNCH = (sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc_per_node", "2")


def test_two_processes_make_the_updates_of_one(
    room: Path, base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from trl import GRPOTrainer

    data = many(tmp_path / "data")

    def words(name: str) -> list[str]:
        line = f"train grpo {data} --base {base} --out {tmp_path}/{name} --profile tiny --reward rule --json"
        return [*line.split(), *CHANGES]

    monkeypatch.setattr(GRPOTrainer, "_generate_single_turn", generate)
    done = CliRunner().invoke(app, words("one"))
    assert done.exit_code == 0, done.output
    one = json.loads(done.stdout.splitlines()[-1])
    assert one["steps"] == 3
    assert 0 < one["reward_first"] < 1
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([*sys.path, str(HERE.parents[1])])}
    line = [*LAUNCH, "-m", "tests.training_models.scripted", *words("two")]
    launched = subprocess.run(line, capture_output=True, text=True, timeout=300, env=environment)
    assert launched.returncode == 0, launched.stderr[-2000:]
    (told,) = launched.stdout.splitlines()
    two = json.loads(told)
    figures = set(one) - {"out", "weights_hash", "wall_s"}
    assert {name: two[name] for name in figures} == {name: one[name] for name in figures}
    samples = [(tmp_path / name / "samples.jsonl").read_bytes() for name in ("one", "two")]
    assert samples[0] == samples[1], "each answer once, in the order of one process"
    logs = [Folder(tmp_path / name).log() for name in ("one", "two")]
    assert len(logs[0]) == 3
    for here, there in zip(*logs, strict=True):
        del here["kl"], there["kl"]  # a mean over micro-batches, which hold other answers
        assert there == pytest.approx(here, rel=1e-3, abs=1e-6)
    assert "hacking probes" in launched.stderr
    assert launched.stderr.count("hacking probes") == 1, "the first process alone tells"
