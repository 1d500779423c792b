"""A missing value is missing in every format: it is no fact, no result, no complaint and no diagnosis."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from osler.cases.importers import Rejected, import_file
from osler.cases.model import Case
from osler.cases.rubrics.reading import parse
from osler.errors import BadInput
from osler.text.records.missing import is_missing, is_missing_key

MISSING = [
    None,
    "",
    " ",
    "nan",
    "NaN",
    "NULL",
    "null",
    "N/A",
    "n/a",
    "NA",
    "-",
    "--",
    "—",
    "<NA>",
    float("nan"),
]


@pytest.mark.parametrize("value", [*MISSING, "Not applicable", "?", "nan.", float("inf")])
def test_what_stands_for_a_missing_value(value: object) -> None:
    assert is_missing(value)


@pytest.mark.parametrize(
    "value",
    ["None", "No", "none known", "0", "+", "<", "%", "Na", "Nan Smith", "病", 0, False, "Allergies: none"],
)
def test_what_says_something(value: object) -> None:
    assert not is_missing(value)


def test_none_and_unknown_are_missing_where_nothing_names_what_is_absent() -> None:
    assert is_missing("None", named=False)
    assert is_missing("unknown", named=False)
    assert not is_missing("No growth", named=False)
    assert is_missing_key("NaN")
    assert not is_missing_key("Na")


def agentclinic(value: object, diagnosis: object = "Asthma") -> dict[str, Any]:
    return {
        "OSCE_Examination": {
            "Patient_Actor": {
                "Demographics": "30-year-old woman",
                "History": "She has wheezed for two days.",
                "Symptoms": {"Primary_Symptom": value, "Secondary_Symptoms": ["Cough", value]},
                "Past_Medical_History": value,
            },
            "Physical_Examination_Findings": {"Vital_Signs": {"Temperature": value}, "Chest": "Wheeze."},
            "Test_Results": {"Peak flow": value, "Chest X-ray": "Clear."},
            "Correct_Diagnosis": diagnosis,
        }
    }


def imported(folder: Path, name: str, text: str) -> list[Case | Rejected]:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return list(import_file(path))


@pytest.mark.parametrize("value", MISSING)
def test_agentclinic_tells_nothing_of_a_missing_value(value: object, tmp_path: Path) -> None:
    (case,) = imported(tmp_path, "a.jsonl", json.dumps(agentclinic(value)))
    assert isinstance(case, Case)
    assert [fact.text for fact in case.facts] == ["She has wheezed for two days.", "Cough."]
    assert [finding.name for finding in case.findings] == ["Chest", "Chest X-ray"]
    assert case.opening.words.startswith("I have not been feeling right")


@pytest.mark.parametrize("value", [*MISSING, "None", "unknown"])
def test_a_record_without_a_diagnosis_is_rejected_in_words(value: object, tmp_path: Path) -> None:
    (agent,) = imported(tmp_path, "a.jsonl", json.dumps(agentclinic("Wheeze", value)))
    assert isinstance(agent, Rejected)
    assert agent.reason == "it has no diagnosis"
    asked = {"question": "Which is it?", "context": ["A 30-year-old woman wheezes."], "options": {}}
    (mediq,) = imported(tmp_path, "m.jsonl", json.dumps({**asked, "answer": value, "answer_idx": value}))
    assert isinstance(mediq, Rejected)
    assert mediq.reason == "it has no answer"
    text = "" if value is None else str(value)
    (craftmd,) = imported(tmp_path, "c.csv", f'case_vignette,answer\nA 30-year-old woman wheezes.,"{text}"\n')
    assert isinstance(craftmd, Rejected)
    assert craftmd.reason == "it has no answer"


def test_none_under_a_heading_of_the_history_is_an_absence_and_a_counted_thing_a_result(
    tmp_path: Path,
) -> None:
    one = agentclinic("Wheeze")
    body = one["OSCE_Examination"]
    body["Patient_Actor"] |= {"Allergies": "None", "Review_of_Systems": "None"}
    body["Test_Results"] |= {"Urinalysis": {"Bacteria": "None"}, "Imaging": "None"}
    (case,) = imported(tmp_path, "a.jsonl", json.dumps(one))
    assert isinstance(case, Case)
    (allergies,) = [fact for fact in case.facts if fact.topic == "allergies"]
    assert (allergies.text, allergies.absent) == ("Allergies: none.", True)
    results = {finding.name: finding.result for finding in case.findings}
    assert results["Urinalysis"] == "Bacteria: None"
    assert "Imaging" not in results


def test_a_key_that_is_missing_names_nothing(tmp_path: Path) -> None:
    one = agentclinic("Wheeze")
    one["OSCE_Examination"]["Test_Results"] = {"NaN": "5 mg/L"}
    one["OSCE_Examination"]["Patient_Actor"]["nan"] = "She sleeps badly."
    (case,) = imported(tmp_path, "a.jsonl", json.dumps(one))
    assert isinstance(case, Case)
    assert "She sleeps badly." in [fact.text for fact in case.facts]
    assert [leaf.text for leaf in case.withheld if leaf.source.endswith("NaN")] == ["5 mg/L"]


@pytest.mark.parametrize("text", ["nan", "NULL", "N/A", "None"])
def test_a_rubric_item_that_is_missing_is_refused_by_its_place(text: str) -> None:
    rubric = {"case_id": "c", "scenario": "scenario1", "PC": ["Asks about pain", text]}
    with pytest.raises(BadInput, match="PC, item 2"):
        parse(json.dumps(rubric).encode())
