"""Acts and utterances are recognized by rules in words."""

from __future__ import annotations

import pytest

from osler.text.act_rules import meets, rule

ADRENALINE = "adrenaline | epinephrine & intramuscular | im | thigh & !intravenous"


@pytest.mark.parametrize(
    "words",
    ["Give adrenaline 0.5 mg IM", "epinephrine into the outer thigh", "Intramuscular ADRENALINE, now"],
)
def test_any_way_of_saying_each_group_meets_a_rule(words: str) -> None:
    assert meets(words, [ADRENALINE]) == ADRENALINE


@pytest.mark.parametrize(
    "words", ["give adrenaline", "adrenaline intravenous and IM", "an injection into the thigh", ""]
)
def test_a_missing_group_or_an_excluded_word_does_not(words: str) -> None:
    assert meets(words, [ADRENALINE]) is None


def test_words_are_compared_by_their_stems_and_a_way_of_several_in_their_order() -> None:
    assert meets("She apologised for the mistakes", ["apologise & mistake"])
    assert meets("I would like to see you alone", ["like to see"])
    assert not meets("to see what you like", ["like to see"])


@pytest.mark.parametrize("text", ["", "a & ", "a | ", "!a", "the & a"])
def test_a_rule_without_sense_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="rule"):
        rule(text)


def test_who_is_meant_counts() -> None:
    assert meets("Are you safe?", ["are you safe"])
    assert not meets("Is she safe?", ["are you safe"])
    assert meets("I'm the doctor", ["i am doctor"])
    assert not meets("You are fine", ["i am doctor"])
    assert not meets("This is not so", ["notes"])
