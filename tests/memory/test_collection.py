"""A memory as a value: snapshots, capacity, eviction, lifecycle."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from osler.errors import BadInput
from osler.memory.card import Card
from osler.memory.collection import Memory, memory_of
from tests.memory.cards import card

COUNTS = st.tuples(st.integers(0, 9), st.integers(0, 9))


def judged(number: int, helped: int, harmed: int) -> Card:
    return card(number, uses=helped + harmed, helped=helped, harmed=harmed)


CARDS = st.lists(COUNTS, max_size=12).map(lambda counts: [judged(n, *each) for n, each in enumerate(counts)])


@given(CARDS, st.randoms())
def test_a_snapshot_does_not_depend_on_the_order_of_cards(cards: list[Card], random: object) -> None:
    mixed = sorted(cards, key=lambda _: random.random())  # type: ignore[attr-defined]
    assert memory_of(mixed).snapshot == memory_of(cards).snapshot


def test_a_snapshot_changes_with_its_cards_their_use_and_their_state() -> None:
    memory = memory_of([card(1), card(2)])
    others = [
        memory_of([card(1)]),
        memory.with_cards([card(3)]),
        memory.after_use([card(1).id], None),
        memory.after_use([card(1).id], True),
        memory.after_use([card(1).id], False),
        memory.without_harmful(uses=0, below=0.6),
    ]
    assert len({memory.snapshot, *(other.snapshot for other in others)}) == 7


def test_nothing_changes_a_memory_that_was_made() -> None:
    memory = memory_of([card(1)])
    before = memory.snapshot
    memory.with_cards([card(2)]).after_use([card(1).id], True).without_harmful()
    assert list(memory.cards) == [card(1).id]
    assert Memory(memory.cards).snapshot == before
    with pytest.raises(TypeError):
        memory.cards["x"] = card(2)  # type: ignore[index]


@given(CARDS, st.integers(1, 12))
def test_who_is_evicted_is_worth_no_more_than_who_stays(cards: list[Card], capacity: int) -> None:
    kept = memory_of(cards, capacity).cards
    gone = [each for each in cards if each.id not in kept]
    assert len(kept) == min(capacity, len(cards))
    for out in gone:
        for stays in kept.values():
            worth = (stays.utility, stays.origin.position), (out.utility, out.origin.position)
            assert worth[0] >= worth[1]


def test_of_equals_the_oldest_goes_and_the_newest_stays() -> None:
    memory = memory_of([], capacity=2)
    for number in range(5):
        memory = memory.with_cards([card(number)])
    assert {each.origin.position for each in memory.cards.values()} == {3, 4}


def test_a_useful_old_card_outlives_new_ones() -> None:
    memory = memory_of([card(0)], capacity=2).after_use([card(0).id], True)
    for number in range(1, 5):
        memory = memory.with_cards([card(number)])
    assert {each.origin.position for each in memory.cards.values()} == {0, 4}


def test_a_card_that_keeps_harming_is_retired_and_goes_first() -> None:
    bad, good = card(9), card(1)
    memory = memory_of([bad, good], capacity=2)
    for _ in range(5):
        memory = memory.after_use([bad.id, "gone long ago"], False)
    memory = memory.without_harmful()
    assert memory.cards[bad.id].state == "retired"
    assert memory.cards[bad.id].uses == 5
    assert memory.cards[good.id].state == "active"
    assert bad.id not in memory.with_cards([card(2)]).cards


def test_a_card_that_is_known_keeps_its_counts() -> None:
    memory = memory_of([card(1)]).after_use([card(1).id], True)
    assert memory.with_cards([card(1)]).snapshot == memory.snapshot


def test_a_memory_without_room_is_refused() -> None:
    with pytest.raises(BadInput, match="room"):
        memory_of([], capacity=0)
