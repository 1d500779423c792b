"""Two clinicians' sheets: hostile items stay text, answers come back, agreement has its interval."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path

import pytest

from osler.authoring.scenarios.items import rubric_of
from osler.authoring.scenarios.reviewing import review, sheet_text, sheet_version
from osler.cases.rubrics.model import Rubric
from osler.errors import BadInput

HOSTILE = '=HYPERLINK("http://x.example","Asks")'
Row = dict[str, str]
Fill = Callable[[Row], Row]


def rubric(n: int = 12) -> Rubric:
    items = [{"competency": "PC", "text": f"Does the thing of number {k}"} for k in range(n)]
    return rubric_of([*items, {"competency": "ICS", "text": HOSTILE}], "case", "scenario1")


def filled(path: Path, reviewer: str, fill: Fill, source: Rubric | None = None) -> Path:
    """A sheet as a reviewer gives it back from a spreadsheet program."""
    path.write_text(sheet_text(source or rubric()), encoding="utf-8", newline="")
    with path.open(encoding="utf-8-sig", newline="") as file:
        heading, *rows = csv.reader(file)
    names = [cell.splitlines()[0] for cell in heading]
    kept = []
    for row in rows:
        held = {**dict(zip(names, row, strict=True)), "reviewer": reviewer}
        kept.append(held if held["about"] == "version" else {**held, **fill(held)})
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, names, delimiter=";")
        writer.writeheader()
        writer.writerows(kept)
    return path


def yes(row: Row) -> Row:
    return {"agree": "yes", "critical": "no"}


def test_no_cell_is_a_formula_and_the_sheet_knows_its_rubric(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(sheet_text(rubric()), encoding="utf-8", newline="")
    with path.open(encoding="utf-8-sig", newline="") as file:
        cells = [cell for row in csv.reader(file) for cell in row]
    assert not [cell for cell in cells if cell.lstrip()[:1] in set("=+-@")]
    assert f"'{HOSTILE}" in cells
    assert sheet_version(path) == rubric().digest
    (tmp_path / "b.csv").write_text("a,b\n1,2\n")
    assert sheet_version(tmp_path / "b.csv") is None


def test_full_agreement_has_no_spread_and_kappa_no_value(tmp_path: Path) -> None:
    found = review([filled(tmp_path / f"{name}.csv", name, yes) for name in ("ann", "ben")])
    assert found.reviewers == ("ann", "ben")
    assert (found.rows, found.unfilled, found.differences) == (18, 0, ())
    agree = found.agreement["agree"]
    assert (agree.share.value, agree.share.n, agree.kappa.value, agree.reason) == (1.0, 18, None, "all_alike")
    assert agree.share.low is not None
    assert agree.share.low < 1
    assert agree.ac1.value == 1.0


def test_differences_are_listed_with_both_answers_and_comments(tmp_path: Path) -> None:
    def ben(row: Row) -> Row:
        if row["text"].endswith("number 3"):
            return {"agree": "No", "comment": "cannot be seen"}
        if row["text"].endswith("number 4"):
            return {"agree": "y", "competency": "mk", "critical": "yes"}
        return yes(row)

    def ann(row: Row) -> Row:
        return {"agree": "no"} if row["text"].endswith("number 5") else yes(row)

    paths = [filled(tmp_path / "a.csv", "Ann", ann), filled(tmp_path / "b.csv", " ben ", ben)]
    found = review(paths)
    told = [(d.question, d.text[-1], d.answers, d.comments) for d in found.differences]
    assert told == [
        ("agree", "3", ("yes", "no"), ("", "cannot be seen")),
        ("competency", "4", ("PC", "MK"), ("", "")),
        ("critical", "4", ("no", "yes"), ("", "")),
        ("agree", "5", ("no", "yes"), ("", "")),
    ]
    agree = found.agreement["agree"]
    assert agree.share.value == pytest.approx(16 / 18)
    assert agree.kappa.value is not None
    assert agree.ac1.value is not None
    assert agree.ac1.value > agree.kappa.value, "nearly all is yes"
    assert agree.ac1.low is not None


def test_what_both_refuse_is_told_apart(tmp_path: Path) -> None:
    def fill(row: Row) -> Row:
        return {"agree": "no"} if row["text"].endswith("number 1") else yes(row)

    found = review([filled(tmp_path / f"{name}.csv", name, fill) for name in ("ann", "ben")])
    assert [one.text for one in found.refused_by_both] == ["Does the thing of number 1"]
    assert not found.differences


def test_few_rows_bear_no_coefficient(tmp_path: Path) -> None:
    small = rubric(2)
    found = review([filled(tmp_path / f"{name}.csv", name, yes, small) for name in ("ann", "ben")])
    assert found.agreement["critical"].reason == "too_few"
    assert found.agreement["critical"].ac1.value is None
    assert found.agreement["critical"].share.value == 1.0


def test_what_is_left_open_is_counted_and_never_a_no(tmp_path: Path) -> None:
    paths = [filled(tmp_path / "a.csv", "ann", yes), filled(tmp_path / "b.csv", "ben", lambda row: {})]
    found = review(paths)
    assert found.unfilled == 18
    assert found.agreement["agree"].share.value is None
    assert found.agreement["agree"].share.unscored == 18


@pytest.mark.parametrize(
    ("reviewer", "fill", "told"),
    [
        ("ann", {"agree": "perhaps"}, "'perhaps' is neither yes nor no"),
        ("ann", {"agree": "yes", "competency": "XX"}, "'XX' is none"),
        ("", {"agree": "yes"}, "names no reviewer"),
        ("ben", {"agree": "yes", "critical": "no"}, "of 1 reviewers: ben"),
        ("ben", {"agree": "no"}, "twice, differently"),
    ],
)
def test_what_cannot_be_read_is_refused_in_words(tmp_path: Path, reviewer: str, fill: Row, told: str) -> None:
    good = filled(tmp_path / "good.csv", "ben", yes)
    bad = filled(tmp_path / "bad.csv", reviewer, lambda row: fill)
    with pytest.raises(BadInput, match=told):
        review([good, bad])


def test_sheets_of_different_rubrics_are_not_compared(tmp_path: Path) -> None:
    other = rubric_of([{"competency": "PC", "text": "Another"}], "other", "scenario1")
    with pytest.raises(BadInput, match="no row in common"):
        review([filled(tmp_path / "a.csv", "ann", yes), filled(tmp_path / "b.csv", "ben", yes, other)])
