"""`osler judge diagnosis`: verdicts as one JSON object, reasons, and bad lines by number."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import typer
import yaml
from typer.testing import CliRunner, Result

from osler.cli.judge_diagnosis import judge_diagnosis
from osler.judging.diagnosis.measured import Measured

Judge = Callable[..., Result]
ROWS: list[dict[str, Any]] = [
    {
        "case_id": "one",
        "reference_diagnosis": "Tinea pedis",
        "candidate_diagnoses": [
            "athlete's foot",
            "tinea corporis",
            "eczema or tinea pedis",
            "not tinea pedis",
            "",
        ],
        "n_equivalent_by_dermatologist": 2,
    },
    {
        "case_id": "two",
        "reference_diagnosis": "Keloid",
        "candidate_diagnoses": ["keloid scar", "keloids", "lipoma", "cyst", "\x1b[31mkeloid\x1b[0m"],
        "n_equivalent_by_dermatologist": 2,
    },
]


@pytest.fixture
def judge(tmp_path: Path) -> Judge:
    """Write rows, or text, into a file and judge it with the given options."""
    app = typer.Typer()
    app.command()(judge_diagnosis)

    def run(rows: list[dict[str, Any]] | str, *options: str) -> Result:
        file = tmp_path / "answers.jsonl"
        file.write_text(rows if isinstance(rows, str) else "\n".join(map(json.dumps, rows)), "utf-8")
        return CliRunner().invoke(app, [str(file), *options])

    return run


def test_one_object_with_a_verdict_for_every_answer(judge: Judge) -> None:
    value = json.loads(judge(ROWS, "--lists", "accept", "--json").stdout)
    assert value["n"] == value["labelled"] == 2
    assert value["verdicts"][0] == [True, False, True, False, False]
    assert (value["exact_count_agreement"], value["mean_absolute_error"]) == (1.0, 0.0)
    low, high = value["exact_count_agreement_interval"]
    assert 0 <= low < high <= 1
    assert "why" not in value


def test_lists_are_rejected_unless_asked_for(judge: Judge) -> None:
    value = json.loads(judge(ROWS[:1], "--json").stdout)
    assert value["verdicts"] == [[True, False, False, False, False]]
    assert value["exact_count_agreement"] == 0.0
    assert value["mean_absolute_error"] == 1.0


def test_without_labels_agreement_is_null(judge: Judge) -> None:
    row = {key: value for key, value in ROWS[0].items() if not key.startswith("n_")}
    value = json.loads(judge([row], "--json").stdout)
    assert value["exact_count_agreement"] is None
    assert value["exact_count_agreement_interval"] is None
    assert value["mean_absolute_error"] is None


def test_every_verdict_is_explained_in_a_line(judge: Judge) -> None:
    shown = judge(ROWS, "--explain").stdout
    assert len([line for line in shown.splitlines() if line.startswith(("1: ", "2: "))]) == 10
    assert "1: 'tinea corporis' for 'Tinea pedis': different: " in shown
    assert "\x1b" not in shown
    value = json.loads(judge(ROWS, "--explain", "--json").stdout)
    assert [len(row) for row in value["why"]] == [5, 5]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{not json", "line 2"),
        ("[1, 2]", "line 2"),
        ('{"reference_diagnosis": "Keloid"}', "line 2: candidate_diagnoses"),
        ('{"reference_diagnosis": "", "candidate_diagnoses": ["a"]}', "line 2: reference_diagnosis"),
        ('{"reference_diagnosis": "a", "candidate_diagnoses": [1]}', "line 2: candidate_diagnoses 0"),
    ],
)
def test_bad_lines_are_refused_by_number(judge: Judge, line: str, said: str) -> None:
    refused = judge(f"{json.dumps(ROWS[0])}\n{line}\n", "--json")
    assert refused.exit_code == 1
    assert said in refused.stderr
    assert refused.stdout == ""
    assert "Traceback" not in refused.stderr


def test_many_bad_lines_are_counted(judge: Judge) -> None:
    assert "and 3 more" in judge("{\n" * 8).stderr


def test_wrong_options_and_files_are_named(judge: Judge) -> None:
    assert "accept or reject" in judge(ROWS, "--lists", "maybe").stderr
    assert judge("", "--json").exit_code == 1


PAIRS: list[dict[str, Any]] = [
    {"reference": "Stroke", "answers": ["CVA", "Seizure"], "labels": ["same", "different"]},
    {"reference": "Dementia of Lewy bodies", "answer": "Dementia", "label": "broader"},
]


def test_answers_labelled_one_by_one_or_in_lists_give_the_agreement(judge: Judge) -> None:
    value = json.loads(judge(PAIRS, "--json").stdout)
    assert [[one["verdict"] for one in row] for row in value["answers"]] == [
        ["same", "different"],
        ["broader"],
    ]
    assert value["agreement_on_right"]["value"] == 1.0
    assert (value["right"], value["wrong"], value["taken_wrongly"]) == ([1, 1], [2, 2], [])
    shown = judge(PAIRS).stdout
    assert "wrong answers taken as right: 0 of 2" in shown


def test_the_entry_for_measured_figures_is_shown_from_labels_only(judge: Judge) -> None:
    entry = yaml.safe_load(judge(PAIRS, "--labelled-by", "us").stdout)
    assert entry == json.loads(judge(PAIRS, "--labelled-by", "us", "--json").stdout)
    assert Measured.model_validate(entry["physician"]).labelled_by == "us"
    bare = [{"reference": "Stroke", "answers": ["CVA"]}]
    assert "no answer has a label" in judge(bare, "--labelled-by", "us").stderr
    assert "one by one" in judge(ROWS, "--labelled-by", "us").stderr


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('{"reference": "Stroke"}', "line 2: answers"),
        ('{"reference": "Stroke", "answers": ["a"], "labels": ["right"]}', "line 2: labels 0"),
        ('{"reference": "Stroke", "answers": ["a"], "labels": []}', "line 2: 0 labels for 1 answers"),
        ('{"reference": "?", "answers": ["a"]}', "line 2: reference: names no diagnosis"),
    ],
)
def test_bad_lines_of_labelled_answers_are_refused_by_number(judge: Judge, line: str, said: str) -> None:
    refused = judge(f"{json.dumps(PAIRS[0])}\n{line}\n", "--json")
    assert refused.exit_code == 1
    assert said in refused.stderr
    assert "Traceback" not in refused.stderr
