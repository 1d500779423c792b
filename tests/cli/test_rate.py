"""`osler rate` as a user meets it; the examples of its page run as they are written."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from osler.cli import main
from osler.cli.rate import app
from osler.store.store import open_store
from tests.studies.rating.rated import run_of
from tests.test_readme import commands

ITEMS = 7


def osler_rate(*words: str, typed: str = "") -> Result:
    return CliRunner().invoke(app, list(words), input=typed)


def said(done: Result) -> str:
    return " ".join(done.stderr.split())


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a store of one run, exported for two raters."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OSLER_STORE", str(tmp_path / "osler.db"))
    with open_store(tmp_path / "osler.db") as store:
        run_of(store, 3, 1)
    assert osler_rate("export", "clinic", "--out", "out", "--n", "4").exit_code == 0
    return tmp_path


def test_the_page_runs_as_it_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    episode = "1\n" * ITEMS + "a comment\n"
    last = ""
    for command in commands("docs/rating.md"):
        typed = episode * 12 if " fill " in command else ""
        done = CliRunner().invoke(main.app, shlex.split(command)[1:], input=typed)
        assert done.exit_code == 0, f"{command}: {done.stderr}"
        last = done.stdout
    found = json.loads(last)
    assert found["raters"] == {"anna": 12, "ben": 12}
    assert found["between_raters"]["plan"]["exact"]["value"] == 1


def test_every_command_says_what_it_did_as_one_object(here: Path) -> None:
    value = json.loads(
        osler_rate("export", "clinic", "--out", "b", "--n", "9", "--raters", "1", "--json").stdout
    )
    (rater,) = value["sheets"]
    assert (value["episodes"], value["eligible"], value["sheets"][rater]) == (4, 4, 4)
    assert rater == f"{value['batch'].lower()}-1"
    assert all(Path(path).is_file() for path in value["written"])
    sheet = "b/for-raters/rater-1.csv"
    value = json.loads(osler_rate("fill", sheet, "--json", typed="1\n" * ITEMS + "\nq\n").stdout)
    assert value == {"sheet": sheet, "rated": 1, "open": 3}
    value = json.loads(osler_rate("import", sheet, "--key", "b/key.json", "--json").stdout)
    assert (value["stored"], value["unfilled"], value["problems"]) == (1, 3, [])
    value = json.loads(osler_rate("agreement", "clinic", "--json").stdout)
    assert (value["rated"], value["raters"]) == (1, {rater: 1})
    assert value["with_judges"][0]["corrected"]["reason"] == "too_few"
    shown = osler_rate("agreement", "clinic").stdout
    assert "too few" in shown
    assert "education and research only" in shown


def test_a_bad_row_is_named_and_the_exit_code_says_so(here: Path) -> None:
    sheet = here / "out/for-raters/rater-1.csv"
    osler_rate("fill", str(sheet), typed=("2\n1\n1\n1\n1\n1\n1\n\n") * 4)
    text = sheet.read_text("utf-8")
    sheet.write_text(text.replace('"2","1","1"', '"two","1","1"', 1), encoding="utf-8", newline="")
    done = osler_rate("import", str(sheet), "--key", "out/key.json")
    assert done.exit_code == 1
    assert "rater-1.csv row 2, diagnosis: 'two' is not a level (a whole number from 0 to 2" in said(done)
    assert "3 ratings kept" in done.stdout


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("export", "nobody", "--out", "x"), "nobody"),
        (("export", "clinic", "--out", "out"), "already exists"),
        (("export", "clinic", "--out", "osler.db/x"), "cannot be written"),
        (("export", "clinic", "--out", "x", "--scale", "none"), "no scale"),
        (("fill", "none.csv"), "cannot be read"),
        (("fill", "out/key.json"), "key.json"),
        (("fill", "out/for-raters/rater-1.csv", "--rater", "a/b"), "is not a name"),
        (("import", "out/for-raters/rater-1.csv", "--key", "none.json"), "cannot be read"),
        (("import", "out/key.json", "--key", "out/key.json"), "key.json"),
        (("import", "out/for-raters/rater-1.csv", "--key", "out/for-raters/rater-1.csv"), "is not a key"),
        (("agreement", "clinic"), "no one has rated"),
    ],
)
def test_what_cannot_be_done_is_refused_in_words(here: Path, words: tuple[str, ...], why: str) -> None:
    done = osler_rate(*words)
    assert done.exit_code == 1, done.stdout
    assert why in said(done)
    assert "Traceback" not in done.stderr


def test_an_unfilled_sheet_stores_nothing_and_says_so(here: Path) -> None:
    done = osler_rate("import", "out/for-raters/rater-1.csv", "--key", "out/key.json")
    assert done.exit_code == 1
    assert "4 rows not filled in" in done.stdout
