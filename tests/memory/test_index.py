"""Finding cards: filters first, across components, and never one that is excluded."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from osler.cases.sources import open_source
from osler.errors import BadInput
from osler.memory.card import Card, Components, Scope, descriptor
from osler.memory.descriptors import of_picture
from osler.memory.exclusion import Excluded
from osler.memory.filters import Filter, passes
from osler.memory.index import Index, Query, index_of
from osler.memory.near_duplicates import case_text, sketch, source_of
from osler.memory.settings import Ranking
from tests.memory.cards import card, origin
from tests.memory.test_near_duplicates import other_numbers, other_sex, swapped

RANKINGS: tuple[Ranking, ...] = ("nearest", "lexical", "fused")
SPECIALTIES = ("cardiology", "neurology", None)
LIBRARY = list(open_source("library"))


def found(index: Index, query: Query, k: int = 5, **given: Any) -> list[int]:
    """The positions of the cards found."""
    return [hit.card.origin.position for hit in index.search(query, k, **{"excluded": None, **given})]


def many(seed: int, size: int = 40) -> list[Card]:
    """Cards of few words, few cases, few scopes."""
    random = Random(seed)
    return [
        card(
            number,
            kind=random.choice(("case", "insight", "skill")),
            origin=origin(
                number,
                case=f"case-{random.randrange(12)}",
                cluster=f"cluster-{random.randrange(9)}",
                sketch=sketch(f"the story of patient number {random.choice('abcde')}"),
            ),
            scope=Scope(
                specialty=random.choice(SPECIALTIES),
                sex=random.choice(("female", "male", None)),
                age=random.choice(("child", "adult", None)),
                task=random.choice(("diagnosis", "choice", None)),
            ),
            components=Components(
                dialogue=" ".join(random.choices(("cough", "fever", "rash", "pain", "limp"), k=3)),
                results=" ".join(random.choices(("sodium", "troponin", "urate"), k=2)),
            ),
        )
        for number in range(size)
    ]


FILTERS = st.builds(
    Filter,
    kinds=st.none() | st.frozensets(st.sampled_from(["case", "insight"])),
    specialties=st.none() | st.frozensets(st.sampled_from(["cardiology", "nowhere"])),
    ages=st.none() | st.just(frozenset({"adult"})),
    sexes=st.none() | st.just(frozenset({"female"})),
    tasks=st.none() | st.just(frozenset({"choice"})),
    not_before=st.none() | st.integers(0, 40),
    before=st.none() | st.integers(0, 40),
)
QUERY = Query("fever and a cough", "troponin raised")


@given(st.integers(0, 20), FILTERS, st.sampled_from(RANKINGS), st.integers(0, 11), st.booleans())
def test_only_what_passes_and_is_not_excluded_is_found_and_all_of_it(
    seed: int, wanted: Filter, by: Ranking, playing: int, held: bool
) -> None:
    cards = many(seed)
    at = cards[playing].origin
    excluded = Excluded(playing=at, held_out=(cards[39].origin,) if held else ())
    hits = index_of(cards).search(QUERY, 60, wanted=wanted, excluded=excluded, by=by)
    allowed = {c.id for c in cards if passes(c, wanted) and excluded.why(c.origin) is None}
    assert {hit.card.id for hit in hits} <= allowed
    sharing = {
        c.id
        for c in cards
        if {"cough", "fever"} & set(c.components.dialogue.split()) or "troponin" in c.components.results
    }
    assert {hit.card.id for hit in hits} == allowed & sharing


@given(st.integers(0, 20), st.sampled_from(RANKINGS), st.randoms())
def test_what_is_found_does_not_depend_on_the_order_of_cards(seed: int, by: Ranking, random: Any) -> None:
    cards = many(seed)
    mixed = sorted(cards, key=lambda _: random.random())
    assert index_of(cards).search(QUERY, 7, excluded=None, by=by) == index_of(mixed).search(
        QUERY, 7, excluded=None, by=by
    )


@pytest.mark.parametrize("by", RANKINGS)
def test_a_shorter_list_is_the_beginning_of_a_longer_one(by: Ranking) -> None:
    index = index_of(many(3))
    assert index.search(QUERY, 3, excluded=None, by=by) == index.search(QUERY, 10, excluded=None, by=by)[:3]


@pytest.mark.parametrize("case", LIBRARY[::3], ids=lambda case: case.id)
@pytest.mark.parametrize("by", RANKINGS)
def test_no_card_of_the_case_its_twin_or_its_near_duplicate_is_ever_found(case: Any, by: Ranking) -> None:
    """Canaries: each such card is the best match there can be, word for word."""
    text = case_text(case)
    duplicate = sketch(swapped(other_numbers(other_sex(text)), 2))
    canaries = [
        card(0, origin=origin(0, case=case.content_hash), components={"dialogue": text}),
        card(1, origin=origin(1, cluster="twins"), components={"dialogue": text}),
        card(2, origin=origin(2, sketch=duplicate), components={"dialogue": text}),
    ]
    other = card(3, components={"dialogue": text[:80]})
    index = index_of([*canaries, other])
    assert set(found(index, Query(text), by=by)) == {0, 1, 2, 3}
    excluded = Excluded(playing=source_of(case, "twins"))
    assert found(index, Query(text), excluded=excluded, by=by) == [3]
    somebody = source_of(LIBRARY[1])
    as_held_out = Excluded(playing=somebody, held_out=(source_of(case, "twins"),))
    assert found(index, Query(text), excluded=as_held_out, by=by) == [3]


def test_each_component_finds_its_own() -> None:
    tracing = of_picture(next(f.picture for c in LIBRARY for f in c.findings if f.picture))
    index = index_of(
        [
            card(0, components={"dialogue": "crushing chest pain"}),
            card(1, components={"dialogue": "", "results": "troponin 240 ng/L"}),
            card(2, components={"dialogue": "", "images": [tracing]}),
            card(3, components={"dialogue": "an itching rash", "images": [descriptor("other", [1.0])]}),
        ]
    )
    assert found(index, Query(dialogue="chest pain")) == [0]
    assert found(index, Query(results="troponin 240")) == [1]
    assert found(index, Query(images=(tracing,))) == [2]
    every = Query("chest pain", "troponin", (tracing,))
    assert sorted(found(index, every)) == [0, 1, 2]
    assert found(index, every, weights={"dialogue": 9.0, "results": 0.0}) == [0, 2]


def test_a_retired_card_is_not_found_and_an_empty_memory_finds_nothing() -> None:
    assert found(index_of([card(0, state="retired")]), Query("complaint 0")) == []
    assert found(index_of([]), Query("complaint", "results")) == []
    assert found(index_of([card(0)]), Query()) == []


def test_no_cards_is_no_number_of_cards() -> None:
    with pytest.raises(BadInput, match="at least one"):
        index_of([]).search(QUERY, 0, excluded=None)
