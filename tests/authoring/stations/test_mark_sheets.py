"""Mark sheets in Word, Excel, CSV and PDF: every row is an item with its marks, a heading or total, or listed."""

from __future__ import annotations

import json
import os
import random
from pathlib import Path
from typing import Final

import pytest
from typer.testing import CliRunner

from osler.authoring.scenarios.office import converted
from osler.authoring.stations.draft import Draft, draft
from osler.cli.author_scenario import app
from osler.text.marks import marks
from tests.authoring.stations.any_grids import fuzzed
from tests.authoring.stations.sheets import (
    FORMATS,
    Cell,
    Row,
    Sheet,
    drafted,
    read,
    sheet,
    verdicts,
    write,
)

GIVEN: Final = Path(__file__).parents[4] / "shared" / "data" / "field-inputs" / "stations"
SHEETS: Final = 200 if os.environ.get("HYPOTHESIS_PROFILE") == "thorough" else 40


def of(text: str, name: str = "mark sheet.md") -> Draft:
    """The draft of one mark sheet in Markdown."""
    found = draft([(name, text)], "case")
    assert found is not None
    return found


def weights(found: Draft) -> list[tuple[str, float]]:
    """The items and their weights."""
    return [(item.text, item.traits.weight) for item in found.scenario.rubric]


def table(*rows: str) -> str:
    """A table in Markdown from rows as "a | b"."""
    first, *rest = (f"| {row} |" for row in rows)
    return "\n".join([first, "|---|", *rest])


@pytest.mark.parametrize("kind", FORMATS)
def test_every_row_of_sheets_of_any_layout_is_placed(kind: str, tmp_path: Path) -> None:
    rows = 0
    for seed in range(SHEETS):
        made = sheet(random.Random(seed), kind)
        told = verdicts(made, read(write(tmp_path / f"sheet.{kind}", made)))
        assert [(seed, row, what) for row, what in told if what != "right"] == []
        rows += len(made.rows)
    assert rows > 10 * SHEETS


@pytest.mark.parametrize("kind", FORMATS)
def test_the_draft_has_every_row_too(kind: str, tmp_path: Path) -> None:
    for seed in range(5):
        made = sheet(random.Random(seed), kind)
        told = verdicts(made, drafted(write(tmp_path / f"sheet.{kind}", made)))
        assert {what for _, what in told} == {"right"}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("2", 2), ("1,5", 1.5), ("½", 0.5), ("1½", 1.5), ("1/2", 0.5), ("/2", 2), ("__/2", 2), ("0 / 1 / 2", 2),
        ("2/1/0", 2), ("0-2", 2), ("0 – 2", 2), ("☐ 0 ☐ 1 ☐ 2", 2), ("1.5 marks", 1.5), ("(2)", 2), ("max 3", 3),
        ("out of 5", 5), ("0, 1, 2", 2), ("0,1", 1), ("2,0", 2), ("-2", -2), ("− 2", -2), ("minus 3", -3), ("２", 2),
        ("1/3", None), ("3 to 5", None), ("5000", None), ("nan", None), ("-", None), ("", None), ("yes", None),
    ],
)  # fmt: skip
def test_marks_in_a_cell(text: str, value: float | None) -> None:
    assert marks(text) == value


