"""`osler reading figures` on a few lines of our own: the figures' form, and lines that are not there."""

from __future__ import annotations

import json
from pathlib import Path

from typer.testing import CliRunner

from osler.cli.main import app
from osler.cli.reading_sets import hasty

LINES = (
    {"case": "cardiology-01", "say": "Do you smoke?", "expect": "fact", "facts": ["f21"]},
    {
        "case": "cardiology-01",
        "say": "Good morning, I'm Dr Hale.",
        "expect": "other",
        "kinds": ["acknowledge"],
    },
    {"case": "cardiology-01", "say": "Have you got a parrot?", "expect": "not_held"},
)


def run(*arguments: str) -> tuple[int, str]:
    done = CliRunner().invoke(app, ["reading", "figures", *arguments])
    return done.exit_code, done.output


def test_every_figure_has_an_interval_and_its_number_of_lines(tmp_path: Path) -> None:
    (tmp_path / "library.jsonl").write_text("\n".join(map(json.dumps, LINES)))
    status, out = run("--lines", str(tmp_path), "--task", "patient_library", "--json")
    assert status == 0, out
    (figures,) = json.loads(out)["tasks"].values()
    assert figures["facts"]["value"] == 1.0
    assert figures["facts"]["n"] == 1
    assert figures["right"]["n"] == 3
    assert all(one["low"] <= one["value"] <= one["high"] for one in figures.values())


def test_a_line_of_another_form_is_named(tmp_path: Path) -> None:
    (tmp_path / "library.jsonl").write_text(json.dumps(LINES[0]) + '\n{"say": 4}\n')
    status, out = run("--lines", str(tmp_path), "--task", "patient_library")
    assert status != 0
    assert "line 2" in out
    assert "Traceback" not in out


def test_lines_that_are_not_there_are_said(tmp_path: Path) -> None:
    status, out = run("--lines", str(tmp_path / "nowhere"))
    assert status != 0
    assert "--lines" in out


def test_a_hasty_line_has_no_marks_and_stays_the_same() -> None:
    line = "OK, and have you had any chest pain, in the last two weeks?"
    assert hasty(line) == hasty(line)
    assert not set(hasty(line)) & set(",?")
    assert "two" not in hasty(line).split()
