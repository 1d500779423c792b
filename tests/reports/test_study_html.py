"""The page of a study: every number with its interval, honest about what is missing, and text stays text."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner, Result

from osler.cli.study import app
from osler.reports.study_figures import difference_of, value_of
from osler.reports.study_html import study_html
from osler.reports.study_pictures import line_pictures, radar_pictures
from osler.reports.study_report import Condition, StudyReport, blocks, compared_factor, ranked
from tests.reports.stored_runs import HOSTILE, LONG
from tests.reports.studies import (
    MEASURES,
    NOTHING,
    SIZES,
    THEORIES,
    TUTORS,
    comparison,
    interval,
    study,
    summary,
)
from tests.reports.test_html import Page
from tests.reports.test_html_plots import drawn

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
SMALL = """
name: small
title: A small study
question: Does it run?
base: {students: 2, theory: construct, settings: {max_rounds: 2}}
factors:
  tutor: [silent, socratic]
  students: [1, 3]
reference: {tutor: silent}
conditions: {by itself: {tutor: lecturer}}
primary: {figure: step_gain, condition: socratic/3, against: silent/3}
"""


def words_of(report: StudyReport) -> str:
    return " ".join(Page(study_html(report)).words.split())


def run_small(folder: Path, store: str, *more: str) -> Result:
    (folder / "small.yaml").write_text(SMALL, encoding="utf-8")
    words = [
        "run",
        str(folder / "small.yaml"),
        "--limit",
        "2",
        "--store",
        str(folder / store),
        "--json",
        *more,
    ]
    return CliRunner().invoke(app, words)


# The command


def test_a_study_is_written_as_one_page_that_says_what_the_command_found(tmp_path: Path) -> None:
    out = tmp_path / "page.html"
    done = run_small(tmp_path, "osler.db", "--out", str(out))
    assert done.exit_code == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["written"] == str(out)
    page = " ".join(Page(out.read_text(encoding="utf-8")).words.split())
    primary = found["primary"]
    assert f"Step gain of socratic/3 minus that of silent/3: {primary['value']:+.3f}" in page
    assert (primary["low"], primary["high"]) == (None, None), "two cases are too few for an interval"
    assert "no interval from 2 cases, over 2 pairs of ward rounds in 2 cases" in page
    for name, run in found["runs"].items():
        assert f"{name.replace('/', '/ ')} {run} 2 completed" in page
    assert "tutor silent tutor socratic learning gain" in page
    assert "by itself" in page
    assert not list(tmp_path.rglob("*.part"))


def test_the_same_study_gives_the_same_bytes_but_for_the_names_of_runs(tmp_path: Path) -> None:
    pages = []
    for place, store in enumerate(("one.db", "one.db", "two.db")):
        out = tmp_path / f"{place}.html"
        done = run_small(tmp_path, store, "--out", str(out))
        pages.append((out.read_text(encoding="utf-8"), json.loads(done.stdout)["runs"]))
    assert pages[0] == pages[1]
    (first, mine), (other, theirs) = pages[0], pages[2]
    for name, run in theirs.items():
        other = other.replace(run, mine[name])
    assert other == first


def test_a_study_of_scenarios_has_the_same_page_and_takes_a_player_by_seat(tmp_path: Path) -> None:
    out = tmp_path / "page.html"
    words = ["run", "examinees", "--limit", "1", "--seat", "examinee=opening-only", "--out", str(out)]
    done = CliRunner().invoke(app, [*words, "--store", str(tmp_path / "o.db"), "--json"])
    assert done.exit_code == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["protocol"] == "scenario"
    same = next(one for one in found["contrasts"] if one["condition"] == "interactive, opening only")
    assert same["value"] == 0, "the conditions that leave the seat open are played by who is named"
    page = " ".join(Page(out.read_text(encoding="utf-8")).words.split())
    assert "Net score of static minus that of interactive" in page
    assert "pairs of scenarios" in page
    assert "drafts rejected" not in page


def test_a_doctor_has_no_seat_in_a_round(tmp_path: Path) -> None:
    done = run_small(tmp_path, "osler.db", "--doctor", "baseline")
    assert done.exit_code == 1
    assert "there is no seat 'doctor' in ward rounds" in done.stderr


def test_a_page_without_a_folder_is_refused_before_anything_is_played(tmp_path: Path) -> None:
    done = run_small(tmp_path, "osler.db", "--out", str(tmp_path / "nowhere" / "page.html"))
    assert done.exit_code == 1
    assert "nowhere: there is no such folder" in done.stderr
    assert not (tmp_path / "osler.db").exists()


# What it says


@pytest.mark.parametrize(
    ("primary", "says"),
    [
        (comparison((0.2, 0.1, 0.3)), "The whole interval lies above 0"),
        (comparison((-0.2, -0.3, -0.1)), "The whole interval lies below 0"),
        (comparison((0.2, -0.1, 0.5)), "The interval covers 0"),
        (comparison((0.2, 0.0, 0.4)), "The interval covers 0"),
        (comparison((9.0, None, None), p=None), "+9.000, no spread, over 30 pairs"),
        (comparison((9.0, None, None), cases=1), "no interval from one case"),
        (comparison((0.2, 0.1, 0.3), unscored=2), "More than 5 % of the pairs are unscored"),
        (comparison(NOTHING, n_pairs=0), "There was nothing to compare"),
        (comparison(NOTHING, condition="unplayed"), "It has not been played yet"),
    ],
)
def test_the_primary_endpoint_is_read_out_and_no_further_than_it_goes(primary: Any, says: str) -> None:
    report = study(alone=dict.fromkeys(("silent", "socratic"), (0.1, 0.0, 0.2)), primary=primary)
    page = words_of(report)
    assert says in page
    if says != "The whole interval lies above 0":
        assert "lies above 0" not in page


def test_a_figure_that_stands_in_for_the_declared_one_is_named_and_ranks() -> None:
    taken = {
        name: Condition({}, summary(NOTHING, step_gain=interval((gain, None, None))), 30, {}, "beef")
        for name, gain in (("silent", 0.0), ("socratic", 0.5))
    }
    page = words_of(study(conditions=taken, primary=comparison(figure="step_gain")))
    assert "The declared figure was learning gain, with step gain in its place" in page
    assert "Order by step gain" in page
    assert page.index("1 socratic") < page.index("2 silent")
    assert "The declared figure was" not in words_of(study(TUTORS))


def test_what_was_not_scored_is_a_dash_and_exact_agreement_is_said() -> None:
    unscored = summary(msm_proxy=interval(NOTHING, 0), step_gain=interval((0.0, None, None)))
    page = words_of(study(conditions={"one": Condition({}, unscored, 30, {}, "beef")}))
    assert "- nothing scored n 0, 30 unscored" in page
    assert "0.000 no spread n 30" in page
    one_case = Condition({}, unscored, 1, {}, "beef")
    assert "0.000 no interval from one case n 30" in words_of(study(conditions={"one": one_case}))


def test_an_interval_ends_where_its_figure_does() -> None:
    low, high = interval((1.1, 0.9, 1.5)), interval((0.9, 0.7, 1.1))
    marked = Condition({}, summary(msm_proxy=low, learning_gain=high), 30, {}, "beef")
    page = words_of(study(conditions={"one": marked}))
    assert "1.10 1.00 to 1.50 n 30" in page
    assert "0.900 0.700 to 1.000 n 30" in page


def test_only_a_difference_that_holm_leaves_has_a_star() -> None:
    page = words_of(study(TUTORS))
    assert "2 comparisons, 1 with *" in page
    assert "Holm-adjusted over the 2 comparisons" in page
    assert re.search(
        r"socratic minus silent \+0\.200 \* \+0\.100 to \+0\.300 , 30 pairs; Holm's p 0\.040", page
    )
    assert re.search(r"lecturer minus silent \+0\.200 \+0\.100 to \+0\.300 , 30 pairs; Holm's p 0\.200", page)


def test_an_unfinished_study_says_so_first() -> None:
    page = words_of(study(TUTORS, status="paused", why="no network", waiting=("lecturer/novice",)))
    assert "This study is not finished : paused, no network." in page
    assert "Not started: lecturer/novice" in page
    assert page.index("not finished") < page.index("minus that of")


def test_a_study_of_which_nothing_is_played_still_has_a_page() -> None:
    page = words_of(study(conditions={}, contrasts=(), status="interrupted", waiting=("a", "b")))
    assert "0 of 2 conditions" in page
    assert "Nothing has been played yet." in page
    assert "None so far." in page


def test_tutors_are_ranked_under_each_theory() -> None:
    gains = {
        "silent/construct": (0.0, -0.1, 0.1),
        "lecturer/construct": (0.0, -0.1, 0.1),
        "lecturer/telling": (0.9, 0.8, 1.0),
    }
    page = words_of(study(TUTORS, THEORIES, gains=gains))
    part = page[page.index("theory construct") : page.index("theory telling")]
    assert [part.index(one) for one in ("1 socratic", "2= silent", "2= lecturer")] == sorted(
        part.index(one) for one in ("1 socratic", "2= silent", "2= lecturer")
    )
    assert "1 lecturer" in page[page.index("theory telling") : page.index("theory novice")]


@given(st.lists(st.none() | st.sampled_from([-0.5, 0.0, 0.25, 1.0]), min_size=1, max_size=9))
def test_a_place_is_how_many_gained_more_and_equals_share_it(gains: list[float | None]) -> None:
    report = study(alone={str(n): (gain, None, None) for n, gain in enumerate(gains)})
    (block,) = blocks(report, compared_factor(report))
    told = list(ranked(report, block.rows))
    assert sorted(name for _, _, name in told) == sorted(report.conditions)
    in_order = [gains[int(name)] for _, _, name in told]
    scored = [gain for gain in in_order if gain is not None]
    assert in_order == sorted(scored, reverse=True) + [None] * (len(gains) - len(scored))
    for place, _, name in told:
        gain = gains[int(name)]
        if gain is None:
            assert place == "-"
        else:
            more = sum(other > gain for other in scored)
            assert place == f"{more + 1}{'=' if scored.count(gain) > 1 else ''}"


@given(st.sampled_from(sorted(MEASURES)), st.floats(-1, 1))
def test_nothing_reads_as_minus_zero(figure: str, value: float) -> None:
    for written in (value_of(MEASURES[figure], value), difference_of(MEASURES[figure], value)):
        assert not re.fullmatch(r"-0\.?0*(?:%| points)?", written)


# Pictures


def test_a_factor_that_is_a_number_has_lines_with_bands_and_one_that_is_named_a_radar() -> None:
    over_sizes, over_theories = study(TUTORS, SIZES), study(TUTORS, THEORIES)
    lines = line_pictures(over_sizes)
    assert lines is not None
    assert lines.keys == ("tutor silent", "tutor socratic", "tutor lecturer")
    picture = drawn(lines.drawn[0][1])
    assert [text.text for text in picture.iter("text")][-4:] == ["1", "2", "10", "students"]
    assert [len(group.findall(".//polygon")) for group in picture.findall("g")] == [1, 1, 1]
    assert radar_pictures(over_sizes) is None
    radars = radar_pictures(over_theories)
    assert radars is not None
    assert radars.keys == lines.keys
    assert radars.axes == ("theory construct", "theory telling", "theory novice")
    webs = [one for one in drawn(radars.drawn[0][1]).iter("polygon") if one.get("class") == "web"]
    assert [len((web.get("points") or "").split()) for web in webs] == [3, 3, 3]
    assert line_pictures(over_theories) is None


def test_tutors_alone_have_a_radar_of_their_marks_and_loose_conditions_have_none() -> None:
    radars = radar_pictures(study(TUTORS))
    assert radars is not None
    assert len(radars.axes) == 3
    assert radars.keys == ("tutor silent", "tutor socratic", "tutor lecturer")
    loose = study(alone=dict.fromkeys("abcd", (0.1, 0.0, 0.2)))
    assert (line_pictures(loose), radar_pictures(loose)) == (None, None)


def test_a_missing_corner_breaks_the_polygon_and_a_missing_interval_the_band() -> None:
    radars = radar_pictures(study(TUTORS, THEORIES, gains={"silent/telling": NOTHING}))
    assert radars is not None
    webs = [one for one in drawn(radars.drawn[0][1]).iter("polygon") if one.get("class") == "web"]
    assert len(webs) == 2
    lines = line_pictures(study(TUTORS, SIZES, gains={"silent/2": (0.3, None, None)}))
    assert lines is not None
    assert [len(one.findall(".//polygon")) for one in drawn(lines.drawn[0][1]).findall("g")] == [0, 1, 1]


def test_more_tutors_than_marks_are_counted_and_not_drawn_alike() -> None:
    many = TUTORS._replace(levels=tuple(f"t{n}" for n in range(11)))
    for pictures in (line_pictures(study(many, SIZES)), radar_pictures(study(many, THEORIES))):
        assert pictures is not None
        assert (len(pictures.keys), pictures.left_out) == (8, 3)
    assert "3 more are not drawn" in words_of(study(many, SIZES))


# Text of others


def hostile_study(text: str) -> StudyReport:
    """Every text that somebody else writes is `text`."""
    levels = (text, f"{text}2", f"{text}3")
    named = [TUTORS._replace(name=f"{text}{n}", levels=levels) for n in range(2)]
    found = study(*named, SIZES._replace(name=text))
    found = found._replace(name=text, title=text, question=text, cases=text, status="paused", why=text)
    conditions = {
        name: one._replace(
            differs={text: text},
            summary=one.summary.model_copy(
                update={"run": text, "grader": text, "rejected": {text: 1}, "label": text, "ended": {text: 1}}
            ),
        )
        for name, one in found.conditions.items()
    }
    return found._replace(
        primary=comparison(condition=text, against=text),
        contrasts=(comparison(condition=text, against=text, p_holm=0.5),),
        conditions=conditions,
        waiting=(text,),
        shared={"cases_fingerprint": text, text: text},
    )


def test_hostile_text_stays_text_everywhere() -> None:
    page = study_html(hostile_study(HOSTILE))
    parsed = Page(page)
    assert {"script", "img", "link", "iframe", "a"} & set(parsed.tags) == {"a"}
    assert not [name for name, _ in parsed.attributes if name.startswith("on")]
    assert all(value.startswith("#") for name, value in parsed.attributes if name in ("href", "src"))
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e\ud800]", page)
    assert "<script>alert(1)</script>" in parsed.words
    assert "{{7*7}}" in parsed.words


def test_a_text_without_end_is_cut() -> None:
    once, twice = (len(study_html(hostile_study(times * LONG))) for times in (1, 2))
    assert twice - once < 100


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("made", [lambda: hostile_study(LONG), lambda: study(TUTORS, SIZES)])
def test_it_fits_the_screen_and_asks_for_nothing(tmp_path: Path, width: int, made: Any) -> None:
    if CHROMIUM is None:
        pytest.skip("no chromium is installed: the page is not opened in a browser")
    pytest.importorskip(
        "playwright", reason="playwright is not installed: the page is not opened in a browser"
    )
    playwright: Any = __import__("playwright.sync_api", fromlist=["sync_playwright"])
    file = tmp_path / "page.html"
    file.write_text(study_html(made()), encoding="utf-8")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": width, "height": 800})
        asked: list[str] = []
        trouble: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        page.on("console", lambda message: trouble.append(message.text))
        page.goto(file.as_uri())
        page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
        wide = page.evaluate("document.documentElement.scrollWidth")
        browser.close()
    assert wide == width, "the page is scrolled sideways"
    assert asked == [file.as_uri()]
    assert trouble == []
