"""Orders in plain speech, told from questions of the history."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from osler.knowledge.formulary import formulary
from osler.text.spoken_orders import order_meant, sounds_like_an_order


@pytest.mark.parametrize(
    ("said", "entry"),
    [
        ("ECG please", "Electrocardiogram"),
        ("bloods", "Blood tests"),
        ("urine dip", "Urinalysis"),
        ("can I examine your tummy?", "Abdominal examination"),
        ("I'd like to feel your belly", "Abdominal examination"),
        ("let's get a chest x-ray", "Chest X-ray"),
        ("can I look in your eyes?", "Eye examination"),
    ],
)
def test_an_order_in_plain_speech_is_heard_as_one(said: str, entry: str) -> None:
    name = order_meant(said)
    found = formulary().find(name) if name else None
    assert sounds_like_an_order(said)
    assert found is not None
    assert found.name == entry


@pytest.mark.parametrize(
    "said",
    [
        "Do you smoke?",
        "pregnancy",
        "alcohol",
        "any bleeding",
        "temperature?",
        "have you ever had an ECG?",
        "can I ask about your family",
        "where is the pain",
        "yes please",
    ],
)
def test_a_question_of_the_history_is_no_order(said: str) -> None:
    assert not (sounds_like_an_order(said) and order_meant(said))


def test_of_several_things_those_are_ordered_that_are_known() -> None:
    assert order_meant("can we do an ECG and a chest x-ray?") == "ecg, chest x-ray"
    assert order_meant("can we do an ECG and a flibber?") == "ecg"
    assert order_meant("can we do a flibber?") is None


@given(st.text(max_size=200))
def test_any_words_name_a_thing_that_can_be_ordered_or_nothing(said: str) -> None:
    name = order_meant(said)
    assert isinstance(sounds_like_an_order(said), bool)
    assert name is None or name
