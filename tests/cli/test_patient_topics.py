"""`osler patient topics`: questions from a file, in order, each with its section."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner, Result

from osler.cli import patient

app = typer.Typer()
app.add_typer(patient.app, name="patient")

LINES: list[dict[str, Any]] = [
    {"dialogue": 7, "question": "Do you have any allergies?"},
    {"dialogue": "8", "question": "Have you had any operations?"},
    {"dialogue": 7, "question": "Any others?", "ignored": [1]},
    {"dialogue": "8", "question": "Who won the World Cup?"},
    {"dialogue": "Doctor: Do you smoke?\nPatient: No.", "question": "Do you drink?"},
]
FOUND = ["ALLERGY", "PASTSURGICAL", "ALLERGY", "OFF_TOPIC", "FAM/SOCHX"]


def run(file: Path, *options: str) -> Result:
    return CliRunner().invoke(app, ["patient", "topics", str(file), *options])


@pytest.mark.parametrize("options", [(), ("--json",)])
def test_each_line_gets_one_entry_in_order(tmp_path: Path, options: tuple[str, ...]) -> None:
    file = tmp_path / "asked.jsonl"
    file.write_text("\n".join(map(json.dumps, LINES)) + "\n\n", encoding="utf-8")
    ended = run(file, *options)
    assert ended.exit_code == 0
    assert json.loads(ended.stdout) == {"topics": FOUND}


def test_an_empty_file_has_no_topics(tmp_path: Path) -> None:
    file = tmp_path / "asked.jsonl"
    file.write_text("", encoding="utf-8")
    assert json.loads(run(file).stdout) == {"topics": []}


@pytest.mark.parametrize(
    ("line", "wrong"),
    [
        (b"{", "is not JSON"),
        (b"[" * 100_000, "is not JSON"),
        (b"[]", "is not an object"),
        (b"\xff", "is not UTF-8"),
        (b'{"dialogue": 1}', "has no `question`"),
        (b'{"question": "Any pain?"}', "has no `dialogue`"),
        (b'{"dialogue": 1, "question": 5}', "`question` is not text"),
        (b'{"dialogue": 1, "question": " "}', "`question` is not text"),
        (b'{"dialogue": true, "question": "Any pain?"}', "`dialogue` is neither"),
        (b'{"dialogue": null, "question": "Any pain?"}', "`dialogue` is neither"),
    ],
)
def test_a_bad_line_is_refused_by_its_number(tmp_path: Path, line: bytes, wrong: str) -> None:
    file = tmp_path / "asked.jsonl"
    file.write_bytes(b'{"dialogue": 1, "question": "Any pain?"}\n' + line + b"\n")
    ended = run(file)
    assert ended.exit_code == 1
    assert "line 2" in ended.stderr
    assert wrong in ended.stderr
    assert "Traceback" not in ended.output


def test_a_file_that_is_not_there_is_said(tmp_path: Path) -> None:
    ended = run(tmp_path / "none.jsonl")
    assert ended.exit_code == 1
    assert "none.jsonl" in ended.stderr
