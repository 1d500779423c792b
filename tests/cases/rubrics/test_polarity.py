"""Which way an item counts, read from its wording; the labelled wordings are our own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from osler.cases.rubrics.polarity import denied_kernel, polarity

WORDINGS: dict[str, list[str]] = yaml.load(
    Path(__file__).with_name("wordings.yaml").read_text(encoding="utf-8"), Loader=yaml.CSafeLoader
)
GOOD = ("wash hands", "ask about allergies", "explain the plan", "introduce herself", "check the dose")
BAD = ("interrupt the patient", "use jargon", "rush the history", "blame the patient", "ignore the nurse")


@pytest.mark.parametrize("text", WORDINGS["against"])
def test_what_speaks_against_the_examinee(text: str) -> None:
    assert polarity(text).negative


@pytest.mark.parametrize("text", WORDINGS["for"])
def test_what_only_looks_as_if_it_did(text: str) -> None:
    assert not polarity(text).negative


@pytest.mark.parametrize("text", WORDINGS["open"])
def test_where_words_do_not_decide_the_rules_say_so(text: str) -> None:
    assert not polarity(text).sure


@given(st.sampled_from(GOOD))
def test_a_denial_turns_what_is_good_and_a_second_one_turns_it_back(deed: str) -> None:
    assert not polarity(deed.capitalize()).negative
    assert polarity(f"Fails to {deed}").negative
    assert polarity(f"Does not {deed}").negative
    assert not polarity(f"Does not fail to {deed}").negative


@given(st.sampled_from(BAD))
def test_a_denial_turns_what_is_bad_too(deed: str) -> None:
    assert polarity(f"{deed.capitalize()}").negative
    assert not polarity(f"Does not {deed}").negative
    assert not polarity(f"Never {deed.replace(' ', 's ', 1)}").negative


@given(
    st.sampled_from([*WORDINGS["against"], *WORDINGS["for"]]),
    st.sampled_from(["{}.", "- {}", "3) {}", "• {}", "  {}  "]),
    st.sampled_from([str, str.upper, str.lower]),
)
def test_bullets_numbers_and_capitals_change_nothing(
    text: str, frame: str, cased: Callable[[str], str]
) -> None:
    assert polarity(cased(frame.format(text))) == polarity(text)


@given(st.sampled_from(["The student", "Resident", "You", "The team leader", "He or she"]))
def test_it_does_not_matter_who_is_named_as_the_examinee(who: str) -> None:
    assert polarity(f"{who} fails to wash hands").negative
    assert polarity(f"{who} interrupts the patient").negative
    assert not polarity(f"{who} does not interrupt the patient").negative


@given(st.text(max_size=400))
def test_any_text_reads_some_way(text: str) -> None:
    for one in (text, text * 100, "a:" * 1000 + text, "not " * 600 + text, "fails to " * 200 + text):
        assert isinstance(polarity(one).negative, bool)
        denied_kernel(one)


def test_what_holds_by_absence_is_told_from_what_is_done() -> None:
    left_undone = ("Fails to wash hands", "Avoids jargon", "Hands were not washed", "No jargon used")
    assert all(polarity(text).by_absence for text in left_undone)
    done = ("Washes hands", "Uses jargon", "Examines without washing hands", "Gives adenosine (incorrect)")
    assert not any(polarity(text).by_absence for text in done)


def test_a_denial_is_taken_off_what_it_denies() -> None:
    assert denied_kernel("The resident fails to wash hands") == "wash hands"
    assert denied_kernel("Did not use jargon") == "use jargon"
    assert denied_kernel("Washes hands") == "washes hands"
