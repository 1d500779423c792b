"""`osler validate`: one JSON object or tables, and an exit code on request."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner, Result

from osler.cases.importers.osler_yaml import write_case
from osler.cli.validate import validate
from osler.testing.cases import small_case

app = typer.Typer()
app.command()(validate)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_case(small_case(title="A [bold]case[/bold] of pneumonia"), tmp_path / "cases")
    return tmp_path / "cases"


def run(folder: Path, *options: str) -> Result:
    store = str(folder.parent / "osler.db")
    return CliRunner().invoke(app, [str(folder), "--store", store, *options])


def test_one_object_holds_players_lifts_findings_and_checklist(folder: Path) -> None:
    ended = run(folder, "--json", "--repeats", "2")
    assert ended.exit_code == 0
    found = json.loads(ended.stdout)
    assert found["players"]["oracle"]["value"] == 1
    assert found["players"]["oracle"].keys() >= {"value", "low", "high", "n", "unscored"}
    assert found["players"]["baseline"]["n"] == 2
    assert found["lift"].keys() >= {"parrot", "opening-only", "availability-only", "first-told"}
    assert "oracle" not in found["lift"]
    assert found["base_rate"]["value"] == 1, "one case: its own answer is the commonest"
    assert found["over_base_rate"]["null"]["value"] == -1
    assert found["over_base_rate"]["oracle"]["value"] == 0
    assert {"base_rate", "runs", "slices", "label"} <= found.keys()
    assert [(flaw["code"], flaw["cases"], flaw["where"]) for flaw in found["findings"]] == [
        ("title-hints", ["test-01"], "title")
    ]
    assert set(found["checklist"].values()) <= {0, 1, 2}


def test_people_see_the_players_the_findings_and_why(folder: Path) -> None:
    shown = run(folder).stdout
    for words in ("availability-only", "title-hints", "gold isolation", "education and research"):
        assert words in " ".join(shown.split())


@pytest.mark.parametrize(("options", "code"), [((), 0), (("--fail",), 1)])
def test_the_exit_code_tells_only_where_it_is_asked_to(
    folder: Path, options: tuple[str, ...], code: int
) -> None:
    found = json.loads(run(folder, "--json", *options).stdout)
    assert 0 in found["checklist"].values(), "a case that was written here bears no canary"
    assert run(folder, "--json", *options).exit_code == code


def test_what_cannot_be_read_is_said(tmp_path: Path) -> None:
    ended = run(tmp_path / "missing")
    assert ended.exit_code == 1
    assert "no such source" in ended.stderr
