"""The skin names, checked by the pairs of diagnoses that are said in several ways or are easily mixed up."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from osler.judging.diagnosis.match import equivalent
from osler.judging.diagnosis.names import name_of, words_of
from osler.judging.diagnosis.vocabulary import entry

FILE = Path(__file__).parents[3] / "src" / "osler" / "judging" / "diagnosis" / "diagnosis_skin.yaml"
ENTRIES = [entry(line) for line in yaml.safe_load(FILE.read_text("utf-8"))["skin"]]
SEVERAL = [one.names for one in ENTRIES if len(one.names) > 1]

SAME = [
    ("shiitake dermatitis", "flagellate erythema"),
    ("Morbihan syndrome", "solid facial edema"),
    ("athlete's nodules", "surfer's nodules"),
    ("morsicatio buccarum", "chronic cheek biting"),
    ("Frey's syndrome", "gustatory sweating"),
    ("necrotising sialometaplasia", "necrotizing sialometaplasia"),
    ("Epstein pearls", "Bohn's nodules"),
    ("king's evil", "scrofuloderma"),
    ("aquagenic wrinkling of the palms", "transient reactive papulotranslucent acrokeratoderma"),
    ("harlequin colour change", "harlequin color change of the newborn"),
    ("bidet nails", "worn-down nail syndrome"),
    ("Riga-Fede disease", "traumatic ulcerative granuloma with stromal eosinophilia"),
    ("granular cell myoblastoma", "Abrikossoff tumour"),
    ("PFAPA", "periodic fever with aphthous stomatitis, pharyngitis and adenitis"),
    ("Mikulicz disease", "IgG4-related disease"),
    ("clear cell sarcoma of tendons", "malignant melanoma of soft parts"),
    ("carotenoderma", "carotenaemia"),
    ("dirty neck", "atopic dirty neck"),
]
BROADER = [
    ("psoriasis", "napkin psoriasis"),
    ("leprosy", "Lucio phenomenon"),
    ("allergic contact dermatitis", "gel nail allergy"),
    ("bullous pemphigoid", "dyshidrosiform pemphigoid"),
    ("rickettsial infection", "African tick bite fever"),
    ("balanitis", "circinate balanitis"),
    ("cutaneous T-cell lymphoma", "granulomatous slack skin"),
    ("rosacea", "otophyma"),
    ("melanocytic naevus", "Meyerson naevus"),
]
TOLD_APART = [
    ("Mediterranean spotted fever", "African tick bite fever"),
    ("sea urchin granuloma", "coral dermatitis"),
    ("Sjögren syndrome", "IgG4-related disease"),
    ("plasma cell balanitis", "circinate balanitis"),
    ("harlequin ichthyosis", "harlequin syndrome"),
    ("pterygium unguis", "pterygium inversum unguis"),
    ("blue naevus", "malignant blue naevus"),
    ("cylindroma", "malignant cylindroma"),
    ("emphysema", "subcutaneous emphysema"),
    ("Still disease", "Marshall syndrome"),
    ("annular psoriasis", "annular pustular psoriasis"),
    ("glioma", "nasal glioma"),
    ("Greither disease", "epidermolytic palmoplantar keratoderma"),
    ("hyperandrogenism", "hirsutism"),
    ("fungal infection", "tinea corporis"),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_two_names_of_one_condition_count_both_ways(one: str, other: str) -> None:
    assert equivalent(one, other).same
    assert equivalent(other, one).same


@pytest.mark.parametrize(("kind", "narrower"), BROADER)
def test_the_broader_name_counts_and_the_narrower_does_not(kind: str, narrower: str) -> None:
    assert equivalent(kind, narrower).same
    assert not equivalent(narrower, kind).same


@pytest.mark.parametrize(("candidate", "reference"), TOLD_APART)
def test_neighbours_are_told_apart(candidate: str, reference: str) -> None:
    assert not equivalent(candidate, reference).same


def test_the_list_is_broad() -> None:
    assert len(ENTRIES) >= 1900
    assert sum(len(one.names) for one in ENTRIES) >= 10_000


def test_no_entry_gives_one_name_twice() -> None:
    twice = [
        one.names[0] for one in ENTRIES if len({"".join(words_of(n)) for n in one.names}) < len(one.names)
    ]
    assert twice == []


def test_no_two_entries_are_read_alike() -> None:
    readings = Counter(name_of(one.names[0].lower())[:3] for one in ENTRIES)
    assert [reading for reading, count in readings.items() if count > 1] == []


@given(st.sampled_from(SEVERAL).flatmap(lambda names: st.tuples(*[st.sampled_from(names)] * 2)))
def test_any_two_names_of_an_entry_are_the_same_both_ways(pair: tuple[str, str]) -> None:
    one, other = pair
    assert equivalent(one, other).same
    assert equivalent(other, one).same
