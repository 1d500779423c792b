"""The vignette converter: every clause has one holder, and nobody says what only another can know."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from osler.cases.importers.json_paths import Leaf
from osler.cases.importers.vignette.case import case_of
from osler.cases.importers.vignette.clauses import cut
from osler.cases.importers.vignette.orderable import examination_named, result_named
from osler.cases.importers.vignette.pieces import (
    UnitRole,
    Vignette,
    by_rules,
    numbered,
    partition_fault,
    pieces_of,
    prose_of,
)
from osler.cases.importers.vignette.question import Question
from osler.cases.importers.vignette.roles import ROLES, cues, measured
from osler.cases.model import Case
from osler.errors import BadCase

ASKED = Question("What is the diagnosis?", {}, "", "Sarcoidosis", for_diagnosis=True)
OPENS = "A 44-year-old woman presents with a dry cough."


def vignette(text: str, asked: Question = ASKED) -> Vignette:
    prose = prose_of(text, "text")
    return Vignette(record=1, prose=prose, leaves=prose, asked=asked)


def roles(text: str) -> list[tuple[str, str]]:
    """Each piece after the opening, with its role."""
    found = vignette(f"{OPENS} {text}")
    pieces = pieces_of(found, by_rules(found))
    return [(piece.text.strip(" ,"), piece.given.role) for piece in pieces if OPENS not in piece.text]


def case(text: str, asked: Question = ASKED) -> Case:
    found = vignette(text, asked)
    return case_of(found, by_rules(found), "test", "t")


@pytest.mark.parametrize(
    ("sentence", "role"),
    [
        ("She denies fever.", "history"),
        ("Her father died of a stroke.", "history"),
        ("Her current medications are ramipril and aspirin.", "history"),
        ("The cough began 3 months ago and is worse at night.", "history"),
        ("She has lost 6 kg over the past year.", "history"),
        (
            "Her temperature is 37.9°C (100.2°F), pulse is 88/min, and blood pressure is 122/78 mm Hg.",
            "examination",
        ),
        ("Physical examination shows tender red nodules over both shins.", "examination"),
        ("There are crackles at both lung bases.", "examination"),
        ("Her serum calcium is 11.4 mg/dL.", "test"),
        ("A chest x-ray shows hilar enlargement on both sides.", "test"),
        ("The physician prescribes prednisolone.", "management"),
        ("She is admitted to the hospital and is started on oxygen.", "management"),
        ("Which of the following is the best next step?", "question"),
    ],
)
def test_a_sentence_belongs_to_whoever_can_know_it(sentence: str, role: str) -> None:
    assert {found for _, found in roles(sentence)} == {role}


def test_what_the_patient_says_inside_an_examination_is_the_patients() -> None:
    assert roles(
        "On examination, the knee is warm. She says that it hurts at night. The calf is nontender."
    ) == [
        ("On examination, the knee is warm.", "examination"),
        ("She says that it hurts at night.", "history"),
        ("The calf is nontender.", "examination"),
    ]


def test_a_sentence_is_cut_where_its_halves_belong_to_different_holders() -> None:
    assert roles("She takes lisinopril, and her blood pressure is 182/104 mm Hg.") == [
        ("She takes lisinopril", "history"),
        ("and her blood pressure is 182/104 mm Hg.", "examination"),
    ]


def test_results_in_one_sentence_are_found_under_their_own_names() -> None:
    found = case(
        f"{OPENS} Her hemoglobin is 9.8 g/dL, platelet count is 90,000/mm3, and creatinine is 2 mg/dL."
    )
    assert [finding.name for finding in found.findings] == ["Hemoglobin", "Platelet count", "Creatinine"]
    assert [finding.result for finding in found.findings][1] == "platelet count is 90,000/mm3."


@pytest.mark.parametrize(
    "table",
    [
        "| Test | Result |\n| --- | --- |\n| Sodium | 128 mEq/L |\n| Potassium | 5.9 mEq/L |",
        "Laboratory studies show:\n- Sodium: 128 mEq/L\n- Potassium: 5.9 mEq/L",
        "Laboratory studies show: | Serum | Sodium 128 mEq/L | Potassium 5.9 mEq/L",
    ],
)
def test_a_table_a_list_and_an_inline_table_are_the_same_results(table: str) -> None:
    found = {finding.name: finding.result for finding in case(f"{OPENS}\n\n{table}").findings}
    assert "128 mEq/L" in found["Sodium"]
    assert "5.9 mEq/L" not in found["Sodium"]
    assert "5.9 mEq/L" in found["Potassium"]


def test_rows_under_a_specimen_answer_for_it_alone() -> None:
    fluid = "Pleural fluid analysis shows:\n\n| Glucose | 20 mg/dL |"
    serum = "Serum studies show:\n\n| Glucose | 95 mg/dL |"
    found = case(f"{OPENS} {fluid}\n\n{serum}").findings
    first, last = (finding for finding in found if "Glucose" in finding.result)
    assert "Glucose" not in (first.name, *first.aliases)
    assert last.name == "Glucose"


def test_the_opening_says_who_came_and_why_in_words_of_a_patient_or_parent() -> None:
    grown, child = case(OPENS), case("A 3-year-old boy is brought by his father because of a limp.")
    assert grown.opening.words == "I have come because of this: a dry cough."
    assert (child.speaker, child.opening.words) == (
        "parent",
        "I have brought my child because of this: a limp.",
    )


def test_a_text_without_a_patient_is_all_opening() -> None:
    found = case("An investigator studies enzyme kinetics. What happens to the reaction?")
    assert found.opening.door_note == "An investigator studies enzyme kinetics."
    assert (found.facts, found.findings) == ((), ())


def test_what_names_the_diagnosis_is_withheld_wherever_it_stands() -> None:
    found = case(f"{OPENS} Her sister has sarcoidosis. A biopsy shows sarcoidosis. She denies fever.")
    assert [fact.text for fact in found.facts] == ["She denies fever."]
    assert not found.findings
    assert {leaf.text for leaf in found.withheld} == {
        "Her sister has sarcoidosis.",
        "A biopsy shows sarcoidosis.",
    }


def test_words_of_an_answer_that_is_no_diagnosis_are_evidence_and_flagged() -> None:
    asked = Question("Which habit explains this?", {"A": "Smoking"}, "A", "Smoking", for_diagnosis=False)
    found = case(f"{OPENS} She reports smoking since youth.", asked)
    assert [fact.text for fact in found.facts] == ["She reports smoking since youth."]
    assert found.provenance.flags[0].startswith("given: ")


def test_names_can_be_ordered() -> None:
    assert examination_named("The liver is palpable.").name == "Abdominal examination"
    assert examination_named("Scaly plaques cover both elbows.").name == "Skin examination"
    assert result_named("A CT scan of the head is normal.").kind == "image"
    assert result_named("Her ferritin is low.") == ("test", "Ferritin", ())
    assert result_named("| Xylose excretion | 2 g |", row=True).name == "Xylose excretion"


@pytest.mark.parametrize(
    "text", ["BP 140/90 mmHg", "fever of 39°C", "sodium 130 mEq/L", "a pulse of 110", "12,000/mm3 leukocytes"]
)
def test_a_measured_value_is_known_as_one(text: str) -> None:
    assert measured(text)


@pytest.mark.parametrize(
    "text", ["20 mg daily", "lost 9 kg", "for 3 weeks", "two glasses of wine", "40 years"]
)
def test_doses_weights_and_times_may_be_told(text: str) -> None:
    assert not measured(text)


def test_every_role_is_reached_by_a_cue_or_by_place() -> None:
    assert {cue.role for cue in cues()} == set(ROLES) - {"opening", "withheld"}


# --- the partition

PHRASES = (
    "She denies fever", "and her pulse is 90/min", "| Sodium | 130 mEq/L |", "| --- | --- |", "\n\n", " ",
    "(see below", ", which", "Dr. Hill", "A 40-year-old man", "presents with pain.", "Serum:", "What is it?",
    "Answer Choices: (A) x", "The physician prescribes rest.", "\u2003", "- Heart rate: 90\n", "e.g.", "\r\n",
    "a CT shows nothing; he", ")", "|",
)  # fmt: skip
prose = st.lists(st.sampled_from(PHRASES) | st.text(max_size=12), max_size=25).map(" ".join)


@given(prose)
def test_units_are_the_text(text: str) -> None:
    assert "".join(unit.text for unit in cut(text)) == text


@given(prose)
def test_the_pieces_are_the_whole_source_once_and_in_order(text: str) -> None:
    found = vignette(text)
    pieces = pieces_of(found, by_rules(found))
    assert partition_fault(found.prose, pieces) == ""
    assert re.sub(r"\s", "", "".join(piece.text for piece in pieces)) == re.sub(
        r"\s", "", "".join(str(leaf.value) for leaf in found.prose)
    )
    assert Case.model_validate_json((made := case(text)).model_dump_json()) == made


@given(prose, st.data())
def test_whatever_roles_a_model_gives_the_source_is_whole(text: str, data: st.DataObject) -> None:
    found = vignette(text)
    size = len(numbered(found))
    given_to = data.draw(st.lists(st.sampled_from(ROLES).map(UnitRole), min_size=size, max_size=size))
    assert partition_fault(found.prose, pieces_of(found, given_to)) == ""


def test_a_piece_lost_doubled_or_moved_is_a_fault() -> None:
    found = vignette(f"{OPENS} She denies fever. Her pulse is 90/min.")
    pieces = pieces_of(found, by_rules(found))
    first, second, third = pieces
    for wrong in (
        [first, third],
        [first, second, second, third],
        [first, third, second],
        [first, second._replace(text="She denies"), third],
        [first, second._replace(path=first.path), third],
        [],
    ):
        assert partition_fault(found.prose, wrong)
    assert not partition_fault([Leaf("x", " ")], [])


def test_a_text_of_too_many_clauses_is_refused() -> None:
    with pytest.raises(BadCase, match="more than 2000"):
        case("It hurts. " * 2500)
