"""The study that changes the patient alone: the doctor's figures, beside the patients' scorecards."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from osler.cli.main import app
from osler.errors import BadInput
from osler.studies.study.design import study_named
from tests.protocols.shared import faulty_patients as faulty

REFUSING = f"python:{faulty.__name__}:refusing"
ASKING = f"python:{faulty.__name__}:greets"


def ran(*arguments: str) -> Any:
    done = CliRunner().invoke(app, [*arguments, "--json"])
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


def test_only_the_patient_changes_and_each_has_its_scorecard(tmp_path: Path) -> None:
    store, page = f"sqlite:///{tmp_path}/osler.db", tmp_path / "page.html"
    given = ["--given", f"patient=baseline,{REFUSING}", "--given", f"doctor={ASKING}"]
    found = ran(
        *("study", "run", "patients", "--limit", "2", "--store", store, "--out", str(page), "--allow-code"),
        *given,
    )
    assert list(found["conditions"]) == ["baseline", REFUSING]
    assert found["primary"]["condition"] == REFUSING
    assert found["primary"]["against"] == "baseline"
    assert found["primary"]["n_pairs"] == 2
    cards = found["scorecards"]
    assert cards["baseline"]["figures"]["refusals"]["value"] == 0
    assert cards[REFUSING]["figures"]["refusals"]["value"] == 1 / faulty.EVERY
    for name, run in found["runs"].items():
        alone = ran("patient", "score", run, "--store", store)
        assert alone["patient"] == name
        assert {**cards[name], "run": run} == alone
    text = page.read_text("utf-8")
    assert "Scorecard of the patient" in text
    assert "refusals" in text


def test_a_study_names_a_seat_that_has_a_scorecard() -> None:
    study = study_named("patients")
    assert study.scorecard == "patient"
    with pytest.raises(ValueError, match="these seats have one: patient"):
        type(study).model_validate({**study.model_dump(), "scorecard": "doctor"})
    with pytest.raises(BadInput, match="no study"):
        study_named("patient")
