"""What the built-in doctor knows: a usable table of conditions, refused readably where it is not."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from osler.errors import BadInput
from osler.knowledge.conditions import condition, knowledge, likely_findings, load_knowledge

SMALL = """
leak:
  default: {symptom: 0.03, history: 0.05, sign: 0.02, test: 0.01}
companions:
  fever: {chills: 0.5}
conditions:
  influenza:
    name: Influenza
    synonyms: [flu]
    specialty: primary care
    prior: 3
    findings: {fever: 0.9, cough_productive: 0.4}
    plan: [Rest]
    followup: Come back if worse.
  torsion:
    name: Testicular torsion
    specialty: urology
    prior: 1
    ages: [[10, 25, 1]]
    sex: {female: 0, male: 1}
    findings: {testicular_pain: 0.9}
    plan: [Operate]
    followup: Stay.
"""


@pytest.fixture
def small(tmp_path: Path) -> Path:
    path = tmp_path / "conditions.yaml"
    path.write_text(SMALL)
    return path


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("NSTEMI", "Non-ST-elevation myocardial infarction"),
        ("coeliac disease", "Coeliac disease"),
        ("Celiac sprue", "Coeliac disease"),
        ("Graves’ Disease", "Graves' disease"),
        ("temporal arteritis", "Giant cell arteritis"),
        ("Guillain-Barre syndrome", "Guillain-Barré syndrome"),
        ("pericarditis", "Acute pericarditis"),
    ],
)
def test_a_condition_is_known_however_its_name_is_written(written: str, meant: str) -> None:
    found = condition(written)
    assert found is not None
    assert found.name == meant


def test_what_is_not_known_is_none() -> None:
    assert condition("Pes anserine bursitis") is None
    assert likely_findings("Pes anserine bursitis") == ()


BLUEPRINT = [
    "inferior STEMI",
    "pericarditis",
    "atrial fibrillation",
    "Graves' disease",
    "panic disorder",
    "pulmonary embolism",
    "COPD",
    "asthma",
    "pyloric stenosis",
    "diabetic ketoacidosis",
    "coeliac disease",
    "ectopic pregnancy",
    "appendicitis",
    "testicular torsion",
    "pre-eclampsia",
    "migraine with aura",
    "giant-cell arteritis",
    "carbon monoxide poisoning",
    "TIA",
    "vestibular schwannoma",
    "BPPV",
    "acute angle closure",
    "depression",
    "delirium",
    "acute kidney injury",
    "malaria",
    "myeloma",
    "acral melanoma",
    "inflicted fracture",
    "paracetamol overdose",
]


@pytest.mark.parametrize("name", BLUEPRINT)
def test_every_diagnosis_of_the_library_blueprint_is_known(name: str) -> None:
    assert condition(name) is not None


def test_the_tables_are_probabilities_and_as_large_as_what_they_describe() -> None:
    known = knowledge()
    assert known.present.shape == (len(known.conditions), len(known.findings))
    assert ((known.present > 0) & (known.present < 1)).all()
    assert np.allclose(np.exp(known.log_present) + np.exp(known.log_absent), 1)


@pytest.mark.parametrize("sex", ["female", "male", None])
@pytest.mark.parametrize("age", [0.1, 7, 30, 70, None])
def test_the_prior_sums_to_one(age: float | None, sex: None) -> None:
    assert np.exp(knowledge().prior(age, sex)).sum() == pytest.approx(1, abs=1e-4)


def test_age_and_sex_move_the_prior(small: Path) -> None:
    known = load_knowledge(small)
    row = known.find("Testicular torsion")
    chance = {who: np.exp(known.prior(*who))[row] for who in ((15, "male"), (60, "male"), (15, "female"))}
    assert chance[15, "male"] == pytest.approx(0.25)
    assert chance[60, "male"] < 0.01
    assert chance[15, "female"] < 1e-6


def test_what_a_finding_implies_or_brings_with_it_is_as_likely(small: Path) -> None:
    known = load_knowledge(small)
    column, row = known.column, known.find("flu")
    assert known.present[row, column["cough"]] == pytest.approx(0.4), "a productive cough is a cough"
    assert known.present[row, column["chills"]] == pytest.approx(0.45), "half of 0.9"
    assert known.present[row, column["rash"]] == pytest.approx(0.03), "the leak"


def test_likely_findings_are_those_at_least_as_likely_as_the_threshold() -> None:
    ids = {item.id for item in likely_findings("malaria", 0.9)}
    assert {"fever", "travel_malarial", "malaria_film"} <= ids
    assert "rash" not in ids


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("fever: 0.9", "fevre: 0.9", "fevre"),
        ("fever: 0.9", "fever: 1.9", "between 0 and 1"),
        ("prior: 3", "prior: 0", "prior"),
        ("plan: [Rest]", "plan: []", "plan"),
        ("prior: 3", "prior: 3\n    colour: red", "colour"),
        ("test: 0.01", "tests: 0.01", "leak"),
        ("conditions:", "conditions: [", "cannot be read"),
    ],
)
def test_a_broken_conditions_file_is_refused_in_words(
    small: Path, old: str, new: str, complaint: str
) -> None:
    small.write_text(SMALL.replace(old, new, 1))
    with pytest.raises(BadInput, match=complaint):
        load_knowledge(small)


def test_a_missing_file_is_refused_in_words(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="cannot be read"):
        load_knowledge(tmp_path / "none.yaml")
