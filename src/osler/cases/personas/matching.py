"""Matching a persona to a case, and fitting it: whatever the case says of the patient takes precedence.

Matching depends on the case and the seed of its world alone, never on the cast, so that two doctors in one
world meet the same patient.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from typing import Final

from osler.cases.model import Case, Sex
from osler.cases.personas.people import ADULT_FROM_YEARS, BANDS, PatientPersona, StudentPersona, band_number
from osler.core.events import Frozen
from osler.errors import BadInput
from osler.knowledge.vocabulary import NOBODY, Persona

_TALKS_FROM_YEARS: Final = 3
_VOICES: Final[tuple[tuple[str, str], ...]] = (
    ("anxious", "anxious|anxiety|worrier|worried"),
    ("stoic", "stoic|reserved|shy|introverted|few words"),
    ("skeptical", "skeptic|skeptical|sceptical|distrustful|complainer"),
    ("talkative", "talkative|cheerful|optimist|optimistic|dramatic|dramatizer|expressive"),
)
"""The manners of the built-in patient, each with the words in an archetype or tags that select it."""
_LIKE: Final[Mapping[str, str]] = {
    "pediatric": "child",
    "paediatric": "child",
    "children": "child",
    "boy": "child",
    "girl": "child",
    "infant": "child",
    "newborn": "child",
    "teen": "teenager",
    "teenage": "teenager",
    "adolescent": "teenager",
    "elderly": "senior",
    "woman": "female",
    "man": "male",
    "anxiety": "anxious",
    "worried": "anxious",
}


class Requirements(Frozen):
    """The requirements of a case on its patient. `tags` are preferences ("Senior Female", "anxious")."""

    age_years: float | None = None
    sex: Sex | None = None
    speaker: str = "patient"
    tags: tuple[str, ...] = ()


def wanted_by(case: Case, tags: Sequence[str] = ()) -> Requirements:
    """The requirements of a case; its own tags come before those given."""
    wishes = (*case.persona_tags, *tags)
    return Requirements(age_years=case.age_years, sex=case.sex, speaker=case.speaker, tags=wishes)


def match(requirements: Requirements, library: Sequence[PatientPersona], seed: str) -> PatientPersona:
    """The persona that fits best, with the case's age and sex in place of its own.

    Adults and minors are separated first, then sex counts, then age band, then shared tags; ties are broken
    by the seed, independently of the library's order. The seed should name case and world: with one seed for
    all cases, the same few personas would always win. Raises BadInput for an empty library.
    """
    if not library:
        raise BadInput("there is no patient persona to choose from")
    wishes = [_words(tag) for tag in requirements.tags]
    if requirements.speaker not in ("patient", NOBODY):
        wishes.append(_words(f"with {requirements.speaker}"))

    def distance(persona: PatientPersona) -> tuple[int, int, int, int, bytes]:
        has = _words(" ".join(persona.persona_tags))
        shared = sum(bool(wish) and wish <= has for wish in wishes)
        return (*_apart(requirements, persona), -shared, _lot(seed, persona.persona_id))

    return fitted(min(library, key=distance), requirements)


def fitted(persona: PatientPersona, requirements: Requirements) -> PatientPersona:
    """A persona with the age and sex of a case, where the case gives them."""
    own = persona.demographics
    age = own.age if requirements.age_years is None else requirements.age_years
    gender = own.gender if requirements.sex is None else requirements.sex.capitalize()
    return persona.model_copy(update={"demographics": own.model_copy(update={"age": age, "gender": gender})})


def as_seat(persona: PatientPersona, requirements: Requirements | None = None) -> Persona:
    """A persona as the patient's seat takes it: the nearest built-in manner, and the instruction.

    The instruction always ends by saying that the case's facts take precedence; with `requirements`, also who
    speaks for whom.
    """
    about = " ".join((persona.personality_traits.core_archetype, *persona.persona_tags))
    name = next((voice for voice, words in _VOICES if re.search(rf"\b(?:{words})\b", about, re.I)), "plain")
    return Persona(name=name, manner=f"{persona.instruction} {_standing(requirements)}".strip())


def cohort(students: Sequence[StudentPersona], n: int, seed: str) -> tuple[StudentPersona, ...]:
    """A sample of `n` different students for one round, fixed by the seed. Raises BadInput for too few."""
    if not 1 <= n <= len(students):
        raise BadInput(f"{n} students cannot be chosen from {len(students)}")
    return tuple(sorted(students, key=lambda student: _lot(seed, student.student_id))[:n])


def _apart(requirements: Requirements, persona: PatientPersona) -> tuple[int, int, int]:
    age = persona.demographics.age
    sex = 0 if requirements.sex in (None, persona.sex) else 1 if persona.sex is None else 2
    if requirements.age_years is None or age is None:
        return 0, sex, 0 if requirements.age_years is None else len(BANDS)
    minors = (requirements.age_years < ADULT_FROM_YEARS) != (age < ADULT_FROM_YEARS)
    return int(minors), sex, abs(band_number(requirements.age_years) - band_number(age))


def _words(tag: str) -> frozenset[str]:
    words = re.findall(r"[a-z]+", tag.lower().replace("-", ""))
    return frozenset(_LIKE.get(word, word) for word in words)


def _lot(seed: str, name: str) -> bytes:
    return blake2b(f"{seed}\x1f{name}".encode(), digest_size=8).digest()


def _standing(requirements: Requirements | None) -> str:
    """The facts that the case decides, as the closing words of an instruction."""
    parts: list[str] = []
    if requirements and requirements.speaker not in ("patient", NOBODY):
        parts.append(f"The one who speaks is the patient's {requirements.speaker}, in this manner.")
    elif requirements and requirements.age_years is not None and requirements.age_years < _TALKS_FROM_YEARS:
        parts.append("The child is too young to talk: only the grown-up speaks.")
    parts.append(
        "Age, sex, work, family and health are those of the case: where this description says otherwise, "
        "the case stands."
    )
    return " ".join(parts)
