"""Reviews: written into the file that was read, with every other byte as it was."""

from __future__ import annotations

import difflib
from importlib import resources
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from osler.cases.importers.osler_yaml import parsed_as
from osler.cases.model import Case
from osler.cases.reviewing import reviewed
from osler.cases.reviews import Review, version_of
from osler.cases.scenarios.model import Scenario
from osler.errors import BadInput

PATH = Path(str(resources.files("osler.cases") / "library" / "cardiology-01.yaml"))
SCENARIO = Path(str(resources.files("osler.cases.scenarios") / "library" / "st06.yaml"))
TEXT = PATH.read_text(encoding="utf-8")


def case_in(text: str) -> Case:
    (case,) = parsed_as(Case, text.encode(), "case.yaml", "case")
    assert isinstance(case, Case)
    return case


CASE = case_in(TEXT)
WORDS = st.text(st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"]), min_size=1, max_size=60)


def a_review(**said: str) -> Review:
    given = {"by": "Dr A. Reader", "role": "consultant", "date": "2026-11-20", "version": version_of(CASE)}
    return Review.model_validate(given | said)


def added(before: str, after: str) -> tuple[list[str], list[str]]:
    """The lines that were taken away and those that were added."""
    diff = list(difflib.ndiff(before.splitlines(), after.splitlines()))
    return [d[2:] for d in diff if d[0] == "-"], [d[2:] for d in diff if d[0] == "+"]


def test_only_the_review_is_added_and_the_name_takes_the_place_of_null() -> None:
    after = reviewed(TEXT, CASE, a_review(verdict="changes", comment="The dose: 300 mg."), "x")
    gone, new = added(TEXT, after)
    assert [line.strip() for line in gone] == ["reviewed_by: null"]
    assert new[0].strip() == 'reviewed_by: "Dr A. Reader (consultant)"'
    found = case_in(after).provenance.reviews
    assert found == (a_review(verdict="changes", comment="The dose: 300 mg."),)


def test_a_second_review_stands_below_the_first() -> None:
    once = reviewed(TEXT, CASE, a_review(), "x")
    twice = reviewed(once, case_in(once), a_review(by="Dr B. Other", verdict="accepted"), "x")
    assert [review.by for review in case_in(twice).provenance.reviews] == ["Dr A. Reader", "Dr B. Other"]
    assert added(once, twice)[0] == []


@settings(max_examples=25, deadline=None)
@given(by=WORDS, comment=WORDS)
def test_whatever_is_said_is_read_back(by: str, comment: str) -> None:
    review = a_review(by=by, comment=comment)
    assert case_in(reviewed(TEXT, CASE, review, "x")).provenance.reviews == (review,)


def test_windows_line_ends_stay(tmp_path: Path) -> None:
    text = TEXT.replace("\n", "\r\n")
    after = reviewed(text, CASE, a_review(), "x")
    assert after.count("\n") == after.count("\r\n")
    assert case_in(after).provenance.reviews


def test_a_scenario_takes_a_review_too() -> None:
    text = SCENARIO.read_text(encoding="utf-8")
    (scenario,) = parsed_as(Scenario, text.encode(), "st06.yaml", "scenario")
    assert isinstance(scenario, Scenario)
    (found,) = parsed_as(Scenario, reviewed(text, scenario, a_review(), "x").encode(), "x.yaml", "scenario")
    assert isinstance(found, Scenario)
    assert found.provenance.reviews == (a_review(),)


def test_the_right_one_of_several_cases_is_written() -> None:
    other = TEXT.replace("\nid: cardiology-01", "\nid: second-1").replace(
        "record: cardiology-01", "record: x"
    )
    text = f"{TEXT}---\n{other}"
    after = reviewed(text, CASE.model_copy(update={"id": "second-1"}), a_review(), "x")
    read = [one for one in parsed_as(Case, after.encode(), "x", "case") if isinstance(one, Case)]
    assert [len(one.provenance.reviews) for one in read] == [0, 1]


@pytest.mark.parametrize(
    "text",
    [
        TEXT[: TEXT.index("provenance:")] + 'provenance: {origin: "Here", record: "1"}\n',
        TEXT.replace("id: cardiology-01\n", "id: another-1\n", 1),
        TEXT + "  reviews: []\n",
    ],
    ids=["in one line", "another case", "empty list"],
)
def test_a_file_that_cannot_take_it_is_refused(text: str) -> None:
    with pytest.raises(BadInput, match="review could not be written"):
        reviewed(text, CASE, a_review(), "x")


def test_a_later_change_of_the_case_shows_and_a_change_of_its_provenance_does_not() -> None:
    review = a_review(verdict="accepted")
    assert review.told(version_of(CASE)) == "Dr A. Reader (consultant, 2026-11-20): accepted"
    changed = CASE.model_copy(update={"setting": "elsewhere"})
    assert review.told(version_of(changed)).endswith("accepted, of an earlier version")
    kept = CASE.provenance.model_copy(update={"reviewed_by": "somebody"})
    assert version_of(CASE.model_copy(update={"provenance": kept})) == review.version
