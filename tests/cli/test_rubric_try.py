"""`osler rubric try`: single lines, each judged alone on entering its state."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from osler.cli.main import app

SMALL = Path(__file__).parent.parent / "protocols" / "scenario" / "small.yaml"
LINES: list[dict[str, Any]] = [
    {"state": "drowsy", "do": "check the capillary glucose"},
    {"state": "drowsy", "do": "arrange a helicopter"},
    {"state": "drowsy", "do": "do not give insulin"},
]


def run(scenario: str, file: Path, *options: str) -> Result:
    return CliRunner().invoke(app, ["rubric", "try", scenario, str(file), *options])


@pytest.mark.parametrize("options", [(), ("--json",)])
def test_each_line_gets_one_answer_in_order(tmp_path: Path, options: tuple[str, ...]) -> None:
    file = tmp_path / "lines.jsonl"
    file.write_text("\n\n".join(map(json.dumps, LINES)) + "\n", encoding="utf-8")
    ended = run(str(SMALL), file, *options)
    assert ended.exit_code == 0, ended.output
    answers = json.loads(ended.stdout)["answers"]
    assert [each["acts"] for each in answers] == [["check_glucose"], [], []]
    assert [each["read_back"] for each in answers] == [None, None, None]
    assert answers[0]["met"]
    assert not answers[1]["met"]


def test_a_scenario_of_the_library_is_named_by_its_id(tmp_path: Path) -> None:
    file = tmp_path / "lines.jsonl"
    file.write_text('{"state": "rash", "do": "put out a 2222 call"}\n', encoding="utf-8")
    assert json.loads(run("st01", file).stdout)["answers"][0]["acts"] == ["call_team"]


@pytest.mark.parametrize(
    ("line", "wrong"),
    [
        (b"{", "not valid JSON"),
        (b"[]", "must be an object"),
        (b"\xff", "not UTF-8"),
        (b'{"say": "Hello"}', "state: Field required"),
        (b'{"state": "drowsy"}', "neither"),
        (b'{"state": "drowsy", "say": "a", "do": "b"}', "both"),
        (b'{"state": "drowsy", "say": " "}', "say: String should have at least 1 character"),
        (b'{"state": "drowsy", "do": 5}', "do: Input should be a valid string"),
        (b'{"state": "no such", "say": "Hello"}', "no state"),
    ],
)
def test_an_invalid_line_is_named(tmp_path: Path, line: bytes, wrong: str) -> None:
    file = tmp_path / "lines.jsonl"
    file.write_bytes(b'{"state": "drowsy", "say": "Hello"}\n' + line + b"\n")
    ended = run(str(SMALL), file)
    assert ended.exit_code == 1
    assert wrong in ended.output
