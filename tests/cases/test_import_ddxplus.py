"""DDXPlus: rows of coded answers become statements, and a million of them pass in flat memory."""

from __future__ import annotations

import csv
import io
import shutil
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from osler.cases.importers.ddxplus import read
from osler.cases.importers.ddxplus_evidence import evidences_beside, said_yes_or_no
from osler.cases.importers.report import Rejected
from osler.cases.model import Case
from osler.errors import BadInput
from tests.cases.importing import FIXTURES, imported, refusals, shown

FOLDER = FIXTURES / "ddxplus_small"
SMALL = FOLDER / "release_patients.csv"
HEADING = "AGE,DIFFERENTIAL_DIAGNOSIS,SEX,PATHOLOGY,EVIDENCES,INITIAL_EVIDENCE"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("release_evidences.json", "release_conditions.json"):
        shutil.copy(FOLDER / name, tmp_path)
    return tmp_path


def table(folder: Path, *rows: str, heading: str = HEADING) -> Path:
    path = folder / "patients.csv"
    path.write_text("\n".join((heading, *rows)) + "\n", encoding="utf-8")
    return path


def test_good_rows_are_imported_and_bad_ones_refused_by_number() -> None:
    cases, report = imported(read, SMALL, "ddxplus")
    assert [case.id for case in cases] == ["ddxplus-0001", "ddxplus-0002", "ddxplus-0003", "ddxplus-0010"]
    assert (report.read, report.imported, report.rejected) == (10, 4, 6)
    assert refusals(report) == {
        4: "the conditions do not hold 'Gout'",
        5: "the evidences do not hold 'E_99'",
        6: "evidence E_4 has no value V_99",
        7: "AGE is not a number: 'old'",
        8: "EVIDENCES is not a list",
        9: "it has 2 of 6 columns",
    }


def test_answers_become_statements_and_what_is_not_listed_is_denied() -> None:
    case = imported(read, SMALL)[0][0]
    facts = {fact.id: fact for fact in case.facts}
    assert case.opening.words == "I am short of breath when I climb stairs."
    assert (
        facts["E_4"].text == "Where do they feel the pain: left side of the chest, right side of the chest."
    )
    assert facts["E_5"].text == "How strong is their pain: 7 on a scale from 0 to 10."
    assert (facts["E_7"].text, facts["E_7"].topic) == ("Has had a blood clot in their leg.", "past_medical")
    assert (facts["E_6"].text, facts["E_6"].absent) == ("Does not smoke cigarettes.", True)
    assert (facts["E_6"].topic, facts["E_12"].topic) == ("tobacco", "family")
    # At its default an evidence with values is a negative; one that is not listed is not known.
    assert facts["E_13"].absent
    assert "E_9" not in facts
    assert {fact.id for fact in case.facts if fact.key} == {"E_3", "E_4", "E_5", "E_10"}


def test_the_answer_is_the_english_name_and_is_shown_to_nobody() -> None:
    first, child, third, _ = imported(read, SMALL)[0]
    assert (first.task.answer, first.diagnosis and first.diagnosis.icd10) == ("Pulmonary embolism", "I26")
    assert (child.task.answer, child.diagnosis and child.diagnosis.icd10) == ("Viral pharyngitis", "J02.9")
    assert third.diagnosis is not None
    assert third.diagnosis.icd10 is None
    for case in (first, child, third):
        assert case.task.answer.lower() not in shown(case).lower()
        assert {leaf.source for leaf in case.withheld} >= {"PATHOLOGY", "DIFFERENTIAL_DIAGNOSIS"}


def test_a_childs_answers_are_a_parents() -> None:
    child = imported(read, SMALL)[0][1]
    assert (child.speaker, child.age_years) == ("parent", 7)
    assert all(fact.known_by == "parent" and fact.spoken is None for fact in child.facts)


def test_further_columns_are_withheld_and_missing_values_noted() -> None:
    cases, _ = imported(read, SMALL)
    assert ("column_7", "left over") in [(leaf.source, leaf.text) for leaf in cases[2].withheld]
    assert "note: the source gives no age" in cases[3].provenance.flags


