"""MediQ: records with context sentences, a question and options become cases."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from osler.cases.importers.mediq import read, vignette_of, vignettes
from osler.cases.importers.vignette.case import case_of
from osler.cases.importers.vignette.pieces import by_rules
from osler.cases.model import Case
from osler.errors import BadCase, BadInput
from tests.cases.vignettes import DATA, FIXTURES, assert_sound, imported, refused

SMALL = FIXTURES / "mediq_small.jsonl"
REAL = DATA / "mediq/dev_200.jsonl"


def record(**changes: object) -> dict[str, object]:
    return {
        "question": "What is the most likely diagnosis?",
        "context": ["A 50-year-old woman presents with thirst.", "Her glucose is 310 mg/dL."],
        "options": {"A": "Diabetes mellitus", "B": "Anxiety"},
        "answer": "Diabetes mellitus",
        "answer_idx": "A",
        **changes,
    }


def one(**changes: object) -> Case:
    vignette = vignette_of(record(**changes), 1)
    return case_of(vignette, by_rules(vignette), "t", "t")


def test_sentences_go_to_their_holders_and_restatements_are_withheld() -> None:
    case = imported(read, SMALL)[0][0]
    assert (case.age_years, case.sex, case.specialty) == (34.0, "female", "Endocrinology")
    assert case.opening.sources == ("context[0]",)
    assert {fact.source for fact in case.facts} == {"context[1]", "context[2]"}
    assert "1. The patient is a 34-year-old woman." in {leaf.text for leaf in case.withheld}
    assert (case.task.kind, case.task.answer) == ("choice", "B")


def test_rows_of_a_table_are_results_under_their_own_names() -> None:
    found = {finding.name: finding for finding in imported(read, SMALL)[0][0].findings}
    assert found["TSH"].result == "TSH 0.01 mU/L."
    assert "Free thyroxine" in found["Free T4"].aliases
    assert found["ECG"].result == "An ECG shows sinus tachycardia."


def test_glucose_in_urine_does_not_answer_for_blood() -> None:
    case = imported(read, SMALL)[0][0]
    (urine,) = [finding for finding in case.findings if "Glucose" in finding.result]
    assert "Glucose" not in (urine.name, *urine.aliases)


def test_bad_records_are_refused_by_their_line() -> None:
    cases, report = imported(read, SMALL)
    assert refused(report) == {
        2: "not valid JSON: it ends too early",
        4: "it has no context",
        5: "its answers do not agree: option A is not 'Two'",
    }
    assert [case.id for case in cases] == ["test-0001", "test-0003", "test-0006"]


def test_a_question_that_points_back_brings_what_it_points_to() -> None:
    case = one(
        context=["A 66-year-old man comes with ankle swelling.", "The physician prescribes furosemide."],
        question="Laboratory studies show: | Sodium 139 mEq/L | This drug causes which of the following?",
    )
    assert case.task.question == (
        "The physician prescribes furosemide. This drug causes which of the following?"
    )
    assert {finding.name for finding in case.findings} >= {"Sodium"}


@pytest.mark.parametrize(
    ("changes", "answer"),
    [
        ({"answer_idx": None}, "A"),
        ({"answer": None}, "A"),
        ({"answer_idx": "a.", "answer": " diabetes  mellitus. "}, "A"),
        ({"options": ["Anxiety", "Diabetes mellitus"], "answer_idx": None}, "B"),
        ({"options": {"1": "Anxiety", "2": "Diabetes mellitus", "3": None}, "answer_idx": 2}, "2"),
    ],
)
def test_the_answer_is_found_by_its_key_or_its_words(changes: dict[str, object], answer: str) -> None:
    task = one(**changes).task
    assert (task.kind, task.answer) == ("choice", answer)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"context": None}, "no context"),
        ({"context": ["", None, []]}, "no context"),
        ({"question": ["What?", "Why?"]}, "no question"),
        ({"answer": None, "answer_idx": None}, "no answer"),
        ({"answer": "Anxiety"}, "do not agree"),
        ({"answer": "Gout"}, "do not agree"),
        ({"answer": None, "answer_idx": "F"}, "none of its options"),
        ({"answer": None, "options": None}, "no options"),
        ({"context": "word " * 30_000}, "longer than"),
        ({"context": "It hurt. " * 3000}, "more than 2000"),
    ],
)
def test_what_cannot_be_asked_is_refused(changes: dict[str, object], reason: str) -> None:
    with pytest.raises(BadCase, match=reason):
        one(**changes)


def test_context_may_be_one_text_and_options_may_be_missing() -> None:
    case = one(
        context="A 50-year-old woman presents with thirst. She denies pain.", options={}, answer_idx=""
    )
    assert (case.task.kind, case.task.answer) == ("diagnosis", "Diabetes mellitus")
    assert [fact.text for fact in case.facts] == ["She denies pain."]


def test_age_and_sex_come_from_the_record_where_the_prose_has_none() -> None:
    case = one(context=["The patient presents with thirst."], patient={"age": "9 years old", "gender": "F"})
    assert (case.age_years, case.sex) == (9.0, "female")


@pytest.mark.slow
@pytest.mark.skipif(not REAL.exists(), reason="the MediQ data is not beside this checkout")
def test_every_real_record_is_imported_whole() -> None:
    cases, report = imported(read, REAL)
    assert (report.read, report.rejected) == (200, 0)
    assert_sound(vignettes(REAL), cases)
    assert all(case.task.kind == "choice" for case in cases)


leaf = st.none() | st.booleans() | st.integers() | st.text(max_size=30)
anything = st.recursive(
    leaf,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=6,
)


@given(st.dictionaries(st.sampled_from([*record(), "facts", "patient", "x.y[0]"]), anything, max_size=4))
def test_any_record_is_a_case_or_refused_with_a_reason(
    tmp_path_factory: pytest.TempPathFactory, changes: dict[str, object]
) -> None:
    path = tmp_path_factory.mktemp("mediq") / "one.jsonl"
    path.write_text(json.dumps(record(**changes)), encoding="utf-8")
    (item,) = read(path, "t")
    if isinstance(item, Case):
        assert_sound(vignettes(path), [item])
    else:
        assert item.record == 1
        assert item.reason


def test_a_missing_file_is_no_traceback(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no such file"):
        list(read(tmp_path / "none.jsonl", "t"))