@pytest.mark.parametrize(
    ("rows", "wanted"),
    [
        (
            ("No | Criteria | Max marks | Marks awarded", "1 | Asks about onset | 2 |", "2 | Palpates | 3 |", " | Total | 5 |"),
            [("Asks about onset", 2), ("Palpates", 3)],
        ),
        (
            ("Item | 0 | 1 | 2", "Allergies | Not asked | Asks briefly about them | Asks about each and what happened"),
            [("Allergies", 2)],
        ),
        (
            ("Item | Mark | Item | Mark", "Asks about onset | 1 | Orders an ECG | 2", "Smoking | 1 | | "),
            [("Asks about onset", 1), ("Smoking", 1), ("Orders an ECG", 2)],
        ),
        (
            ("Item | Marks", "History | 4", "Asks about onset | 2", "Asks about allergies | 2", "Total | 4"),
            [("Asks about onset", 2), ("Asks about allergies", 2)],
        ),
        (
            ("S/N | Tasks expected of the candidate | Yes | No | Score", "1 | Greets the patient | | | 1", "2 | Palpates | | | 2"),
            [("Greets the patient", 1), ("Palpates", 2)],
        ),
        (
            ("Step | Performed correctly (2) | Performed incorrectly (1) | Not performed (0)", "Palpates | | |"),
            [("Palpates", 2)],
        ),
        (("Action | Done | Not done", "Greets the patient | 1 | 0", "Palpates | 2 | 0"), [("Greets the patient", 1), ("Palpates", 2)]),
        (("Item | 1 | 2 | 3 | 4 | 5", "Empathy | ☐ | ☐ | ☐ | ☐ | ☐"), [("Empathy", 5)]),
        (("Criteria | Score (0-2)", "Asks about onset | ", "Palpates | "), [("Asks about onset", 2), ("Palpates", 2)]),
        (("Item | Marks", "Palpates | 1", "Item | Marks", "Percusses | 2"), [("Palpates", 1), ("Percusses", 2)]),
    ],
)  # fmt: skip
def test_columns_are_told_by_what_they_hold(rows: tuple[str, ...], wanted: list[tuple[str, float]]) -> None:
    assert weights(of(table(*rows))) == wanted


def test_what_counts_against_is_a_fault() -> None:
    made = of(table("Item | Marks", "Greets the patient | 1", "Examines roughly | − 2"))
    assert [(item.traits.negative, item.traits.weight) for item in made.scenario.rubric] == [
        (False, 1),
        (True, 2),
    ]


def test_a_row_that_cannot_be_read_is_listed() -> None:
    made = of(table("Item | Marks | Comments", "Asks about onset | 2 |", " | 2 | see the guide"))
    assert [(one.text, one.why) for one in made.unplaced] == [
        ("2: see the guide", "holds nothing in the column of the items")
    ]


def test_marks_of_none_and_in_a_shared_cell_are_told(tmp_path: Path) -> None:
    rows = [("Item", "Marks"), ("Asks about onset", "2"), ("Palpates", None), ("Percusses", "0")]
    made = Sheet(
        tuple(tuple(Cell(text, 2 if text == "2" else 1) if text else None for text in row) for row in rows),
        (Row("head"),),
    )
    path = write(tmp_path / "a.docx", made)
    found = of(converted(path)["text"], "mark sheet.docx")
    assert weights(found) == [("Asks about onset", 2), ("Palpates", 2), ("Percusses", 0)]
    told = " ".join(check.what for check in found.checks)
    assert "one cell of marks stands for several items" in told
    assert 'have 0 marks and count for nothing: "Percusses"' in told


def test_a_sheet_whose_total_is_another_is_told() -> None:
    made = of(table("Item | Marks", "Asks about onset | 2", "Palpates | 2", "Total | 5"))
    assert any("its total says 5, and its items have 4" in check.what for check in made.checks)
    made = of(table("Item | Marks", "Asks about onset | 2", "Palpates | 2", "Total | 4"))
    assert not any("its total" in check.what for check in made.checks)


@pytest.mark.skipif(not GIVEN.is_dir(), reason="the inputs are not here")
@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("40-merged-domain", [2.0] * 7),
        ("40-control-not-merged", [2.0] * 7),
        ("41-not-done-0-attempted-1-done-2", [2.0] * 7),
        ("44-title-row-above-headings", [2.0] * 7),
        ("46-decimal-comma-csv", [2.0, 1.5, 2.0, 2.0, 2.0, 2.0, 2.0]),
    ],
)
def test_the_sheets_that_failed_elsewhere(name: str, wanted: list[float], tmp_path: Path) -> None:
    told = CliRunner().invoke(app, ["scenario", str(GIVEN / name), "--out", str(tmp_path), "--json"])
    found = json.loads(told.stdout)["draft"]
    assert (found["items"], found["unplaced"]) == (7, [])
    assert tmp_path.joinpath("scenario.yaml").read_text().count("weight: ") == len(wanted)
    assert ("weight: 1.5" in tmp_path.joinpath("scenario.yaml").read_text()) is (1.5 in wanted)


def test_no_grid_ends_in_a_traceback_and_no_row_is_lost() -> None:
    assert fuzzed(300) == []
