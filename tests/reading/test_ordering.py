"""Orders in ordinary words, told from talk about tests."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from osler.reading.order_parts import part_of
from osler.reading.ordering import order_meant, ordering, sentences, weights


@pytest.mark.parametrize(
    "said",
    [
        "ECG please",
        "FBC, U&Es and a CRP.",
        "Could someone run a blood gas?",
        "I'd like to feel your belly.",
        "Let's get a chest X-ray.",
    ],
)
def test_an_order_is_heard(said: str) -> None:
    assert ordering(said)


@pytest.mark.parametrize(
    "said",
    [
        "Have you ever had an ECG?",
        "No need for a CT today.",
        "I don't want to scan you.",
        "Your chest X-ray was normal.",
        "If the troponin is up we'll do an angiogram.",
        "An MRI uses magnets, not X-rays.",
        "Did they take any blood at the other hospital?",
        "We'll think about an echo next week.",
    ],
)
def test_talk_about_tests_orders_nothing(said: str) -> None:
    assert not ordering(said)


def test_what_is_refused_beside_an_order_is_marked() -> None:
    part = part_of("no d-dimer, just the troponin", frozenset())
    assert [(name.text, name.negated) for name in part.named] == [("d-dimer", True), ("troponin", False)]


def test_a_specimen_shares_its_neighbours_name() -> None:
    part = part_of("blood and urine cultures please", frozenset())
    assert [name.text for name in part.named] == ["blood cultures", "urine cultures"]


def test_of_several_things_those_are_ordered_that_are_known() -> None:
    assert order_meant("can we do an ECG and a chest x-ray?") == "ecg, chest x-ray"
    assert order_meant("can we do an ECG and a flibber?") == "ecg"


@settings(max_examples=30, deadline=None)
@given(st.text(max_size=200))
def test_any_words_are_read(said: str) -> None:
    assert order_meant(said) is None or order_meant(said)
    assert len(ordering(said)) <= len(sentences(said))


def test_what_was_learned_is_whole() -> None:
    held = weights()
    assert len(held.vector) == 388
    assert held.phrases
    assert held.bank.names
