"""Contested items: kept beside the verdicts, answered by a teacher, a second figure."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from osler.errors import BadInput
from osler.judging.contests import (
    Contest,
    accepted_in,
    answered,
    contest_lines,
    contested,
    contests_in,
    item_named,
    items_to_contest,
    stored,
    with_accepted,
)
from tests.protocols.scenario.playing import judged, move

ITEMS = {"ab12": "Measures the glucose", "cd34": "Asks about allergies", "ce56": "Asks about pain"}


@given(st.text(min_size=1, max_size=50).filter(lambda text: text.isprintable() and text.strip() == text))
def test_what_was_contested_is_read_back(words: str) -> None:
    kept = contested((), "ab12", ITEMS["ab12"], words)
    assert contests_in([stored(kept).body]) == kept
    assert kept[0].item == "ab12"
    assert not kept[0].answer


def test_words_said_again_replace_the_earlier_and_wait_anew() -> None:
    kept = contested((), "ab12", ITEMS["ab12"], "I did")
    kept = answered(kept, "ab12", ITEMS["ab12"], "refuse", "where?", "Dr Roe")
    assert list(contest_lines(kept[0])) == ['objection: "I did"', "refused by Dr Roe: where?"]
    again = contested(kept, "ab12", ITEMS["ab12"], "In turn 2")
    assert [one.answer for one in again] == [""]
    assert list(contest_lines(again[0]))[-1] == "waits for a teacher"


def test_a_teacher_may_mark_what_nobody_contested_but_signs_it() -> None:
    (one,) = answered((), "ab12", ITEMS["ab12"], "accept", "", "Dr Roe")
    assert (one.words, one.answer, one.by) == ("", "accept", "Dr Roe")
    with pytest.raises(BadInput, match="who answers"):
        answered((), "ab12", ITEMS["ab12"], "accept", "", " ")
    with pytest.raises(BadInput, match="own words"):
        contested((), "ab12", ITEMS["ab12"], "\x00 ")


@pytest.mark.parametrize(
    ("wanted", "found"), [("2", "cd34"), ("ab1", "ab12"), ("glucose", "ab12"), ("ce56", "ce56")]
)
def test_an_item_is_named_by_number_id_or_words(wanted: str, found: str) -> None:
    assert item_named(ITEMS, wanted) == found


@pytest.mark.parametrize("wanted", ["asks", "9", "nothing", ""])
def test_an_item_that_is_not_clear_is_refused_with_the_list(wanted: str) -> None:
    with pytest.raises(BadInput) as told:
        item_named(ITEMS, wanted)
    assert "Asks about pain" in str(told.value.hint)


def test_items_come_from_rubrics_or_else_from_the_case() -> None:
    body = judged([move("Hm, well.")]).stored.body
    assert len(items_to_contest([body], None)) == 6
    case = {
        "management": {"key_features": [{"id": "k1", "what": "Aspirin"}]},
        "safety": [{"id": "s1", "what": "Offers a chaperone"}],
    }
    assert items_to_contest(["{}"], json.dumps(case)) == {"k1": "Aspirin", "s1": "Offers a chaperone"}
    assert items_to_contest([], None) == {}


def test_what_a_teacher_accepts_makes_a_second_figure_and_leaves_the_first() -> None:
    found = judged([move("Hm, well.")])
    item = found.rubric.items[0]
    refused = Contest(item.id, item.text, "I did", "refuse", "", "Dr Roe")
    assert with_accepted(found, accepted_in([refused])) is found
    second = with_accepted(found, accepted_in([refused._replace(answer="accept")]))
    assert found.scores.net.value == 0.0
    assert second.scores.net.value == item.traits.weight / 8
