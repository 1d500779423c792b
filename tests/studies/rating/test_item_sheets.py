"""Sheets for the items of a rubric: exported, filled, imported, and held against each other and the judge."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from osler.cli.main import app
from osler.cli.rate import app as rate_app
from osler.store.store import open_store
from osler.studies.rating.sheet import Row, Sheet, read_sheet, text_of
from tests.protocols.scenario.playing import SMALL, small
from tests.studies.rating.rated import save

ITEMS = small().items
Fills = Callable[[Row, int], dict[str, str]]


def osler(*words: str, typed: str = "") -> Result:
    return CliRunner().invoke(app, list(words), input=typed)


def value(done: Result) -> dict[str, Any]:
    assert done.exit_code == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.fixture
def out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Sheets for two raters of six plays of the small scenario."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OSLER_STORE", str(tmp_path / "osler.db"))
    for who in ("null", "baseline"):
        assert osler("run", "scenario", str(SMALL), "--repeats=3", f"--seat=examinee={who}").exit_code == 0
    with open_store(tmp_path / "osler.db") as store:
        runs = [run.name for run in store.runs()]
    found = value(osler("rate", "export", *runs, "--out", "out", "--json"))
    assert ITEMS is not None
    assert found["episodes"] == 6
    assert list(found["sheets"].values()) == [6 * len(ITEMS.items)] * 2
    return tmp_path / "out"


def sheets(out: Path) -> list[Path]:
    return sorted((out / "for-raters").glob("*.csv"))


def fill(path: Path, rater: str, cells: Fills) -> Sheet:
    sheet = read_sheet(path)
    for number, row in enumerate(sheet.rows):
        row.cells.update({"rater": rater} | cells(row, number))
    save(path, text_of(sheet))
    return sheet


def imported(out: Path, *paths: Path) -> Result:
    return osler("rate", "import", *map(str, paths), "--key", str(out / "key.json"), "--json")


def runs_of(out: Path) -> list[str]:
    with open_store(out.parent / "osler.db") as store:
        return [run.name for run in store.runs()]


def test_a_sheet_has_a_row_for_every_item_and_the_transcript_once(out: Path) -> None:
    assert ITEMS is not None
    sheet = read_sheet(sheets(out)[0])
    texts = [item.text for item in ITEMS.items]
    assert [row.cells["item"] for row in sheet.rows] == texts * 6
    told = [row.whole("transcript") for row in sheet.rows]
    assert [bool(one) for one in told] == [not n % len(texts) for n in range(len(told))]
    assert told[0].startswith("1. task: ")
    assert any("turn 1, examinee: " in one for one in told)
    guide = (out / "for-raters" / "how-to-rate.txt").read_text("utf-8")
    assert "one item by which one scenario is judged" in guide
    assert "number of their line" in guide


def test_what_raters_say_is_a_judgement_by_the_rubric(out: Path) -> None:
    assert ITEMS is not None
    (path, _) = sheets(out)
    fill(path, "Anna", lambda row, n: {"met": "?" if n == 1 else "1", "quote": "3" if n == 0 else ""})
    found = value(imported(out, path))
    assert (found["stored"], found["raters"]) == (6 * len(ITEMS.items), {"anna": 6 * len(ITEMS.items)})
    key = json.loads((out / "key.json").read_text("utf-8"))
    first = next(iter(key["sheets"].values()))[0]
    behind = key["episodes"][first]
    third = read_sheet(path).rows[0].whole("transcript").splitlines()[2]
    with open_store(out.parent / "osler.db") as store:
        (body,) = [
            json.loads(one.body)
            for one in store.judgements(store.run(behind["run"]).id)
            if one.grader == "person:rubric:anna" and one.ordinal == behind["ordinal"]
        ]
    holds = [one["holds"] for one in body["items"]]
    assert holds == [True, None, *[True] * (len(ITEMS.items) - 2)]
    assert body["items"][1]["reason"] == "cannot_say"
    assert body["items"][0]["quotes"] == [[0, third]]
    assert body["scores"]["completion"]["value"] is None, "unscored is not zero"
    again = value(imported(out, path))
    assert (again["stored"], again["unchanged"]) == (0, 6 * len(ITEMS.items))


def test_a_row_that_was_moved_and_a_line_that_is_not_there_are_named(out: Path) -> None:
    (path, _) = sheets(out)

    def cells(row: Row, n: int) -> dict[str, str]:
        odd: dict[int, dict[str, str]] = {0: {"quote": "999"}, 1: {"item": "Another item"}, 2: {"met": "2"}}
        return {"met": "1"} | odd.get(n, {})

    fill(path, "anna", cells)
    done = imported(out, path)
    assert done.exit_code == 1
    problems = json.loads(done.stdout)["problems"]
    assert [(one["row"], one["column"]) for one in problems] == [(2, "quote"), (3, "item"), (4, "met")]
    assert "'999' is no line of it" in problems[0]["what"]


def test_raters_are_held_against_each_other_and_the_judge_item_by_item(out: Path) -> None:
    """One rater says what the built-in judge says, the other says that nothing was met."""
    assert ITEMS is not None
    runs = runs_of(out)
    key = json.loads((out / "key.json").read_text("utf-8"))
    judged = {}
    with open_store(out.parent / "osler.db") as store:
        for run in runs:
            for mark in store.judgements(store.run(run).id):
                for item in json.loads(mark.body)["items"]:
                    judged[run, mark.ordinal, item["id"]] = bool(item["holds"])

    def as_judged(row: Row, n: int) -> dict[str, str]:
        behind = key["episodes"][row.cells["id"]]
        return {"met": str(int(judged[behind["run"], behind["ordinal"], behind["item"]]))}

    one, other = sheets(out)
    fill(one, "anna", as_judged)
    fill(other, "ben", lambda row, n: {"met": "0"})
    value(imported(out, one))
    found = value(osler("rate", "agreement", *runs, "--json"))
    assert (found["episodes"], found["rated"], found["raters"]) == (6, 6, {"anna": 6})
    (overall,) = [one for one in found["with_judges"] if one["item"] == "all_items"]
    assert overall["grader"] == "rubric:keyed"
    assert overall["yes_or_no"]["agreement"]["value"] == 1
    assert len(found["by_item"]) == len(ITEMS.items)
    value(imported(out, other))
    found = value(osler("rate", "agreement", *runs, "--json"))
    between = found["between_raters"]
    met = sum(judged.values())
    assert between["all_items"]["exact"]["value"] == pytest.approx(1 - met / len(judged), abs=1e-6)
    assert set(between) == {"all_items", *(item.competency for item in ITEMS.items)}
    for one_item in found["by_item"]:
        assert one_item["raters"]["of"] == 6
        assert one_item["met"] == {"same": 6 - one_item["raters"]["same"], "of": 12}
    shown = " ".join(osler("rate", "agreement", *runs).stdout.split())
    assert "Items on which raters, or a judge and the raters, differ" in shown
    assert "items; rated and judged:" in shown
    assert "all alike (--json lists them)" in shown


def test_the_form_asks_item_by_item_and_for_a_quote(out: Path) -> None:
    assert ITEMS is not None
    path = sheets(out)[0]
    typed = "1\n2\nwell done\n0\n\n\nq\n"
    done = CliRunner().invoke(rate_app, ["fill", str(path), "--rater", "anna"], input=typed)
    assert done.exit_code == 0, done.stderr
    rows = read_sheet(path).rows
    kept = [[row.cells[name] for name in ("rater", "met", "quote", "comment")] for row in rows[:2]]
    assert kept == [["anna", "1", "2", "well done"], ["anna", "0", "", ""]]
    assert done.output.count("1. task: ") == 1, "the transcript is shown once an episode"
    for item in ITEMS.items[:2]:
        assert item.text in done.output
