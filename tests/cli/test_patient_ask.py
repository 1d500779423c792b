"""`osler patient ask`: a doctor's lines put to the built-in patient, each in a new consultation."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from osler.cli import patient

app = typer.Typer()
app.add_typer(patient.app, name="patient")


def asked(tmp_path: Path, case: str, *lines: dict[str, Any]) -> list[dict[str, Any]]:
    file = tmp_path / "lines.jsonl"
    file.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    ended = CliRunner().invoke(app, ["patient", "ask", case, str(file), "--json"])
    assert ended.exit_code == 0, ended.output
    found: list[dict[str, Any]] = json.loads(ended.stdout)["answers"]
    return found


def test_each_line_is_a_consultation_of_its_own(tmp_path: Path) -> None:
    alone = {"say": "Are you allergic to anything?"}
    again = {"before": ["Hello.", "Are you allergic to anything?"], "say": "Any allergies at all?"}
    first, second, third = asked(tmp_path, "gynaecology-01", alone, again, alone)
    assert first == third
    assert first["revealed_facts"] == second["revealed_facts"] == ["f19"]
    assert first["kind"] == second["kind"] == "fact"
    assert not first["reply"].startswith("As I said")
    assert second["reply"].startswith("As I said")


def test_earlier_lines_open_gates(tmp_path: Path) -> None:
    say = "Have you ever had chlamydia?"
    shut, opened = asked(
        tmp_path, "gynaecology-01", {"say": say}, {"before": ["This is confidential."], "say": say}
    )
    assert "f14" not in shut["revealed_facts"]
    assert opened["revealed_facts"] == ["f14"]


def test_a_generated_case_is_named_by_source_and_id(tmp_path: Path) -> None:
    (found,) = asked(tmp_path, "generated:10:42:made-42-2", {"say": "Do you have any allergies?"})
    assert found["kind"] in ("fact", "denial")


@pytest.mark.parametrize(
    ("line", "wrong"),
    [
        ("{", "not valid JSON"),
        ('{"before": []}', "say: Field required"),
        ('{"say": " "}', "say: String should have at least 1 character"),
        ('{"say": "Hi", "before": "Hello"}', "before: Input should be a valid list"),
        ('{"say": "Hi", "before": [1]}', "before.0: Input should be a valid string"),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, line: str, wrong: str) -> None:
    file = tmp_path / "lines.jsonl"
    file.write_text(f'{{"say": "Hello"}}\n{line}\n', encoding="utf-8")
    ended = CliRunner().invoke(app, ["patient", "ask", "gynaecology-01", str(file)])
    assert ended.exit_code == 1
    assert f"line 2: {wrong}" in ended.stderr
