"""A new case: it reads as a case from the first, and says plainly what is still to be written."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import get_args

import pytest
import typer
from typer.testing import CliRunner

from osler.authoring.new_case import new_case_text, write_new_case
from osler.cases.importers import import_file
from osler.cases.lint import TO_WRITE, lint, unfinished
from osler.cases.model import Case
from osler.cli.cases import new
from osler.core.pictures import Picture
from osler.errors import BadInput
from osler.knowledge.vocabulary import TOPICS, Told
from osler.testing.cases import small_case


def begun(folder: Path) -> Case:
    (case,) = import_file(write_new_case("amber-1", folder))
    assert isinstance(case, Case)
    return case


def test_what_is_written_is_a_case_with_every_section(tmp_path: Path) -> None:
    case = begun(tmp_path)
    assert (case.id, case.provenance.record) == ("amber-1", "amber-1")
    for section in ("diagnosis", "workup", "management", "safety", "teaching"):
        assert getattr(case, section) is not None


def test_every_placeholder_is_reported_and_nothing_else_is(tmp_path: Path) -> None:
    written = [line for line in new_case_text("amber-1").splitlines() if not line.lstrip().startswith("#")]
    places = [problem.where for problem in unfinished(begun(tmp_path), False)]
    assert len(places) == sum(line.count(TO_WRITE) for line in written)
    assert {"title", "facts[f2].spoken", "management.key_features[k1].terms[0]"} <= {*places}
    assert list(unfinished(small_case(), False)) == []


def test_the_linter_finds_no_other_error_than_what_is_to_be_written(tmp_path: Path) -> None:
    errors = {(p.code, p.where) for p in lint(begun(tmp_path), strict=True) if p.level == "error"}
    assert {code for code, _ in errors} <= {"to-write", "year", "no-sources"}


def test_the_comments_name_every_choice_there_is() -> None:
    comments = " ".join(line for line in new_case_text("a").splitlines() if line.lstrip().startswith("#"))
    words = set(re.findall(r"[a-z_]+", comments))
    kinds = {get_args(kind.model_fields["kind"].annotation)[0] for kind in get_args(get_args(Picture)[0])}
    assert words >= {*TOPICS, *get_args(Told), *kinds}


def test_a_file_that_is_there_is_never_overwritten(tmp_path: Path) -> None:
    path = write_new_case("amber-1", tmp_path)
    path.write_text("mine")
    with pytest.raises(BadInput, match="not overwritten"):
        write_new_case("amber-1", tmp_path)
    assert path.read_text() == "mine"


@pytest.mark.parametrize("id", ["../up", "A", "", "a b", "a" * 101, "a/b", "a\n", "ä"])
def test_an_id_that_no_case_can_have_is_refused(id: str, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="cannot be a case's id"):
        write_new_case(id, tmp_path)
    assert not list(tmp_path.iterdir())


def test_the_command_says_what_to_do_next(tmp_path: Path) -> None:
    app = typer.Typer()
    app.command()(new)
    done = CliRunner().invoke(app, ["amber-1", "--out", str(tmp_path / "mine"), "--json"])
    assert json.loads(done.stdout) == {"case": "amber-1", "file": str(tmp_path / "mine" / "amber-1.yaml")}
    again = CliRunner().invoke(app, ["amber-1", "--out", str(tmp_path / "mine")])
    assert again.exit_code == 1
    assert "not overwritten" in again.stderr
