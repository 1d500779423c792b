"""Prose about a patient in their own words, or a parent's: turned where it is safe, else not at all."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from osler.text.carers_words import as_childs_complaint, in_carers_words
from osler.text.first_person import as_complaint, in_first_person
from osler.text.second_person import as_child, as_i, as_they


@pytest.mark.parametrize(
    ("text", "own"),
    [
        (
            "Over the past week, she has had trouble swallowing.",
            "Over the past week, I have had trouble swallowing.",
        ),
        ("When he closes his left eye, he sees double.", "When I close my left eye, I see double."),
        ("Her only medication is ramipril.", "My only medication is ramipril."),
        ("She lives with her husband and two children.", "I live with my husband and two children."),
        ("The patient presents to the clinic with a sore throat.", "I have a sore throat."),
        ("She describes the pain as sharp.", "The pain is sharp."),
        ("His past medical history is significant for asthma.", "I have a history of asthma."),
        ("He reports a three-week history of cough.", "For the past three weeks I have had cough."),
        ("He has a 2-day history of experiencing hiccups.", "For the past 2 days I have had hiccups."),
        ("He reports walking barefoot in a stream.", "I have been walking barefoot in a stream."),
    ],
)
def test_what_is_plainly_the_patients_is_said_in_the_first_person(text: str, own: str) -> None:
    assert in_first_person(text) == own


@pytest.mark.parametrize(
    "text",
    [
        "According to the paramedics, the driver was not wearing a seat belt.",
        "Her mother says she has lost weight.",
        "His wife noticed that he snores.",
        "She has a cough that is worse at night and is productive.",
        "Denies alcohol use, enjoys hiking.",
        "Family history is noncontributory.",
        "The patient has a brother, and he has asthma.",
        "A 40-year-old man with a cough.",
    ],
)
def test_what_could_be_somebody_elses_or_is_a_notes_own_is_not_turned(text: str) -> None:
    assert in_first_person(text) is None


@pytest.mark.parametrize(
    ("text", "own"),
    [
        ("The mother reports that he has had a fever.", "He has had a fever."),
        ("The patient has had a rash since Monday.", "My child has had a rash since Monday."),
        ("His parents deny any vomiting.", "No vomiting."),
        ("Lives with both parents and a sister.", "My child lives with us and a sister."),
        ("Mother reports that she first noticed a spot.", None),
        ("His mother has asthma.", None),
        ("The infant was brought to the clinic.", None),
    ],
)
def test_a_parent_speaks_of_the_child_and_not_of_a_parent(text: str, own: str | None) -> None:
    assert in_carers_words(text) == own


@pytest.mark.parametrize(
    ("phrase", "own"),
    [
        ("a 3-week history of itching of his scalp", "itching of my scalp, for 3 weeks now"),
        ("pain in her knee that she says woke the patient", "pain in my knee"),
        ("evaluation of his son", ""),
    ],
)
def test_a_complaint_is_named_by_its_patient(phrase: str, own: str) -> None:
    assert as_complaint(phrase) == own


@pytest.mark.parametrize(
    ("phrase", "own"),
    [
        (
            "a 2-month history of a rash that the patient scratches",
            "a rash that my child scratches, for 2 months now",
        ),
        ("mother reports poor sleep", "poor sleep"),
        ("pale patches on the face noticed by the patient's parents", "pale patches on the face"),
        ("she is worried that the patient does not eat", "my child does not eat"),
    ],
)
def test_a_childs_complaint_is_named_by_its_parent(phrase: str, own: str) -> None:
    assert as_childs_complaint(phrase) == own


@pytest.mark.parametrize(
    ("text", "own", "plain"),
    [
        (
            "You are tired and you have lost weight.",
            "I am tired and I have lost weight.",
            "They are tired and they have lost weight.",
        ),
        (
            "You live with HIV and are on tablets.",
            "I live with HIV and am on tablets.",
            "They live with HIV and are on tablets.",
        ),
        ("You've hurt yourself.", "I've hurt myself.", "They've hurt themselves."),
        ("Are you well?", None, None),
    ],
)
def test_you_becomes_i_or_they(text: str, own: str | None, plain: str | None) -> None:
    assert (as_i(text), as_they(text)) == (own, plain)


def test_you_becomes_the_child_of_the_one_who_speaks() -> None:
    assert as_child("You cry when you lift your arm.", "male") == "My child cries when he lifts his arm."
    assert as_child("You haven't eaten.", "female") == "My child hasn't eaten."
    assert as_child("Your mother brought you.", "female") is None


@given(st.text(max_size=200))
def test_nothing_in_the_third_person_is_ever_left(text: str) -> None:
    turned = in_first_person(f"She says {text}")
    assert turned is None or not {"she", "her", "patient"} & set(turned.lower().split())
