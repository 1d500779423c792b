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
        "reference": "Tinea pedis",
        "answers": ["athlete's foot", "tinea corporis", "eczema or tinea pedis", "not tinea pedis", ""],
    },
    {
        "reference": "Keloid",
        "answers": ["keloid scar", "keloids", "lipoma", "cyst", "\x1b[31mkeloid\x1b[0m"],
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
    value = json.loads(judge(ROWS, "--json").stdout)
    assert value["n"] == 2
    assert [one["right"] for one in value["answers"][0]] == [True, False, False, False, False]
    assert value["answers"][0][2]["verdict"] == "list"
    assert "agreement_on_right" not in value


def test_every_verdict_is_explained_in_a_line(judge: Judge) -> None:
    shown = judge(ROWS, "--explain").stdout
    assert len([line for line in shown.splitlines() if line.startswith(("1: ", "2: "))]) == 10
    assert "1: 'tinea corporis' for 'Tinea pedis': different: " in shown
    assert "no labels to compare with" in shown
    assert "\x1b" not in shown


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{not json", "line 2"),
        ("[1, 2]", "line 2"),
        ('{"reference": "Keloid"}', "line 2: answers"),
        ('{"reference": "", "answers": ["a"]}', "line 2: reference"),
        ('{"reference": "a", "answers": [1]}', "line 2: answers.0"),
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


def test_an_empty_file_is_refused(judge: Judge) -> None:
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


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('{"reference": "Stroke"}', "line 2: answers"),
        ('{"reference": "Stroke", "answers": ["a"], "labels": ["right"]}', "line 2: labels.0"),
        ('{"reference": "Stroke", "answers": ["a"], "labels": []}', "line 2: 0 labels for 1 answers"),
        ('{"reference": "?", "answers": ["a"]}', "line 2: reference: names no diagnosis"),
    ],
)
def test_bad_lines_of_labelled_answers_are_refused_by_number(judge: Judge, line: str, said: str) -> None:
    refused = judge(f"{json.dumps(PAIRS[0])}\n{line}\n", "--json")
    assert refused.exit_code == 1
    assert said in refused.stderr
    assert "Traceback" not in refused.stderr
