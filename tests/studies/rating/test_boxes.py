"""Box plots of ratings: experts beside the judge, on the same rounds and the same levels."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from osler.cli.rate import app as rate_app
from osler.cli.study import app as study_app
from osler.errors import BadInput
from osler.reports.rating_boxes import boxes_html
from osler.store.store import open_store
from osler.studies.rating.agreement import box
from osler.studies.rating.export import FOR_RATERS, SampleRequest, write_export
from osler.studies.rating.importing import import_sheets
from osler.studies.rating.scales import Counterpart, load_scale
from osler.studies.rating.sheet import read_sheet, text_of
from osler.studies.rating.with_judge import as_share
from tests.reports.stored_runs import HOSTILE
from tests.reports.test_html import Page

TEACHING = load_scale("teaching")
ETS = TEACHING.item("ets")
MARKS = Counterpart(score="ets", marks=True)
TWO_TUTORS = """
name: two
title: Two tutors
question: Who?
base: {students: 2, theory: construct, settings: {max_rounds: 2}}
conditions: {silent: {tutor: silent}, socratic: {tutor: socratic}}
primary: {figure: step_gain, condition: socratic, against: silent}
"""


def test_experts_and_the_judge_stand_side_by_side_on_marks_from_1_to_10(tmp_path: Path) -> None:
    """A real study of ward rounds, marked by two experts: a mark of 5 everywhere."""
    (tmp_path / "two.yaml").write_text(TWO_TUTORS, encoding="utf-8")
    store = str(tmp_path / "osler.db")
    words = ["run", str(tmp_path / "two.yaml"), "--limit", "2", "--store", store, "--json"]
    names = list(json.loads(CliRunner().invoke(study_app, words).stdout)["runs"].values())
    with open_store(store) as opened:
        runs = [opened.run(name) for name in names]
        exported = write_export(opened, runs, TEACHING, SampleRequest(), tmp_path / "out")
        filled = [path for path in exported.files if path.parent.name == FOR_RATERS and path.suffix == ".csv"]
        for path in filled:
            sheet = read_sheet(path)
            for row in sheet.rows:
                row.cells.update({"rater": path.stem} | dict.fromkeys(("ets", "msm", "mps"), "5"))
            path.write_text(text_of(sheet), encoding="utf-8", newline="")
        assert not import_sheets(opened, filled, exported.key).problems
    out = tmp_path / "boxes.html"
    done = CliRunner().invoke(
        rate_app,
        ["agreement", *names, "--scale", "teaching", "--store", store, "--out", str(out), "--json"],
    )
    assert done.exit_code == 0, done.stderr
    found = [one for one in json.loads(done.stdout)["boxes"] if one["item"] == "ets"]
    assert [(one["by"], one["judge"]) for one in found[:2]] == [("rater-1", False), ("rater-2", False)]
    assert found[2]["by"].startswith("round ")
    assert {(one["first"], one["last"], one["mean"]["n"]) for one in found} == {(1, 10, 4)}
    assert (found[0]["least"], found[0]["mean"]["value"], found[0]["most"]) == (5, 5, 5)
    assert found[2]["least"] == 1, "a silent tutor has the lowest mark"
    page = " ".join(Page(out.read_text(encoding="utf-8")).words.split())
    assert "rater-1 rater mean 5.00 no spread , n 4 ; median 5, quartiles 5 and 5" in page
    assert "For education and research only" in page


def test_quartiles_by_hand() -> None:
    found = box(ETS, "anna", False, False, list("abcde"), [0, 1, 2, 4, 8])
    assert found is not None
    assert (found.least, found.lower, found.middle, found.upper, found.most) == (0, 1, 2, 4, 8)
    assert (found.mean.value, found.mean.n, found.first, found.last) == (3, 5, 0, 9)


@given(st.lists(st.none() | st.integers(0, 9), min_size=1, max_size=30), st.booleans())
def test_a_box_is_in_order_and_within_its_levels(levels: list[int | None], marks: bool) -> None:
    found = box(ETS, "anna", False, marks, [str(n % 7) for n in range(len(levels))], levels)
    scored = [level for level in levels if level is not None]
    if found is None:
        assert not scored
        return
    drawn = [found.first, found.least, found.lower, found.middle, found.upper, found.most, found.last]
    assert drawn == sorted(drawn)
    assert found.mean.value is not None
    assert found.least - 1e-6 <= found.mean.value <= found.most + 1e-6
    assert (found.mean.n, found.mean.unscored) == (len(scored), len(levels) - len(scored))
    assert found.most == max(scored) + marks


@given(st.integers(1, 10))
def test_a_mark_is_the_level_below_it(mark: int) -> None:
    assert as_share(mark, MARKS, ETS) * ETS.top == pytest.approx(mark - 1)


@pytest.mark.parametrize("mark", [0.0, 0.5, 10.5, 11.0])
def test_a_mark_beyond_the_levels_is_refused(mark: float) -> None:
    with pytest.raises(BadInput, match="not a mark from 1 to 10"):
        as_share(mark, MARKS, ETS)


def test_hostile_names_stay_text() -> None:
    found = box(ETS, HOSTILE, True, True, ["a", "b"], [1, 2])
    assert found is not None
    page = boxes_html(HOSTILE, HOSTILE, HOSTILE, {"ets": HOSTILE}, [found])
    parsed = Page(page)
    assert not {"script", "img"} & set(parsed.tags)
    assert not [name for name, _ in parsed.attributes if name.startswith("on")]
    assert page.encode("utf-8")
