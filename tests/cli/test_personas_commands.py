"""`osler personas`, as a user meets it: the page about it runs, and mistakes are answered in words."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from osler.cases.personas import library
from osler.cases.personas.files import published
from osler.cli.main import app

PAGE = Path(__file__).parents[2] / "docs" / "personas.md"


def osler(*words: str) -> Result:
    """A command, and what came of it."""
    return CliRunner().invoke(app, list(words))


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.slow
def test_the_page_about_personas_runs_as_it_is_written() -> None:
    commands = [
        shlex.split(line.partition("#")[0])
        for block in re.findall(r"```sh\n(.*?)```", PAGE.read_text(), re.DOTALL)
        for line in block.splitlines()
    ]
    assert len(commands) >= 4
    for words in commands:
        done = osler(*words[1:])
        assert done.exit_code == 0, f"{words}: {done.stderr}"


@pytest.mark.parametrize("block", re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL))
def test_the_python_of_the_page_runs(block: str, capsys: pytest.CaptureFixture[str]) -> None:
    exec(compile(block, PAGE.name, "exec"), {})
    assert capsys.readouterr().out.strip()


def test_building_is_repeatable_and_replaces_nothing() -> None:
    first = osler("personas", "build", "--out", "lib", "--patients", "12", "--students", "0", "--json")
    assert json.loads(first.stdout) == {
        "patients": 12,
        "students": 0,
        "seed": 1,
        "files": ["lib/patients.json"],
        "written": ["lib/patients.json"],
    }
    before = Path("lib/patients.json").read_bytes()
    again = osler("personas", "build", "--out", "lib", "--patients", "12", "--students", "0", "--json")
    assert json.loads(again.stdout)["written"] == []
    other = osler("personas", "build", "--out", "lib", "--patients", "12", "--seed", "2")
    assert other.exit_code == 1
    assert "a different file is already there" in other.stderr
    assert [path.name for path in Path("lib").iterdir()] == ["patients.json"]
    assert Path("lib/patients.json").read_bytes() == before


def test_the_library_is_what_build_writes() -> None:
    osler("personas", "build", "--out", "lib")
    assert Path("lib/patients.json").read_text() == published(library.patients())
    assert Path("lib/students.json").read_text() == published(library.students())


def test_an_audit_prints_one_object_and_fails_with_one() -> None:
    done = osler("personas", "audit", "--json")
    value = json.loads(done.stdout)
    assert (done.exit_code, value["holds"], value["source"]) == (0, True, "library")
    assert [(each["kind"], each["n"]) for each in value["libraries"]] == [
        ("patients", 300),
        ("students", 300),
    ]
    skewed = [
        each.model_copy(update={"demographics": each.demographics.model_copy(update={"gender": "Female"})})
        for each in library.patients()
    ]
    Path("skewed.json").write_text(published(skewed))
    done = osler("personas", "audit", "skewed.json")
    assert done.exit_code == 1
    assert "FAILS  sex is spread" in done.stdout
    assert "the library does not pass" in done.stdout


def test_what_cannot_be_read_is_counted_and_fails_the_audit() -> None:
    records = json.loads(published(library.patients()[:40]))
    Path("some.json").write_text(json.dumps([*records, {"question": "Which drug?"}]))
    done = osler("personas", "audit", "some.json", "--json")
    value = json.loads(done.stdout)
    assert done.exit_code == 1
    assert value["rejected"] == ["some.json, record 41: it is neither a patient nor a student persona"]
    assert value["libraries"][0]["n"] == 40


def test_hostile_text_stays_text() -> None:
    records = json.loads(published(library.patients()[:40]))
    for record in records:
        record["background"]["occupation"] = "\x1b[31mred[/bold] Clerk"
    Path("some.json").write_text(json.dumps(records))
    done = osler("personas", "audit", "some.json")
    assert "\x1b" not in done.stdout
    assert "clerk" in done.stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["audit", "nowhere.json"], "there is no such file"),
        (["build", "--out", "taken"], "is a file, not a folder"),
        (["build", "--out", "lib", "--patients", "0", "--students", "0"], "no persona was asked for"),
        (["audit", "taken"], "nothing but blanks"),
    ],
)
def test_mistakes_are_answered_in_words(words: list[str], said: str) -> None:
    Path("taken").write_text(" \n")
    done = osler("personas", *words)
    assert done.exit_code == 1
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_somebody_of_the_library_plays_a_consultation() -> None:
    words = ["consult", "library", "--limit", "2", "--store", "runs.db", "--json"]
    plain, other = (osler(*words, "--persona", name) for name in ("plain", "patient-042"))
    assert (plain.exit_code, other.exit_code) == (0, 0), other.stderr
    assert json.loads(other.stdout)["episodes"] == 2
