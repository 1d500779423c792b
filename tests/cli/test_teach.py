"""`osler teach prepare` as an educator uses it."""

from __future__ import annotations

import json
from pathlib import Path

from typer.testing import CliRunner

from osler.cases.sources import open_source
from osler.cli.main import app
from tests.cases.pictured import write_mm


def test_prepared_cases_can_be_opened_and_the_same_command_keeps_them(tmp_path: Path) -> None:
    words = ["teach", "prepare", "generated:3:2", "--out", str(tmp_path / "cases"), "--json"]
    done = CliRunner().invoke(app, [*words, "--scripts", str(tmp_path / "scripts")])
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert (found["prepared"], found["kept"]) == (3, 0)
    assert found["with_siblings"] + len(found["without_siblings"]) == 3
    cases = list(open_source(str(tmp_path / "cases")))
    assert all(case.teaching and len(case.teaching.steps) >= 3 for case in cases)
    scripts = [json.loads(path.read_text()) for path in sorted((tmp_path / "scripts").iterdir())]
    assert [script["case_id"] for script in scripts] == [f"{case.id}_fact_base" for case in cases]
    again = json.loads(CliRunner().invoke(app, words).stdout)
    assert (again["prepared"], again["kept"]) == (0, 3)


def test_what_cannot_be_read_is_named(tmp_path: Path) -> None:
    records, _ = write_mm(tmp_path / "in", 1)
    words = ["teach", "prepare", str(records), "--out", str(tmp_path / "cases"), "--json"]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 1
    assert json.loads(done.stdout)["rejected"] == 1
    assert "its image is not at hand" in done.stderr
