"""NEJM records: the case's own question, its options, and a patient who does not know the answer."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given

from osler.cases.importers.json_paths import leaves_of, words_of
from osler.cases.importers.nejm import import_record, read
from osler.cases.importers.reading import Record, read_records
from osler.cases.importers.sentences import sentences
from osler.cases.importers.vignette.question import asks_for_diagnosis
from osler.cases.model import Case
from osler.errors import BadCase
from tests.cases.importing import FIXTURES, damaged, imported, refusals, shown, squeezed, told

SMALL = FIXTURES / "nejm_small.jsonl"
GOOD: dict[str, Any] = json.loads(SMALL.read_text(encoding="utf-8").splitlines()[0])


def test_good_records_are_imported_and_bad_ones_refused_by_number() -> None:
    cases, report = imported(read, SMALL, "nejm")
    assert [case.id for case in cases] == ["nejm-0001", "nejm-0002", "nejm-0003"]
    assert (report.read, report.imported, report.rejected) == (7, 3, 4)
    assert refusals(report) == {
        4: "2 answers are marked correct; one must be",
        5: "no answers are marked correct; one must be",
        7: "not valid JSON: it ends too early",
        8: "it has no question",
    }


def test_a_record_becomes_a_patient_findings_and_a_choice() -> None:
    case = imported(read, SMALL)[0][0]
    assert (case.age_years, case.sex, case.speaker) == (24, "male", "patient")
    assert "painful blisters" in case.opening.words
    assert (case.task.kind, case.task.answer) == ("choice", "B")
    assert case.task.options is not None
    assert case.task.options["B"] == "Herpes zoster"
    assert case.diagnosis is not None
    assert case.diagnosis.name == "Herpes zoster"
    assert {fact.text for fact in case.facts if fact.absent} >= {"He had no fever.", "He had no cough."}
    assert [finding.name for finding in case.findings] == [
        "Vital signs",
        "Skin examination",
        "Respiratory examination",
        "Lymph node examination",
        "Image 1",
    ]
    assert case.findings[-1].result == "This image is not at hand."


def test_a_question_for_something_else_is_asked_as_it_stands_and_has_no_diagnosis() -> None:
    case = imported(read, SMALL)[0][1]
    assert case.task.question == "Which exposure most likely explains the findings?"
    assert case.diagnosis is None
    assert any(flag.startswith("given:") for flag in case.provenance.flags)


def test_who_names_the_diagnosis_is_not_heard_and_the_question_tells_no_history() -> None:
    case = imported(read, SMALL)[0][2]
    assert case.task.question == "What is the diagnosis?"
    assert "preseptal" not in shown(case).lower()
    assert "An earlier doctor suspected preseptal cellulitis." in [leaf.text for leaf in case.withheld]
    assert (case.age_years, case.sex, case.speaker) == (7, "male", "parent")
    assert all(fact.known_by == "parent" for fact in case.facts)


def test_a_picture_whose_name_tells_the_answer_is_known_by_a_number() -> None:
    case = import_record({**GOOD, "image_url": "https://images.invalid/herpes-zoster.png"}, 1, "t")
    assert "zoster" not in shown(case).lower()
    assert case.findings[-1].name == "Image 1"


def test_every_sentence_and_leaf_stands_in_the_case() -> None:
    cases = {case.provenance.record: case for case in imported(read, SMALL)[0]}
    for item in read_records(SMALL):
        if isinstance(item, Record) and str(item.number) in cases:
            everything = told(cases[str(item.number)])
            for leaf in leaves_of({**item.value, "image_url": None}):
                for sentence in sentences(words_of(leaf.value)):
                    # A denial of two things is told as two denials.
                    for part in sentence.replace(" or ", "|").split("|"):
                        assert squeezed(part) in everything, part


@pytest.mark.parametrize(
    ("question", "asks"),
    [
        ("What is the diagnosis?", True),
        ("What is the most likely diagnosis?", True),
        ("Which one of the following conditions does this patient have?", True),
        ("Which test would confirm the diagnosis?", False),
        ("What is the most appropriate next step in management?", False),
        ("Which exposure is the likely source?", False),
        ("What is the mechanism of this disorder?", False),
    ],
)
def test_what_a_question_asks_for(question: str, asks: bool) -> None:
    assert asks_for_diagnosis(question) is asks


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"answers": None}, "answers must be a list"),
        ({"answers": ["Gout"]}, "answer 1 must be an object"),
        ({"answers": [{"text": "Gout", "correct": "maybe"}]}, "correct must be true or false"),
        ({"answers": [{"text": "", "correct": True}]}, "no text"),
        ({"patient_info": None}, "nothing of the patient"),
        ({"patient_info": "word " * 50_000}, "characters"),
    ],
)
def test_what_cannot_be_played_is_refused_with_its_reason(change: dict[str, Any], reason: str) -> None:
    with pytest.raises(BadCase, match=reason):
        import_record({**GOOD, **change}, 1, "t")


@given(damaged(GOOD))
def test_a_damaged_record_is_a_case_or_refused(record: dict[str, Any]) -> None:
    try:
        case = import_record(record, 1, "t")
    except BadCase:
        return
    assert Case.model_validate_json(case.model_dump_json()) == case
    # The options are in the question; the patient and the results never name the diagnosis.
    if case.diagnosis and case.diagnosis.name == "Herpes zoster":
        assert "herpes zoster" not in shown(case).lower()
