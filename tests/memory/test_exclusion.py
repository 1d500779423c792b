"""The audit looks at every card again, by itself, and what it cannot look at is a violation."""

from __future__ import annotations

import pytest

from osler.memory.card import Card
from osler.memory.exclusion import Excluded, Retrieval, audit
from osler.memory.near_duplicates import sketch
from tests.memory.cards import card, origin

TEXT = "She has had a dry cough for three weeks and sweats at night."
PLAYING = Excluded(
    playing=origin(50, sketch=sketch(TEXT)),
    held_out=(origin(60, cluster="held out twins"), origin(50)),
)


def audited(held: Card, position: int = 10, **known: Card) -> list[str]:
    retrievals = [Retrieval("e", "snapshot", position, (held.id,))]
    found = audit(retrievals, {"e": PLAYING}, {held.id: held, **known})
    assert (found.retrievals, found.cards) == (1, 1)
    assert found.clean == (not found.violations)
    return [violation.why for violation in found.violations]


def test_a_card_of_another_case_is_clean() -> None:
    assert (
        audited(card(3, origin=origin(3, sketch=sketch("He fell from a ladder and his wrist hurts.")))) == []
    )


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"case": "case-50"}, "it comes from the case being played"),
        ({"cluster": "cluster-50"}, "it comes from a twin of the case being played"),
        ({"sketch": sketch(TEXT)}, "it comes from a near-duplicate (1.00) of the case being played"),
        ({"case": "case-60"}, "it comes from a held-out case"),
        ({"cluster": "held out twins"}, "it comes from a twin of a held-out case"),
        ({"position": 10}, "it was written later than the episode began"),
    ],
)
def test_each_leak_is_named(changes: dict[str, object], why: str) -> None:
    assert audited(card(3, origin=origin(3, **changes))) == [why]


def test_an_identifier_in_a_card_is_a_violation() -> None:
    assert audited(card(3, content="Mrs Stone came on 2024-01-02.")) == ["it contains an identifier"]


def test_a_card_that_is_missing_or_was_changed_is_a_violation() -> None:
    asked = [Retrieval("e", "snapshot", 10, ("gone", card(1).id))]
    found = audit(asked, {"e": PLAYING}, {card(1).id: card(2)})
    assert [violation.why for violation in found.violations] == [
        "there is no such card",
        "its content is not what its id says",
    ]


def test_an_episode_whose_exclusions_nobody_stated_is_a_violation() -> None:
    found = audit([Retrieval("other", "snapshot", 10, ())], {"e": PLAYING}, {})
    assert not found.clean
    assert found.violations[0].why == "no exclusions were declared for it"


def test_an_episode_without_memory_is_clean() -> None:
    assert audit([Retrieval("e", "snapshot", 0, ())], {"e": PLAYING}, {}).clean
