"""Our own library: the cases of the blueprint, each sound, in which nothing likely is left unsaid."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

import osler.cases
from osler.cases.expected_findings import unwritten
from osler.cases.lint import lint, unmarked
from osler.cases.model import Case
from osler.cases.sources import open_source
from osler.knowledge.conditions import condition

FOLDER = Path(osler.cases.__file__).parent / "library"
LIBRARY = tuple(case for case in open_source("library") if isinstance(case, Case))
BLUEPRINT = {
    "Inferior ST-elevation myocardial infarction",
    "Acute pericarditis",
    "Atrial fibrillation",
    "Graves' disease",
    "Panic disorder",
    "Pulmonary embolism",
    "Chronic obstructive pulmonary disease",
    "Asthma",
    "Infantile hypertrophic pyloric stenosis",
    "Diabetic ketoacidosis",
    "Coeliac disease",
    "Ectopic pregnancy",
    "Acute appendicitis",
    "Testicular torsion",
    "Pre-eclampsia",
    "Migraine with aura",
    "Giant cell arteritis",
    "Carbon monoxide poisoning",
    "Transient ischaemic attack",
    "Vestibular schwannoma",
    "Benign paroxysmal positional vertigo",
    "Acute angle-closure glaucoma",
    "Major depressive disorder",
    "Delirium",
    "Acute kidney injury",
    "Malaria",
    "Multiple myeloma",
    "Acral lentiginous melanoma",
    "Inflicted injury in an infant",
    "Paracetamol overdose",
}


def diagnosis(case: Case) -> str:
    assert case.diagnosis is not None
    known = condition(case.diagnosis.name)
    assert known is not None, f"{case.diagnosis.name} is not a condition that the built-in doctor knows"
    return known.name


def test_every_diagnosis_of_the_blueprint_has_its_case() -> None:
    names = {name.casefold() for name in map(diagnosis, LIBRARY)}
    expected = {known.name.casefold() for name in BLUEPRINT if (known := condition(name))}
    assert len(expected) == len(BLUEPRINT), "a name of the blueprint is not known, or two are one"
    assert names == expected


def test_the_library_is_as_large_and_as_varied_as_planned() -> None:
    assert len(LIBRARY) == len(list(FOLDER.glob("*.yaml"))) == 30
    assert Counter(case.sex for case in LIBRARY) == {"female": 15, "male": 15}
    assert len({(case.specialty or "").casefold() for case in LIBRARY}) >= 20


@pytest.mark.parametrize("case", LIBRARY, ids=lambda case: case.id)
def test_a_case_is_sound(case: Case) -> None:
    assert [problem for problem in lint(case, strict=True) if problem.level == "error"] == []


@pytest.mark.parametrize("case", LIBRARY, ids=lambda case: case.id)
def test_whatever_the_diagnosis_makes_likely_is_written(case: Case) -> None:
    assert [finding.id for finding in unwritten(case)] == []


def test_every_file_begins_with_the_canary() -> None:
    assert unmarked(FOLDER) == ()
