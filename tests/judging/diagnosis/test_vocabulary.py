"""The vocabulary: well formed, every name means its entry, and what is told apart by it."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from osler.judging.diagnosis.match import equivalent
from osler.judging.diagnosis.names import name_of, tables, words_of
from osler.judging.diagnosis.vocabulary import entry, vocabulary
from osler.knowledge.conditions import knowledge

FILES = Path(__file__).parents[3] / "src" / "osler" / "judging" / "diagnosis"
ENTRIES = vocabulary().entries
NAMES = [(one.names[0], name) for one in ENTRIES for name in one.names]
FIRST = [one.names[0] for one in ENTRIES]
CONDITIONS = knowledge().conditions
# A condition of the built-in doctor that is a kind of another one, so that the broader name counts for it.
KINDS = {
    ("Perforated peptic ulcer", "Peptic ulcer disease"),
    ("Acute pyelonephritis", "Urinary tract infection"),
    ("Migraine with aura", "Migraine"),
}

DENIALS = ["not {}", "{} is unlikely", "no {}", "{} ruled out", "r/o {}"]
FRAMES = ["Likely {}.", "The most likely diagnosis is {}", "{} (severe)"]
SHAPES = ["{}, {}", "{} or {}", "{} vs. {}", "{}; {}"]

TOLD_APART = [
    ("tinea pedis", "Tinea corporis"),
    ("pityriasis rosea", "Pityriasis versicolor"),
    ("pemphigus vulgaris", "Bullous pemphigoid"),
    ("lichen sclerosus", "Lichen planus"),
    ("psoriasis", "Psoriatic arthritis"),
    ("psoriatic arthritis", "Psoriasis"),
    ("dermatofibroma", "Dermatofibrosarcoma protuberans"),
    ("urticaria", "Urticaria pigmentosa"),
    ("impetigo", "Impetigo herpetiformis"),
    ("lupus", "Lupus vulgaris"),
    ("perniosis", "Lupus pernio"),
    ("systemic lupus erythematosus", "Discoid lupus erythematosus"),
    ("discoid lupus", "Subacute cutaneous lupus erythematosus"),
    ("subacute cutaneous lupus", "Discoid lupus"),
    ("granulomatosis with polyangiitis", "Eosinophilic granulomatosis with polyangiitis"),
    ("acrodermatitis enteropathica", "Acrodermatitis enteropathica-like eruption"),
    ("cellulitis", "Dissecting cellulitis of the scalp"),
    ("Degos disease", "Dowling-Degos disease"),
    ("common wart", "Plantar wart"),
    ("keratosis pilaris", "Keratosis follicularis"),
    ("pregnancy", "Ectopic pregnancy"),
    ("bronchitis", "Chronic bronchitis"),
    ("hypertension", "Portal hypertension"),
    ("right heart failure", "Left heart failure"),
    ("anaemia due to kidney failure", "Kidney failure"),
    ("type 1 lepra reaction", "Erythema nodosum leprosum"),
]
ALIKE = [
    ("ringworm", "Tinea corporis"),
    ("contact dermatitis", "Nickel allergic contact dermatitis"),
    ("allergic contact dermatitis to nickel", "Allergic contact dermatitis"),
    ("basal cell carcinoma of the nose", "Basal cell carcinoma"),
    ("nickel contact eczema", "Nickel dermatitis"),
    ("solitary keloid", "Keloids"),
    ("hidradenitis supurativa", "Hidradenitis suppurativa"),
    ("Henoch-Schönlein purpura (IgA vasculitis)", "IgA vasculitis"),
    ("hand, foot and mouth disease", "Hand-foot-mouth disease"),
    ("Probable secondary syphilis", "Condylomata lata"),
    ("generalised morphoea", "Generalized morphea"),
    ("Behcet syndrome", "Behçet's disease"),
    ("lymphoedema-associated angiosarcoma", "Stewart-Treves syndrome"),
    ("graft-versus-host disease", "GVHD"),
    ("chronic contact dermatitis", "Contact dermatitis"),
    ("SCC", "Bowen's disease"),
    ("lung cancer", "Small cell lung cancer"),
    ("rash due to scabies", "Scabies"),
    ("Treponema pallidum", "Syphilis"),
    ("1. Tinea nigra (likely)", "Tinea nigra palmaris"),
]


@pytest.mark.parametrize(("candidate", "reference"), TOLD_APART)
def test_siblings_and_look_alikes_are_told_apart(candidate: str, reference: str) -> None:
    assert not equivalent(candidate, reference).same


@pytest.mark.parametrize(("candidate", "reference"), ALIKE)
def test_what_means_the_same_counts(candidate: str, reference: str) -> None:
    assert equivalent(candidate, reference).same


def test_an_entry_is_read() -> None:
    assert entry("lupus pernio ! = Besnier lupus; x < sarcoidosis; y") == (
        ("lupus pernio", "Besnier lupus", "x"),
        ("sarcoidosis", "y"),
        True,
    )
    assert entry("keloid") == (("keloid",), (), False)


def test_the_vocabulary_is_broad() -> None:
    skin, forms, medicine = (
        yaml.safe_load((FILES / f"diagnosis_{name}.yaml").read_text("utf-8"))[name]
        for name in ("skin", "skin_forms", "medicine")
    )
    assert len(skin) >= 1900
    assert len(medicine) >= 1700
    assert len(skin) + len(forms) + len(medicine) == len(ENTRIES)


def test_a_form_is_a_kind_of_a_condition_of_the_skin() -> None:
    lines = yaml.safe_load((FILES / "diagnosis_skin_forms.yaml").read_text("utf-8"))["skin_forms"]
    assert [line for line in lines if not entry(line).kinds] == []


def test_no_name_belongs_to_two_entries() -> None:
    spelt = Counter(" ".join(words_of(name)) for _, name in NAMES)
    assert [name for name, count in spelt.items() if count > 1] == []


def test_no_first_name_breaks_at_a_clause() -> None:
    """The few that do are meant to: they are told in either order ("drug-induced", "due to a drug")."""
    broken = {name for name in FIRST if name_of(name).rest}
    assert broken == {"drug induced photosensitivity", "drug induced parkinsonism"}


def test_no_first_name_is_a_place_or_too_little_to_name() -> None:
    sites = tables().sites
    assert [name for name in FIRST if name_of(name).core <= sites] == []
    assert [name for name in FIRST if not name_of(name).core] == []


def test_every_name_means_its_entry_in_both_directions() -> None:
    one_way = [(name, first) for first, name in NAMES if not equivalent(name, first).same]
    assert one_way == []
    assert [(first, name) for first, name in NAMES if not equivalent(first, name).same] == []


def test_every_kind_counts_for_the_narrower_name() -> None:
    missed = [
        (kind, one.names[0])
        for one in ENTRIES
        for kind in one.kinds
        if not equivalent(kind, one.names[0]).same
    ]
    assert missed == []


@given(
    st.sampled_from(NAMES), st.sampled_from(["not {}", "{} is unlikely", "no {}", "{} ruled out", "r/o {}"])
)
def test_a_denied_name_names_nothing(pair: tuple[str, str], denial: str) -> None:
    assert not equivalent(denial.format(pair[1]), pair[1]).same


@given(
    st.sampled_from(NAMES), st.sampled_from(["Likely {}.", "The most likely diagnosis is {}", "{} (severe)"])
)
def test_a_frame_changes_nothing(pair: tuple[str, str], frame: str) -> None:
    assert equivalent(frame.format(pair[1]), pair[1]).same


@given(
    st.sampled_from(FIRST),
    st.sampled_from(FIRST),
    st.sampled_from(["{}, {}", "{} or {}", "{} vs. {}", "{}; {}"]),
)
def test_a_list_is_judged_whatever_its_order(one: str, other: str, shape: str) -> None:
    forwards, backwards = shape.format(one, other), shape.format(other, one)
    assert equivalent(forwards, one, lists="accept").same
    assert equivalent(backwards, one, lists="accept").same
    both = equivalent(other, one).same
    assert equivalent(forwards, one).same == equivalent(backwards, one).same == both


@given(st.sampled_from(FIRST), st.sampled_from(FIRST))
def test_only_a_broader_name_counts_one_way(one: str, other: str) -> None:
    there, back = equivalent(one, other), equivalent(other, one)
    if there.same and not back.same:
        assert "broader" in there.why or "place" in there.why


@given(st.data())
def test_a_slip_of_the_pen_never_makes_another_condition(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from([name for name in FIRST if len(name) > 12]))
    other = data.draw(st.sampled_from(FIRST))
    at = data.draw(st.integers(4, len(name) - 4))
    slipped = name[:at] + name[at + 1 :]
    if not equivalent(name, other).same and name_of(slipped) not in map(name_of, (name, other)):
        known = equivalent(slipped, other)
        assert not known.same or "broader" in known.why


@pytest.mark.parametrize("condition", CONDITIONS, ids=lambda condition: condition.id)
def test_the_built_in_doctors_names_count(condition: object) -> None:
    name, synonyms = condition.name, condition.synonyms  # type: ignore[attr-defined]
    assert all(equivalent(synonym, name, synonyms).same for synonym in (name, *synonyms))


def test_the_built_in_doctors_conditions_are_told_apart() -> None:
    confused = {
        (one.name, other.name)
        for one in CONDITIONS
        for other in CONDITIONS
        if one is not other and equivalent(other.name, one.name).same
    }
    assert confused <= KINDS
