"""What questions name and facts hold, in lay, clinical and misspelt words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from osler.reading.questions import (
    aspects_asked,
    aspects_held,
    generals,
    hear,
    in_context,
    things_asked,
    things_held,
)
from osler.text.tokens import mended
from osler.text.topics import as_one


@pytest.mark.parametrize(
    ("question", "thing"),
    [
        ("Are you having running stomach?", "diarrhoea"),
        ("Any loose motions?", "diarrhoea"),
        ("Do you suffer from sugar?", "diabetes"),
        ("Any giddiness?", "dizzy"),
        ("Do you have BP?", "bp"),
        ("Have you been throwing up?", "vomit"),
        ("Any fits?", "seizure"),
        ("Does anyone smoke at home?", "others_smoke"),
        ("Has anybody around you been poorly?", "contact_ill"),
    ],
)
def test_regional_and_lay_words_name_the_same_thing(question: str, thing: str) -> None:
    assert thing in things_asked(question).things


def test_a_longer_name_hides_a_shorter_one() -> None:
    assert things_asked("Any chest pain?").things == {"chest_pain"}
    assert "vision" not in things_held("No double vision.", "systems").things
    assert "diabetes" not in things_asked("Does it run in the family?").things


def test_a_fact_holds_only_what_its_topic_can_hold() -> None:
    assert "travel_where" in things_held("I haven't been anywhere far.", "travel").things
    assert "travel_where" not in things_held("No bleeding from anywhere.", "systems").things


def test_a_general_thing_is_made_of_single_ones() -> None:
    assert "urine_burn" in generals()["urine"]
    assert "scalp" not in generals()


@pytest.mark.parametrize(
    ("question", "aspect"),
    [
        ("Does the pain go anywhere?", "radiate"),
        ("Is it there all the time or does it come and go?", "pattern"),
        ("Since when are you having this?", "onset"),
        ("What were you doing when it came on?", "doing"),
        ("How bad is it out of ten?", "severity"),
        ("Have you ever had this before?", "before"),
        ("What brings it on?", "worse"),
        ("How long does each attack last?", "lasting"),
    ],
)
def test_the_sides_of_a_complaint_are_told_apart(question: str, aspect: str) -> None:
    assert aspect in aspects_asked(question)


def test_a_journey_is_no_radiation() -> None:
    assert "radiate" not in aspects_asked("Have you been anywhere recently?")


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("wot tablets do u take", "what tablets do you take"),
        ("do you have diarhoea", "do you have diarrhoea"),
    ],
)
def test_how_people_type_is_mended(written: str, meant: str) -> None:
    assert mended(written) == meant


@pytest.mark.parametrize(
    "word", ["lover", "horse", "purse", "wobble", "printer", "casual", "2 tablets", "astra"]
)
def test_no_real_word_becomes_another(word: str) -> None:
    assert mended(word) == word


@given(st.text(max_size=200))
def test_any_text_can_be_mended_and_read(text: str) -> None:
    once = mended(text)
    assert things_asked(once).things is not None
    assert aspects_asked(once) <= aspects_asked(once) | aspects_held(once)
    assert mended(once) == mended(mended(once))


@pytest.mark.parametrize(
    ("before", "question", "topic"),
    [
        ("Do you smoke?", "How many a day?", "tobacco"),
        ("Are you on any medicines?", "Since when?", "medications"),
        ("Does anyone in the family have heart trouble?", "Who?", "family"),
        ("Are you on any medicines?", "Do you smoke?", "tobacco"),
    ],
)
def test_a_question_without_a_subject_has_that_of_the_one_before(
    before: str, question: str, topic: str
) -> None:
    assert in_context(hear(as_one(question)), [before]).topics[0] == topic


def test_how_much_and_how_long_are_passed_over_on_the_way_back() -> None:
    heard = in_context(hear(as_one("Which ones?")), ["Do you take any pills?", "For how long?"])
    assert heard.topics[:1] == ("medications",)


def test_without_anything_before_there_is_nothing_to_take_over() -> None:
    heard = hear(as_one("How many a day?"))
    assert in_context(heard, []) == heard
