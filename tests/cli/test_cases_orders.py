"""`osler cases orders`: orders from a file, each with what the built-in examination service finds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner, Result

from osler.cli import cases

app = typer.Typer()
app.add_typer(cases.app, name="cases")

RECORD = {
    "OSCE_Examination": {
        "Objective_for_Doctor": "Examine a patient.",
        "Patient_Actor": {"Demographics": "40-year-old female", "History": "She is weak."},
        "Physical_Examination_Findings": {"Vital_Signs": {"Temperature": "37 C"}},
        "Test_Results": {
            "Blood_Tests": {"Acetylcholine_Receptor_Antibodies": "Elevated"},
            "Imaging": {"Chest_CT": {"Findings": "No thymoma."}},
        },
        "Correct_Diagnosis": "Myasthenia gravis",
    }
}


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "cases.jsonl"
    path.write_text(json.dumps(RECORD) + "\n", "utf-8")
    return path


def run(source: object, tmp_path: Path, *lines: Any) -> Result:
    file = tmp_path / "orders.jsonl"
    file.write_text("\n".join(x if isinstance(x, str) else json.dumps(x) for x in lines), "utf-8")
    return CliRunner().invoke(app, ["cases", "orders", str(source), str(file), "--json"])


def test_each_line_has_an_answer_in_order(source: Path, tmp_path: Path) -> None:
    ended = run(
        source,
        tmp_path,
        {"say": "AChR-Ab serology and a CT thorax"},
        {"case": 0, "say": "renin"},
        {"case": 0, "say": "blood tests"},
        {"case": 0, "say": "vitals"},
    )
    assert ended.exit_code == 0
    both, renin, category, vitals = json.loads(ended.stdout)["answers"]
    assert [one["found"] for one in both["results"]] == ["Acetylcholine receptor antibodies", "Chest CT"]
    assert both["orders"] == ["Acetylcholine receptor antibodies", "CT of the chest"]
    assert (renin["orders"], renin["results"], renin["asks_back"]) == (["Renin"], [], None)
    assert (category["orders"], category["results"]) == ([], [])
    assert category["asks_back"]
    assert vitals["results"][0]["text"] == "Temperature: 37 C"


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ({"case": 1, "say": "CBC"}, "the places are 0 to 0"),
        ({"case": "nobody", "say": "CBC"}, "no case has the id"),
        ({"case": True, "say": "CBC"}, "case.int: Input should be a valid integer"),
        ({"case": -1, "say": "CBC"}, "the places are 0 to 0"),
        ({"case": 0}, "say: Field required"),
        ({"case": 0, "say": 3}, "say: Input should be a valid string"),
        ("{", "not valid JSON"),
        ("[]", "must be an object"),
    ],
)
def test_a_bad_line_is_named_in_words(line: Any, why: str, source: Path, tmp_path: Path) -> None:
    ended = run(source, tmp_path, {"say": "CBC"}, line)
    assert ended.exit_code != 0
    assert "line 2" in ended.output
    assert why in " ".join(ended.output.split())


def test_a_case_must_be_named_if_there_are_several(tmp_path: Path) -> None:
    ended = run("library", tmp_path, {"say": "ECG"}, {"case": "cardiology-01", "say": "ECG"})
    assert ended.exit_code != 0
    assert "has no `case`" in ended.output
    found = json.loads(run("library", tmp_path, {"case": "cardiology-01", "say": "ECG"}).stdout)["answers"]
    assert found[0]["results"]
