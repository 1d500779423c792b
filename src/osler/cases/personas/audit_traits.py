"""The traits audited in a persona library: each trait's labels and limits, and the pairs of traits that must
not be associated."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, Generic, NamedTuple, TypeVar

from osler.cases.personas.people import PatientPersona, Persona, StudentPersona, band_of
from osler.cases.personas.traits import patient_traits

P = TypeVar("P", bound=Persona)


class Counted(NamedTuple, Generic[P]):
    """A trait: its labels in a persona, the largest share that one label may have, and the least effective
    number of labels (the exponential of the entropy of the shares)."""

    labels: Callable[[P], Sequence[str]]
    largest: float
    effective: float


def label(text: str) -> str:
    """Normalize a label: "The Optimist" and "optimist" are the same."""
    return text.strip().casefold().removeprefix("the ")


def _one(text: str | None) -> tuple[str, ...]:
    return (label(text),) if text and text.strip() else ()


def _band(persona: PatientPersona) -> tuple[str, ...]:
    age = persona.demographics.age
    return () if age is None else (band_of(age),)


def _knowledge(persona: PatientPersona) -> tuple[str, ...]:
    """Return the knowledge trait, which is a tag in our personas, as the published format has no field."""
    return tuple(each.label for each in patient_traits().knowledge if each.label in persona.persona_tags)


PATIENT_TRAITS: Final[Mapping[str, Counted[PatientPersona]]] = {
    "sex": Counted(lambda p: _one(p.sex), 0.6, 1.8),
    "age band": Counted(_band, 0.3, 5),
    "occupation": Counted(lambda p: _one(p.background.occupation), 0.1, 15),
    "education": Counted(lambda p: _one(p.background.education_level), 0.4, 4),
    "archetype": Counted(lambda p: _one(p.personality_traits.core_archetype), 0.25, 5),
    "attitude": Counted(lambda p: _one(p.personality_traits.attitude_towards_doctors), 0.35, 3.5),
    "knowledge": Counted(_knowledge, 0.35, 3.5),
}
STUDENT_TRAITS: Final[Mapping[str, Counted[StudentPersona]]] = {
    "sex": Counted(lambda s: _one(s.sex), 0.6, 1.8),
    "year": Counted(lambda s: _one(s.demographics.year_of_study), 0.25, 5),
    "level": Counted(lambda s: _one(s.knowledge_profile.level), 0.5, 2.5),
    "strength": Counted(lambda s: [label(each) for each in s.knowledge_profile.strengths], 0.35, 4),
    "weakness": Counted(lambda s: [label(each) for each in s.knowledge_profile.weaknesses], 0.35, 4),
    "learning style": Counted(lambda s: _one(s.knowledge_profile.learning_style), 0.35, 3),
    "role": Counted(lambda s: _one(s.personality_profile.archetype), 0.35, 3),
}
_CHARACTER: Final = ("archetype", "attitude", "knowledge")
PATIENT_PAIRS: Final[tuple[tuple[str, str], ...]] = (
    *(("sex", trait) for trait in ("occupation", "education", *_CHARACTER)),
    *(("age band", trait) for trait in _CHARACTER),
    *(("education", trait) for trait in _CHARACTER),
    *(("occupation", trait) for trait in ("archetype", "attitude")),
)
STUDENT_PAIRS: Final[tuple[tuple[str, str], ...]] = (
    *(("sex", trait) for trait in ("year", "level", "strength", "weakness", "learning style", "role")),
    ("year", "role"),
)
SHOWN_PAIRS: Final[tuple[tuple[str, str], ...]] = (
    ("age band", "occupation"),
    ("age band", "education"),
    ("occupation", "education"),
    ("archetype", "attitude"),
    ("year", "level"),
    ("year", "weakness"),
    ("learning style", "role"),
)
"""Logically related pairs: shown, not judged. A child is at school, and a doubter does not do as told."""
