"""The builder: balanced, within the rules, the same for the same seed, and written rather than filled in."""

from __future__ import annotations

from collections import Counter
from hashlib import blake2b
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from osler.cases.personas import library
from osler.cases.personas.drawing import Row, assign, deal_names
from osler.cases.personas.files import published
from osler.cases.personas.patients import build_patients
from osler.cases.personas.people import Persona
from osler.cases.personas.rules import breaches
from osler.cases.personas.students import _may, build_students
from osler.cases.personas.traits import patient_traits, student_traits
from osler.core.contract import rng
from osler.text.findings_in_text import mentions

MANNER = {"anxiety", "onset_minutes_hours", "onset_weeks_months"}
"""What words of manner and of time sound like: "worried", "for a year"."""


@settings(max_examples=12)  # up to 180 people are built in each
@given(n=st.integers(1, 90), seed=st.integers(0, 10**6))
def test_whoever_is_built_breaks_no_rule(n: int, seed: int) -> None:
    built: list[Persona] = [*build_patients(n, seed), *build_students(n, seed)]
    assert not [breach for each in built for breach in breaches(each)]
    assert len({each.id for each in built}) == 2 * n


@settings(max_examples=4)  # 120 people are built in each
@given(seed=st.integers(0, 10**6))
def test_the_same_seed_gives_the_same_bytes_and_another_seed_others(seed: int) -> None:
    assert published(build_patients(20, seed)) == published(build_patients(20, seed))
    assert published(build_students(20, seed)) == published(build_students(20, seed))
    assert published(build_patients(20, seed)) != published(build_patients(20, seed + 1))


def test_the_library_is_this_very_one() -> None:
    """A changed word changes every stored world that a persona of the library is in: on purpose only."""
    text = published(library.patients()) + published(library.students())
    assert blake2b(text.encode(), digest_size=8).hexdigest() == "4c5eae1354bf61e4"


def test_ages_reach_from_four_to_ninety_and_minors_come_with_somebody() -> None:
    ages = [each.demographics.age for each in library.patients()]
    assert (min(a for a in ages if a), max(a for a in ages if a)) == (4, 90)
    assert max(Counter(ages).values()) - min(Counter(ages).values()) <= 1
    for each in library.patients():
        minor = (each.demographics.age or 0) < 18
        assert minor == any(tag.startswith("with ") for tag in each.persona_tags)


def test_no_patient_brings_a_fact_of_medicine() -> None:
    """What a doctor would note down comes from the case: the knowledge of findings hears nothing of it."""
    for each in library.patients():
        for text in each.texts:
            assert set(mentions(text)) <= MANNER, (each.persona_id, text)


def test_instructions_name_neither_age_nor_sex_nor_anybody() -> None:
    names = {each.demographics.name.split()[0] for each in library.patients()}
    for each in library.patients():
        words = set(each.instruction.replace(",", " ").replace(".", " ").split())
        assert not words & (names - {"Tama"}), each.persona_id
        assert not words & {"she", "he", "her", "his", "woman", "man", "lady", "years-old"}


def test_two_of_the_same_archetype_differ_in_most_sentences() -> None:
    """Within the same archetype, attitude and knowledge."""
    kinds: dict[tuple[str, str], list[set[str]]] = {}
    for each in library.patients():
        traits = each.personality_traits
        key = traits.core_archetype, traits.attitude_towards_doctors
        kinds.setdefault(key, []).append(set(each.instruction.split(". ")))
    pairs = [(a, b) for some in kinds.values() for a, b in combinations(some, 2)]
    assert len(pairs) > 500
    assert max(len(a & b) / min(len(a), len(b)) for a, b in pairs) <= 0.5


@given(seed=st.integers(0, 10**6), n=st.integers(24, 120))
def test_minimization_keeps_every_pair_of_traits_even(seed: int, n: int) -> None:
    rows: list[Row] = [{"place": "abc"[number % 3]} for number in range(n)]
    chance = rng(str(seed), "patient", "test")
    assign(rows, "colour", lambda row: ["red", "green"], chance)
    assign(rows, "size", lambda row: ["small", "large"], chance)
    for first, second in (("place", "colour"), ("place", "size"), ("colour", "size")):
        counts = Counter((row[first], row[second]) for row in rows)
        firsts = Counter(row[first] for row in rows)
        for value, many in firsts.items():
            for level in {row[second] for row in rows}:
                assert abs(counts[value, level] - many / 2) <= 3


def test_a_level_is_given_only_where_it_is_allowed() -> None:
    rows: list[Row] = [{"kind": kind} for kind in "aabb"]
    assign(
        rows, "x", lambda row: ["only"] if row["kind"] == "a" else ["one", "two"], rng("s", "patient", "t")
    )
    assert [row["x"] for row in rows[:2]] == ["only", "only"]
    assert {row["x"] for row in rows[2:]} == {"one", "two"}


@pytest.mark.parametrize("n", [1, 168, 169, 400])
def test_names_are_never_given_twice(n: int) -> None:
    names = deal_names(["female"] * n, rng("s", "patient", "names"))
    assert len(set(names)) == n


def test_every_choice_of_a_first_trait_leaves_a_choice_of_the_others() -> None:
    """Contradictions must not lead the builder into a corner, whatever the seed."""
    known = student_traits()
    for level in known.levels:
        rows = [{"level": level, "role": role.label} for role in known.roles]
        for factor in ("style", "weakness", "strength"):
            assert all(_may(row, factor) for row in rows)
            rows = [{**row, factor: label} for row in rows for label in _may(row, factor)]
    for archetype in patient_traits().archetypes:
        for traits in (patient_traits().attitudes, patient_traits().knowledge):
            assert any(each.label not in archetype.not_with for each in traits)
        assert "works in health care" not in archetype.not_with
