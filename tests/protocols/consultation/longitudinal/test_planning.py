"""Who is taught, probed and held out."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from osler.errors import BadInput
from osler.protocols.consultation.longitudinal.design import By, Design
from osler.protocols.consultation.longitudinal.planning import Kind, Plan, plan

WAYS: st.SearchStrategy[By] = st.sampled_from(["specialty", "difficulty", "random"])


def kinds(many: int, diagnoses: int = 12, specialties: int = 6) -> list[Kind]:
    return [
        Kind(at, f"case-{at}", f"disease {at % diagnoses}", f"specialty {at % specialties}")
        for at in range(many)
    ]


def planned(by: By = "random", seed: int = 0, many: int = 120, **changes: int) -> Plan:
    return plan(kinds(many), Design(by=by, seed=seed, **{"blocks": 3, "probes": 5, "taught": 10, **changes}))


@given(WAYS, st.integers(0, 50), st.integers(30, 150))
def test_nothing_held_out_is_ever_taught(by: By, seed: int, many: int) -> None:
    found = planned(by, seed, many)
    taught = {at for stream in found.streams for block in stream.taught for at in block}
    assert not taught & set(found.held_out)
    named = {kind.place: kind.diagnosis for kind in found.kinds}
    reserved = {named[at] for at in found.reserved}
    assert not reserved & {named[at] for at in taught}


@given(WAYS, st.integers(0, 50))
def test_blocks_share_no_case_and_streams_learn_every_block(by: By, seed: int) -> None:
    found = planned(by, seed)
    places = [at for block in found.blocks for at in (*block.pool, *block.probes)]
    assert sorted((*places, *found.reserved)) == list(range(120))
    for stream in found.streams:
        assert sorted(stream.blocks) == [0, 1, 2]
        for number, taught in zip(stream.blocks, stream.taught, strict=True):
            assert set(taught) <= set(found.blocks[number].pool)
            assert len(set(taught)) == len(taught) == 10


def test_the_same_seed_gives_the_same_plan_and_another_gives_another() -> None:
    assert planned() == planned()
    assert planned(seed=1).streams != planned().streams


def test_orders_differ_and_the_first_is_the_blocks_own() -> None:
    orders = [stream.blocks for stream in planned(orders=6, seeds=1).streams]
    assert orders[0] == (0, 1, 2)
    assert len(set(orders)) == 6


def test_blocks_by_specialty_split_none_and_difficulty_puts_the_commonest_first() -> None:
    found = planned("specialty")
    where = {kind.place: kind.specialty for kind in found.kinds}
    held = [{where[at] for at in (*block.pool, *block.probes)} for block in found.blocks]
    assert sum(map(len, held)) == len(set().union(*held))
    rare = [*kinds(40, diagnoses=1), *(Kind(40 + at, f"r{at}", f"rare {at}", "x") for at in range(40))]
    by_rarity = plan(rare, Design(by="difficulty", blocks=2, probes=2, taught=5, reserved=0))
    assert set(by_rarity.blocks[0].pool) <= set(range(40))


def test_the_same_case_twice_stands_in_it_once() -> None:
    doubled = [*kinds(60), *(kind._replace(place=kind.place + 60) for kind in kinds(60))]
    found = plan(doubled, Design(by="random", blocks=3, probes=5, taught=10))
    assert {kind.place for kind in found.kinds} == set(range(60))


@pytest.mark.parametrize(
    ("design", "many", "wrong"),
    [
        (Design(blocks=5, by="specialty"), 6, "too few"),
        (Design(blocks=5, by="random"), 6, "too few to be taught and probed"),
    ],
)
def test_too_few_cases_are_refused(design: Design, many: int, wrong: str) -> None:
    with pytest.raises(BadInput, match=wrong):
        plan(kinds(many, specialties=2), design)


def test_what_the_judge_takes_for_the_same_is_reserved_together() -> None:
    names = [
        "Migraine",
        "Migraine with aura",
        "Gout",
        "Asthma",
        "Urinary tract infection",
        "Acute pyelonephritis",
    ]
    cases = [Kind(at, f"case-{at}", names[at % 6], "") for at in range(60)]
    reserved = set()
    for seed in range(8):
        found = plan(cases, Design(by="random", blocks=2, probes=2, taught=5, reserved=0.34, seed=seed))
        held = {names[at % 6] for at in found.reserved}
        reserved |= held
        for pair in (names[:2], names[4:]):
            assert len(held & set(pair)) in (0, 2)
    assert reserved == set(names)
