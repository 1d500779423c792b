"""The rules of benchmarks/real_models.py: what it counts, in our record and in AgentClinic's loop."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from osler.testing.endpoint import running

BENCHMARKS = str(Path(__file__).parents[2] / "benchmarks")
LOOP = """\
Doctor [8%]: What brings you in today?
Patient [8%]: I'm sorry, but I can't assist with that.
Doctor [16%]: When did it start?
Patient [16%]: Two days ago. I can't remember the hour.
Doctor [24%]: Does anything make it better or worse?
Patient [24%]: Does anything make it better or worse?
Doctor [75%]: REQUEST TEST: Complete_Blood_Count
Measurement [75%]: RESULTS: NORMAL READINGS
Scene 0, The diagnosis was  INCORRECT 0
"""


@pytest.fixture(scope="module")
def bench() -> Iterator[ModuleType]:
    """`benchmarks/real_models.py`, which imports its neighbours by name."""
    sys.path.insert(0, BENCHMARKS)
    try:
        import real_models  # noqa: PLC0415 - it lies outside the packages

        yield real_models
    finally:
        sys.path.remove(BENCHMARKS)


def test_a_refusal_or_an_echo_is_no_answer_and_forgetting_is_one(bench: ModuleType) -> None:
    asked = [(100, 90, 9, "stop"), (120, 30, 8, "length"), (80, 80, 5, "stop"), (60, 60, 2, "stop")]
    one = sys.modules["real_models_loop"].figures(0, LOOP, asked, 4.0)
    sums = sys.modules["real_models_figures"].loop_figures([one])
    assert (sums["questions"], sums["questions_answered"], sums["orders_answered"]) == (3, 1, 1)
    assert (sums["sent"], sums["fresh"], sums["generated"], sums["cut"]) == (360, 260, 24, 1)
    assert sums["generated_per_answer"] == 12.0
    assert sums["diagnosed"] == 1


def test_a_seat_is_counted_from_the_record(
    bench: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    out, config = tmp_path / "found.json", tmp_path / "osler.toml"
    with running() as base_url:
        config.write_text(f'[endpoints.fake]\nbase_url = "{base_url}"\nmodel = "fake"\n')
        words = ["real_models.py", "--endpoint=fake", f"--config={config}", f"--out={out}", "--cases=1"]
        words += ["--seats=consultation/patient,scenario/controller", "--markdown"]
        monkeypatch.setattr(sys, "argv", words)
        bench.main()
        found: dict[str, Any] = json.loads(out.read_text())
        bench.main()  # nothing is played again
    assert json.loads(out.read_text()) == found
    assert [part["part"] for part in found["parts"]] == [
        "consultation/patient, library",
        "scenario/controller, st01",
        "scenario/controller, st03",
    ]
    patient = found["parts"][0]["rows"]
    assert len(patient) == len(sys.modules["real_models_plan"].QUESTIONS)
    assert all(row["answered"] and row["generated"] > 0 and row["sent"] > 0 for row in patient)
    beside = sys.modules["real_models_figures"].markdown(
        {**found, "label": "now"}, {**found, "label": "flat"}
    )
    assert "| consultation/patient | flat | 8 | 8 (" in beside
    assert "| consultation/patient | now | 8 | 8 (" in beside
    assert "| consultation/patient | now | 8 | 8 (" in capsys.readouterr().out


def test_a_part_without_time_goes_on(
    bench: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out, config = tmp_path / "found.json", tmp_path / "osler.toml"
    words = ["real_models.py", "--endpoint=fake", f"--config={config}", f"--out={out}", "--cases=1"]
    words += ["--seats=consultation/patient", f"--store={tmp_path / 'runs.db'}"]
    with running() as base_url:
        config.write_text(f'[endpoints.fake]\nbase_url = "{base_url}"\nmodel = "fake"\n')
        monkeypatch.setattr(sys, "argv", [*words, "--part-minutes=0.0000001"])
        bench.main()
        (before,) = json.loads(out.read_text())["parts"]
        monkeypatch.setattr(sys, "argv", words)
        bench.main()
    (after,) = json.loads(out.read_text())["parts"]
    assert (before["status"], after["status"]) == ("paused", "done")
    assert before["run"] == after["run"]
    assert len(before["rows"]) < len(after["rows"]) == 8
