"""The physicians' vocabulary is consistent: every name has one meaning, every broader condition is known."""

from __future__ import annotations

from collections import Counter, defaultdict

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from osler.judging.diagnosis.concepts import normal
from osler.judging.diagnosis.judged import judged
from osler.judging.diagnosis.vocabulary import FOLDER, entries, entry
from osler.judging.diagnosis.words import Words
from osler.knowledge.conditions import knowledge

ENTRIES = entries()
FILES = sorted(one.name for one in FOLDER.iterdir() if one.name.endswith(".yaml"))
NAMES = [name for one in ENTRIES for name in one.names]
CONDITIONS = knowledge().conditions
# A condition of the built-in doctor that entails another one.
KINDS = {
    ("Perforated peptic ulcer", "Peptic ulcer disease"),
    ("Acute pyelonephritis", "Urinary tract infection"),
    ("Migraine with aura", "Migraine"),
}
# Every seventh condition with each of its other names, to be quick.
SAMPLE = [(one.names[0], name) for one in ENTRIES[::7] for name in one.names[1:]]


def _above() -> dict[Words, set[Words]]:
    first = {normal(name): normal(one.names[0]) for one in ENTRIES for name in one.names}
    broader: dict[Words, set[Words]] = defaultdict(set)
    for one in ENTRIES:
        broader[normal(one.names[0])] |= {first.get(normal(kind), normal(kind)) for kind in one.kinds}
    return broader


def test_an_entry_is_read() -> None:
    assert entry("lupus pernio ! = Besnier lupus; x < sarcoidosis; y") == (
        ("lupus pernio", "Besnier lupus", "x"),
        ("sarcoidosis", "y"),
        True,
    )
    assert entry("keloid") == (("keloid",), (), False)


def test_every_condition_has_one_line() -> None:
    firsts = Counter(normal(one.names[0]) for one in ENTRIES)
    assert [name for name, count in firsts.items() if count > 1] == []


def test_no_heading_is_used_in_two_files() -> None:
    """The files are read as one; a second heading of the same name would silently replace the first."""
    headings = Counter(
        key for name in FILES for key in yaml.safe_load(FOLDER.joinpath(name).read_text("utf-8"))
    )
    assert [key for key, count in headings.items() if count > 1] == []


def test_no_name_belongs_to_two_conditions() -> None:
    meant: dict[Words, set[Words]] = defaultdict(set)
    for one in ENTRIES:
        for name in one.names:
            meant[normal(name)].add(normal(one.names[0]))
    assert {" ".join(name): found for name, found in meant.items() if len(found) > 1} == {}


def test_every_broader_condition_has_a_line_of_its_own() -> None:
    named = {normal(name) for one in ENTRIES for name in one.names}
    assert {kind for one in ENTRIES for kind in one.kinds if normal(kind) not in named} == set()


def test_no_condition_is_broader_than_itself() -> None:
    broader = _above()
    round_about = []
    for start in broader:
        reached: set[Words] = set()
        ahead = list(broader[start])
        while ahead:
            name = ahead.pop()
            if name not in reached:
                reached.add(name)
                ahead.extend(broader.get(name, ()))
        if start in reached:
            round_about.append(" ".join(start))
    assert round_about == []


def test_no_name_is_empty_or_holds_a_mark_of_the_format() -> None:
    assert [one for one in ENTRIES if not all(map(normal, one.names))] == []
    assert [name for one in ENTRIES for name in (*one.names, *one.kinds) if set(name) & set("=<;!|#")] == []


def test_every_name_of_a_condition_means_it() -> None:
    missed = [
        (first, name)
        for first, name in SAMPLE
        if judged(f"{name.capitalize()}.", first).verdict != "same"
        or judged(f"{first.capitalize()}.", name).verdict != "same"
    ]
    assert missed == []


@pytest.mark.parametrize(
    ("reference", "answer"),
    [
        ("Osgood-Schlatter disease", "Traction apophysitis of the tibial tubercle"),
        ("Legg-Calvé-Perthes disease", "Idiopathic avascular necrosis of the capital femoral epiphysis"),
        ("Boerhaave syndrome", "Spontaneous full-thickness oesophageal rupture"),
        ("Uterine rupture", "Rupture of the gravid uterus"),
        ("De Quervain tenosynovitis", "Stenosing tenosynovitis of the first dorsal compartment"),
        ("Carpal tunnel syndrome", "Entrapment of the median nerve at the wrist"),
        ("Hirschsprung disease", "Absence of enteric ganglia"),
        ("Gaucher disease", "Deficiency of glucocerebrosidase"),
        ("Fournier gangrene", "Necrotising fasciitis of the scrotum"),
    ],
)
def test_a_paraphrase_counts(reference: str, answer: str) -> None:
    assert judged(answer, reference).verdict == "same"


@pytest.mark.parametrize(
    ("reference", "answer"),
    [
        ("Postpartum hemorrhage", "Postpartum haemorrhage due to uterine atony"),
        ("Placental abruption", "Concealed abruption"),
        ("Heavy metal poisoning", "Plumbism"),
        ("Distal radius fracture", "Colles' fracture"),
        ("Down syndrome", "Mosaic trisomy 21"),
    ],
)
def test_a_kind_entails_its_class(reference: str, answer: str) -> None:
    assert judged(answer, reference).verdict == "narrower"
    assert judged(reference, answer).verdict == "broader"


@pytest.mark.parametrize(
    ("reference", "answer"),
    [
        ("Osgood-Schlatter disease", "Traction apophysitis of the calcaneus"),
        ("Colles fracture", "Smith fracture"),
        ("Monteggia fracture", "Galeazzi fracture"),
        ("Mallory-Weiss tear", "Boerhaave syndrome"),
        ("Gastroschisis", "Omphalocele"),
        ("Placenta previa", "Vasa previa"),
        ("Hurler syndrome", "Hunter syndrome"),
        ("Von Gierke disease", "McArdle disease"),
        ("Phimosis", "Paraphimosis"),
        ("Scombroid poisoning", "Ciguatera poisoning"),
        ("Cephalohematoma", "Caput succedaneum"),
        ("Medial epicondylitis", "Lateral epicondylitis"),
    ],
)
def test_its_neighbour_does_not(reference: str, answer: str) -> None:
    assert judged(answer, reference).verdict != "same"


@given(
    st.sampled_from(NAMES), st.sampled_from(["not {}", "{} is unlikely", "no {}", "{} ruled out", "r/o {}"])
)
def test_a_denied_name_names_nothing(name: str, denial: str) -> None:
    assert not judged(denial.format(name), name).right


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
