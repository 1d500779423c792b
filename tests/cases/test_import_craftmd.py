"""CRAFT-MD: rows of a CSV file become cases; a bad row costs only itself."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from osler.cases.importers.craftmd import read, vignettes
from osler.cases.model import Case
from osler.errors import BadInput
from tests.cases.vignettes import DATA, FIXTURES, assert_sound, imported, refused

SMALL = FIXTURES / "craftmd_small.csv"
REAL = DATA / "craftmd/vignettes_200.csv"
HEADER = ("case_vignette", "choice_1", "choice_2", "choice_3", "choice_4", "answer", "category")
TEXT = "A 40-year-old man presents with a rash. He denies fever."


def written(tmp_path: Path, *rows: tuple[str, ...], header: tuple[str, ...] = HEADER) -> Path:
    text = io.StringIO()
    csv.writer(text).writerows([header, *rows])
    path = tmp_path / "cases.csv"
    path.write_bytes(text.getvalue().encode("utf-8-sig", "surrogatepass"))
    return path


def test_a_vignette_goes_to_its_holders() -> None:
    case = imported(read, SMALL)[0][0]
    assert (case.age_years, case.sex, case.specialty) == (58.0, "male", "Rheumatology")
    assert case.opening.door_note.startswith("A 58-year-old man presents with a painful")
    told = {fact.text: fact for fact in case.facts}
    assert told["He denies chills."].absent
    assert told["He drinks beer every evening."].topic == "alcohol"
    found = {finding.name: finding.result for finding in case.findings}
    assert found["Vital signs"] == "His temperature is 37.4°C and his pulse is 82/min."
    assert found["Leukocyte count"] == "a leukocyte count of 11,200/mm3."
    assert "tender" in found["Musculoskeletal examination"]


def test_choices_that_repeat_the_answer_are_all_asked() -> None:
    case = imported(read, SMALL)[0][0]
    assert case.task.kind == "choice"
    assert case.task.options == {"A": "Gout", "B": "Cellulitis", "C": "Septic arthritis", "D": "Gout"}
    assert case.task.answer == "A"
    assert case.diagnosis is not None
    assert case.diagnosis.name == "Gout"


def test_an_answer_that_no_choice_gives_is_asked_for_without_choices() -> None:
    case = imported(read, SMALL)[0][1]
    assert (case.task.kind, case.task.answer, case.task.options) == ("diagnosis", "Head lice", None)
    assert "note: the answer is none of the choices; they are not asked" in case.provenance.flags
    assert "Ringworm" in {leaf.text for leaf in case.withheld}


def test_a_quote_and_a_line_break_in_a_cell_are_text() -> None:
    case = imported(read, SMALL)[0][1]
    assert case.speaker == "parent"
    assert any('"several" classmates' in fact.text for fact in case.facts)


def test_bad_rows_are_refused_by_number_and_the_others_imported() -> None:
    cases, report = imported(read, SMALL)
    assert refused(report) == {
        3: "it has no case_vignette",
        4: "it has 4 of 10 columns",
        5: "it has no answer",
    }
    assert [case.id for case in cases] == ["test-0001", "test-0002", "test-0006"]


def test_a_sentence_that_names_the_diagnosis_is_withheld_and_the_opening_flagged() -> None:
    case = imported(read, SMALL)[0][2]
    assert not case.facts
    assert "She reports that rosacea runs in her family." in {leaf.text for leaf in case.withheld}
    assert case.provenance.flags[0] == "given: diagnosis named in case_vignette[0]"
    assert case.task.question == "What is the most likely diagnosis?"


@pytest.mark.parametrize("header", [("vignette", "answer"), ("case_vignette", "diagnosis"), ("a",)])
def test_a_file_without_the_columns_is_bad_input(tmp_path: Path, header: tuple[str, ...]) -> None:
    with pytest.raises(BadInput, match="has no column"):
        list(read(written(tmp_path, header=header), "x"))


def test_column_names_may_vary_in_capitals_and_stand_twice(tmp_path: Path) -> None:
    header = (" Case_Vignette", "Choice 1", "choice_2", "Answer", "note", "note", "")
    path = written(tmp_path, (TEXT, "Measles", "Acne", "Acne", "one", "two", "three"), header=header)
    (case,) = imported(read, path)[0]
    assert case.task.options == {"A": "Measles", "B": "Acne"}
    assert {"one", "two", "three"} <= {leaf.text for leaf in case.withheld}


def test_what_is_not_utf8_costs_only_its_row(tmp_path: Path) -> None:
    path = tmp_path / "cases.csv"
    good = f'"{TEXT}",Acne\n'.encode()
    path.write_bytes(b"case_vignette,answer\n" + good + b'"Sj\xf6gren",x\n' + b"\n" + good)
    cases, report = imported(read, path)
    assert len(cases) == 2
    assert refused(report) == {2: "not UTF-8"}


def test_a_cell_beyond_all_measure_costs_only_itself(tmp_path: Path) -> None:
    path = written(tmp_path, (TEXT, *[""] * 4, "Acne", ""), ("x" * 200_000, *[""] * 4, "Acne", ""))
    cases, report = imported(read, path)
    assert len(cases) == 1
    assert "not valid CSV" in refused(report)[2]


@pytest.mark.slow
@pytest.mark.skipif(not REAL.exists(), reason="the CRAFT-MD data is not beside this checkout")
def test_every_real_row_is_imported_whole() -> None:
    cases, report = imported(read, REAL)
    assert (report.read, report.rejected) == (200, 0)
    assert_sound(vignettes(REAL), cases)
    kinds = [case.task.kind for case in cases]
    assert kinds.count("diagnosis") == 1, "one answer is none of the choices"


cells = st.text(max_size=60) | st.sampled_from([TEXT, "Acne", "", " | ", 'He says: "x". Labs: 4 mg/dL.'])


@given(st.lists(cells, min_size=7, max_size=7))
@example(["0.Aa", "", "", "", "", "0:AA", ""])  # the answer stands across two clauses of the opening
def test_any_row_is_a_case_or_refused_with_a_reason(
    tmp_path_factory: pytest.TempPathFactory, row: list[str]
) -> None:
    path = written(tmp_path_factory.mktemp("craftmd"), tuple(row))
    for item in read(path, "t"):
        if isinstance(item, Case):
            assert_sound(vignettes(path), [item])
        else:
            assert (item.record, bool(item.reason)) == (1, True)