def test_every_answer_of_a_row_stands_in_its_case() -> None:
    evidences = evidences_beside(SMALL)
    rows = list(csv.DictReader(io.StringIO(SMALL.read_text("utf-8-sig"))))
    for case in imported(read, SMALL)[0]:
        row = rows[int(case.provenance.record) - 1]
        told = {fact.id: fact.text for fact in case.facts}
        for token in row["EVIDENCES"].strip("[]").replace("'", "").replace('"', "").split(","):
            code, _, value = token.strip().partition("_@_")
            assert evidences[code].meanings.get(value, value) in told[code]
        assert {code for code, one in evidences.items() if one.kind == "B"} <= set(told)


@pytest.mark.parametrize(
    ("question", "yes", "no", "spoken"),
    [
        ("Do you have a rash?", "Has a rash.", "Does not have a rash.", "I have a rash."),
        ("Have you ever fainted?", "Has fainted.", "Has never fainted.", "I have fainted."),
        ("Are you dizzy when you stand?", "Is dizzy when they stand.", "Is not dizzy when they stand.",
         "I am dizzy when I stand."),
        ("Do you often carry loads?", "Often carries loads.", "Does not often carry loads.",
         "I often carry loads."),
        ("Did you lose your voice?", "Did lose their voice.", "Did not lose their voice.",
         "I did lose my voice."),
        ("Does it wake you?", "Asked “Does it wake you?”: yes.", "Asked “Does it wake you?”: no.",
         "To “Does it wake you?” I would say yes."),
        ("Do you or did you smoke?", "Asked “Do you or did you smoke?”: yes.",
         "Asked “Do you or did you smoke?”: no.", "To “Do you or did you smoke?” I would say yes."),
    ],
)  # fmt: skip
def test_questions_are_turned_only_where_the_grammar_is_sure(
    question: str, yes: str, no: str, spoken: str
) -> None:
    assert said_yes_or_no(question, True)[:2] == (yes, spoken)
    assert said_yes_or_no(question, False).text == no


def test_what_must_stand_beside_the_table_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"release_evidences\.json is missing"):
        list(read(table(tmp_path, "1,[],F,Gout,[],E_1"), "d"))
    shutil.copy(FOLDER / "release_evidences.json", tmp_path / "evidences.json")
    with pytest.raises(BadInput, match=r"release_conditions\.json is missing"):
        list(read(table(tmp_path), "d"))
    (tmp_path / "conditions.json").write_text("[1")
    with pytest.raises(BadInput, match="not valid JSON"):
        list(read(table(tmp_path), "d"))


def test_a_table_without_the_columns_is_bad_input(folder: Path) -> None:
    with pytest.raises(BadInput, match="no column PATHOLOGY and EVIDENCES"):
        list(read(table(folder, heading="a,b"), "d"))


def test_a_quote_that_never_ends_and_bytes_that_are_no_text_cost_only_their_rows(folder: Path) -> None:
    good = b"30,[],F,Viral pharyngitis,['E_8'],E_8\n"
    path = folder / "patients.csv"
    path.write_bytes(
        HEADING.encode() + b"\n" + good + b"30,[],F,Caf\xe9,['E_8'],E_8\n"
        b'30,"' + b"x" * 140_000 + b"\n" + good
    )
    items = list(read(path, "d"))
    assert [type(item) for item in items] == [Case, Rejected, Rejected, Case]
    assert next(item.reason for item in items if isinstance(item, Rejected)) == "not UTF-8"


def test_rows_pass_in_flat_memory(folder: Path) -> None:
    path = table(folder, *["30,[],F,Viral pharyngitis,\"['E_1', 'E_8']\",E_8"] * 3000)
    tracemalloc.start()
    for number, _ in enumerate(read(path, "d"), start=1):
        if number == 500:
            before = tracemalloc.get_traced_memory()[0]
    after = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert number == 3000
    assert after - before < 500_000


cells = st.text(max_size=20) | st.sampled_from(
    (
        "54",
        "-1",
        "nan",
        "F",
        "['E_1']",
        "['E_4_@_V_2']",
        "E_1",
        "E_5_@_3",
        "[1]",
        "{}",
        "[" * 300,
        "Viral pharyngitis",
    )
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(cells, min_size=5, max_size=7))
def test_any_row_is_a_case_or_refused(folder: Path, row: list[str]) -> None:
    path = folder / "patients.csv"
    with path.open("w", encoding="utf-8", errors="surrogatepass", newline="") as file:
        csv.writer(file).writerows([HEADING.split(","), row])
    for item in read(path, "d"):
        assert isinstance(item, Case) or item.reason
