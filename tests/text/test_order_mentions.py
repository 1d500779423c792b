"""The tests that a doctor's words name, wherever they stand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from osler.text.order_mentions import mentions


def named(said: str, own: frozenset[str] = frozenset()) -> list[str]:
    return [one.text for one in mentions(said, own)]


def test_names_are_found_anywhere_in_speech_in_their_order() -> None:
    assert named("sister, kindly send trop, CBC and renal function with it") == [
        "trop",
        "cbc",
        "renal function",
    ]


@pytest.mark.parametrize(
    ("said", "names"),
    [
        ("blood and urine cultures", ["blood culture", "urine cultures"]),
        ("CT or MRI of the brain", ["ct brain", "mri of the brain"]),
        ("FBC, thyroid and kidneys", ["fbc", "Thyroid function tests", "Renal function"]),
    ],
)
def test_what_stands_alone_in_a_list_has_what_its_neighbour_has(said: str, names: list[str]) -> None:
    assert sorted(named(said)) == sorted(names)


def test_a_specimen_beside_a_name_belongs_to_it() -> None:
    assert named("urine sodium") == ["urine sodium"]
    assert named("the potassium of the stool, stool potassium") != ["potassium"]


def test_a_word_of_everyday_speech_is_no_test_in_a_sentence_but_may_be_in_a_list() -> None:
    assert named("fix that, then cover the rest") == []
    assert named("power, reflexes and tone") == ["power", "reflexes", "tone"]


def test_lay_words_name_what_is_done() -> None:
    assert [one.text for one in mentions("let me listen to your chest", frozenset()) if one.lay] == [
        "Respiratory examination"
    ]


def test_a_name_of_the_case_is_known_only_there() -> None:
    assert named("the azure sign please") == []
    assert named("the azure sign please", frozenset({"azure sign"})) == ["azure sign"]


@given(st.text(max_size=200))
def test_any_text_can_be_read(said: str) -> None:
    assert all(one.text for one in mentions(said, frozenset()))
