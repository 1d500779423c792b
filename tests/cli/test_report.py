"""`osler report` as a user meets it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner, Result

from osler.cli.report import report
from osler.store.store import open_store
from tests.reports.stored_runs import HOSTILE, Episode, write_run

app = typer.Typer()
app.command()(report)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder with a store of two runs in it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OSLER_STORE", str(tmp_path / "osler.db"))
    with open_store(tmp_path / "osler.db") as store:
        write_run(store, Episode(), Episode(diagnosis="Pneumonia", case_id=HOSTILE), name="first")
        write_run(store, Episode(), doctor="null", name="second")
    return tmp_path


def osler_report(*words: str) -> Result:
    return CliRunner().invoke(app, list(words))


def said(done: Result) -> str:
    return " ".join(done.stderr.split())


def test_runs_are_reported_as_one_file_and_as_tables(here: Path) -> None:
    done = osler_report("first", "second", "--out", "page.html", "--tables", "tables", "--json")
    assert done.exit_code == 0, done.stderr
    value = json.loads(done.stdout)
    assert value["runs"] == ["first", "second"]
    assert all((here / path).is_file() for path in value["written"])
    assert {"page.html", "tables/episodes.csv", "tables/croissant.json"} <= set(value["written"])
    assert "For education and research only" in done.stderr
    assert "Report of 2 runs" in (here / "page.html").read_text(encoding="utf-8")
    assert not list(here.rglob("*.part"))


def test_a_run_given_twice_is_one_run_and_the_same_bytes(here: Path) -> None:
    assert osler_report("first", "--out", "a.html").exit_code == 0
    assert osler_report("first", "fir", "--out", "b.html").exit_code == 0
    assert (here / "a.html").read_bytes() == (here / "b.html").read_bytes()


def test_controls_stand_beside_a_run_unless_they_are_not_wanted(here: Path) -> None:
    for words, there in ((("first",), True), (("first", "--no-controls"), False)):
        assert osler_report(*words, "--out", "page.html").exit_code == 0
        page = (here / "page.html").read_text(encoding="utf-8")
        assert ("What each run gains over each control" in page) == there
        assert ("No controls were played" in page) != there


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("first",), "nothing was asked for"),
        (("nobody", "--out", "page.html"), "nobody"),
        (("first", "--out", "no/such/folder/page.html"), "cannot be written"),
        (("first", "--out", "."), "cannot be written"),
        (("first", "--tables", "osler.db"), "cannot be created"),
    ],
)
def test_what_cannot_be_done_is_refused_in_words(here: Path, words: tuple[str, ...], why: str) -> None:
    done = osler_report(*words)
    assert done.exit_code == 1
    assert why in said(done)
    assert "Traceback" not in done.stderr
