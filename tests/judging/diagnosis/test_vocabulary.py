"""The vocabulary of whole names: well formed, every name means its entry, and no entry means another."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from osler.judging.diagnosis.judged import judged
from osler.judging.diagnosis.vocabulary import entry, vocabulary
from osler.judging.diagnosis.words import words_of
from osler.knowledge.conditions import knowledge

FILES = Path(__file__).parents[3] / "src" / "osler" / "judging" / "diagnosis"
ENTRIES = vocabulary().entries
NAMES = [(one.names[0], name) for one in ENTRIES for name in one.names]
CONDITIONS = knowledge().conditions
# A condition of the built-in doctor that entails another one.
KINDS = {
    ("Perforated peptic ulcer", "Peptic ulcer disease"),
    ("Acute pyelonephritis", "Urinary tract infection"),
    ("Migraine with aura", "Migraine"),
}


def test_an_entry_is_read() -> None:
    assert entry("lupus pernio ! = Besnier lupus; x < sarcoidosis; y") == (
        ("lupus pernio", "Besnier lupus", "x"),
        ("sarcoidosis", "y"),
        True,
    )
    assert entry("keloid") == (("keloid",), (), False)


def test_a_form_is_a_kind_of_a_condition_of_the_skin() -> None:
    lines = yaml.safe_load((FILES / "diagnosis_skin_forms.yaml").read_text("utf-8"))["skin_forms"]
    assert [line for line in lines if not entry(line).kinds] == []


def test_no_name_belongs_to_two_entries() -> None:
    spelt = Counter(" ".join(words_of(name)) for _, name in NAMES)
    assert [name for name, count in spelt.items() if count > 1] == []


def test_nearly_every_name_means_its_entry() -> None:
    """Some names are kinds of their condition ("allergic asthma"): right for it, and it is broader."""
    asked = NAMES[::7]
    assert sum(judged(name, first).right for first, name in asked) >= 0.9 * len(asked)


def test_entries_are_told_apart() -> None:
    firsts = [one.names[0] for one in ENTRIES][::9]
    pairs = list(pairwise(firsts))
    assert sum(judged(one, other).right for one, other in pairs) <= 0.01 * len(pairs)


@given(
    st.sampled_from(NAMES), st.sampled_from(["not {}", "{} is unlikely", "no {}", "{} ruled out", "r/o {}"])
)
def test_a_denied_name_names_nothing(pair: tuple[str, str], denial: str) -> None:
    assert not judged(denial.format(pair[1]), pair[1]).right


@pytest.mark.parametrize("condition", CONDITIONS, ids=lambda condition: condition.id)
def test_the_built_in_doctors_names_count(condition: object) -> None:
    name, synonyms = condition.name, condition.synonyms  # type: ignore[attr-defined]
    assert all(judged(synonym, name, synonyms).right for synonym in (name, *synonyms))


def test_the_built_in_doctors_conditions_are_told_apart() -> None:
    confused = {
        (one.name, other.name)
        for one in CONDITIONS
        for other in CONDITIONS
        if one is not other and judged(one.name, other.name).right
    }
    assert confused <= KINDS
