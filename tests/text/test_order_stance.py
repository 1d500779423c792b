"""What of a doctor's words may order something: names and requests may, talk about tests may not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from osler.text.order_stance import ordering


@pytest.mark.parametrize(
    "said",
    [
        "ECG",
        "FBC, CRP and a chest film",
        "Could radiology squeeze him in for a CT?",
        "Let me feel your tummy.",
        "What is the blood pressure?",
        "To be sure it's not the heart, a troponin.",
    ],
)
def test_a_name_a_request_and_a_question_for_a_result_may_order(said: str) -> None:
    assert ordering(said)


@pytest.mark.parametrize(
    "said",
    [
        "Have you ever had an ECG?",  # of the past
        "Your ECG was normal.",  # a report
        "We won't need a CT.",  # a refusal
        "If that is negative, we'll think about an MRI.",  # put off
        "A troponin rises slowly.",  # an explanation
    ],
)
def test_talk_about_tests_orders_nothing(said: str) -> None:
    assert ordering(said) == ()


def test_of_an_order_with_a_refusal_only_the_order_is_left() -> None:
    assert ordering("No CT today, but get me an ECG.") == ("but get me an ecg.",)


def test_reasons_are_left_out_for_they_name_what_is_not_ordered() -> None:
    assert ordering("D-dimer, because she had a CT last year") == ("d-dimer",)


@given(st.text(max_size=200))
def test_any_words_can_be_read(said: str) -> None:
    assert all(part in said.lower().replace("’", "'") or part for part in ordering(said))
