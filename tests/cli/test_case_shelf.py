"""`osler cases list` and `osler cases review` as learners, educators and clinicians meet them."""

from __future__ import annotations

from pathlib import Path

import pytest

from osler.cases.importers import write_case
from osler.cases.sources import open_source
from osler.testing.cases import small_case
from tests.cli.commands import Osler, value


def test_the_shelf_shows_cases_and_scenarios_and_no_diagnosis(osler: Osler) -> None:
    found = value(osler("cases", "list", "--json"))
    assert (len(found["cases"]), len(found["scenarios"])) == (30, 10)
    titles = {case.id: case.title for case in open_source("library")}
    for row in (*found["cases"], *found["scenarios"]):
        assert row["title"] not in titles.values()
        assert row["skills"]
        assert not {"educator_title", "specialty", "content_warnings", "flags"} & row.keys()
    shown = osler("cases", "list").stdout
    assert "Chest ache in a woman of 58" in shown
    assert "infarction" not in shown


def test_the_educators_title_and_the_detail_of_a_warning_are_shown_on_request_only(osler: Osler) -> None:
    row = value(osler("cases", "list", "--skill", "risk assessment", "--json"))["cases"]
    (case,) = [one for one in row if one["id"] == "psychiatry-01"]
    assert case["warning"] == "may be distressing"
    more = value(osler("cases", "list", "--warnings", "--json"))["cases"]
    (case,) = [one for one in more if one["id"] == "psychiatry-01"]
    assert any("suicid" in warning for warning in case["content_warnings"])
    assert "educator_title" not in case
    (case,) = value(osler("cases", "list", "--complaint", "sleepless", "--educator", "--json"))["cases"]
    assert case["educator_title"] == "A baker of 31 who wants something to make him sleep"
    assert "reviewed by nobody" in osler("cases", "list", "--complaint", "sleepless", "--educator").stdout


def test_the_filters_narrow_the_shelf_together(osler: Osler) -> None:
    ids = {
        row["id"]
        for row in value(osler("cases", "list", "--system", "neurological", "--json"))["cases"]
        if row["complaint"] == "headache"
    }
    found = value(osler("cases", "list", "--system", "neurological", "--complaint", "Headache", "--json"))
    assert {row["id"] for row in found["cases"]} == ids
    assert len(ids) == 4
    found = value(osler("cases", "list", "--skill", "handover", "--json"))
    assert ([row["id"] for row in found["scenarios"]], found["cases"]) == (["st10/scenario1"], [])
    assert value(osler("cases", "list", "--level", "foundation", "--system", "eye", "--json"))["cases"] == []
    assert osler("cases", "list", "--level", "easy").exit_code == 2


def test_a_case_without_a_label_is_called_by_its_door_note_and_no_filter_finds_it(
    osler: Osler, tmp_path: Path
) -> None:
    case = small_case()
    write_case(case, tmp_path / "mine")
    found = value(osler("cases", "list", "mine", "--json"))
    assert [row["title"] for row in found["cases"]] == [" ".join(case.opening.door_note.split())[:100]]
    assert found["scenarios"] == []
    assert value(osler("cases", "list", "mine", "--level", "foundation", "--json"))["cases"] == []


def test_a_review_goes_into_a_copy_and_is_listed_and_shown(osler: Osler) -> None:
    words = ("--by", "Dr A. Reader", "--role", "consultant", "--date", "2026-11-20", "--verdict", "accepted")
    done = value(osler("cases", "review", "ent-02", *words, "--out", "mine.yaml", "--json"))
    assert done["review"]["verdict"] == "accepted"
    told = "Dr A. Reader (consultant, 2026-11-20): accepted"
    assert told in osler("cases", "show", "mine.yaml").stdout
    assert value(osler("cases", "list", "mine.yaml", "--json"))["cases"][0]["reviews"] == [told]
    assert osler("cases", "review", "mine.yaml", "--by", "Dr B", "--role", "GP").exit_code == 0
    assert len(value(osler("cases", "list", "mine.yaml", "--json"))["cases"][0]["reviews"]) == 2
    Path("mine.yaml").write_text(Path("mine.yaml").read_text().replace("Short spins", "Spins"))
    reviews = value(osler("cases", "list", "mine.yaml", "--json"))["cases"][0]["reviews"]
    assert [review.endswith("of an earlier version") for review in reviews] == [True, True]
    assert value(osler("cases", "show", "ent-02", "--json"))["provenance"]["reviewed_by"] is None


def test_that_nobody_checked_a_source_is_shown(osler: Osler) -> None:
    shown = osler("cases", "show", "ent-02").stdout
    assert shown.count("checked: null") == 3
    assert "reviewed_by: null" in shown


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("no-such.yaml", "--by", "A", "--role", "B"), "no such"),
        (("ent-02", "--by", "  ", "--role", "B", "--out", "x.yaml"), "by"),
        (("ent-02", "--by", "A", "--role", "B", "--date", "2026-02-30", "--out", "x.yaml"), "day"),
        (("ent-02#other", "--by", "A", "--role", "B", "--out", "x.yaml"), "name the case"),
        (("mine.jsonl", "--by", "A", "--role", "B"), "YAML"),
    ],
)
def test_a_review_that_cannot_be_written_is_refused_with_the_reason(
    osler: Osler, words: tuple[str, ...], why: str
) -> None:
    Path("mine.jsonl").write_text("{}\n")
    done = osler("cases", "review", *words)
    assert done.exit_code == 1
    assert why in " ".join(done.stderr.split())
    assert not Path("x.yaml").exists()
