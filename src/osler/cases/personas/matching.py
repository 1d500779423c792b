"""Which persona plays a case, and how it is made to fit: whatever the case says of the person stands.

Matching depends on the case and the seed of its world alone, never on the cast, so that two doctors on one
world meet the same patient.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from typing import Final

from osler.cases.importers.people import age_of
from osler.cases.model import Case, Sex
from osler.cases.personas.people import (
    ADULT_FROM_YEARS,
    BANDS,
    PatientPersona,
    StudentPersona,
    band_number,
    sex_of,
)
from osler.errors import BadInput
from osler.seats.events import Frozen
from osler.seats.patient import Persona

_TALKS_FROM_YEARS: Final = 3
_VOICES: Final[tuple[tuple[str, str], ...]] = (
    ("anxious", "anxious|anxiety|worrier|worried"),
    ("stoic", "stoic|reserved|shy|introverted|few words"),
    ("skeptical", "skeptic|skeptical|sceptical|distrustful|complainer"),
    ("talkative", "talkative|cheerful|optimist|optimistic|dramatic|dramatizer|expressive"),
)
"""The manners the built-in patient knows, by words of a persona's archetype or tags."""
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


class Wanted(Frozen):
    """What a case says of its patient. `tags` are wishes, such as "Senior Female" or "anxious"."""

    age_years: float | None = None
    sex: Sex | None = None
    speaker: str = "patient"
    tags: tuple[str, ...] = ()


def wanted_by(case: Case, tags: Sequence[str] = ()) -> Wanted:
    """What one of our cases says of its patient."""
    return Wanted(age_years=case.age_years, sex=case.sex, speaker=case.speaker, tags=tuple(tags))


def wanted_by_script(metadata: Mapping[str, object]) -> Wanted:
    """What the `metadata` of a published patient script say; what is missing or no sex, is left open."""
    about, attributes = metadata.get("demographics"), metadata.get("case_attributes")
    about = about if isinstance(about, Mapping) else {}
    attributes = attributes if isinstance(attributes, Mapping) else {}
    tags = attributes.get("compatible_persona_tags")
    listed = [str(tag) for tag in tags] if isinstance(tags, list | tuple) else []
    gender = str(about.get("gender") or "")
    age = about.get("age")
    years = age_of(f"age {age}").years if age is not None else None
    # "Child" for a gender tells an age, so it is a wish.
    tells = [gender] if gender and sex_of(gender) is None else []
    return Wanted(age_years=years, sex=sex_of(gender), tags=(*listed, *tells))


def match(wanted: Wanted, library: Sequence[PatientPersona], seed: str) -> PatientPersona:
    """The persona that fits best, with the case's age and sex in place of its own.

    Grown-ups and minors are told apart first, then sex, then age band, then shared tags; among equals the
    seed decides, whatever the order of the library. Let the seed name case and world: with the same seed for
    all cases the lot falls on the same few. Raises BadInput for an empty library.
    """
    if not library:
        raise BadInput("there is no patient persona to choose from")
    wishes = [_words(tag) for tag in wanted.tags]
    if wanted.speaker != "patient":
        wishes.append(_words(f"with {wanted.speaker}"))

    def distance(persona: PatientPersona) -> tuple[int, int, int, int, bytes]:
        has = _words(" ".join(persona.persona_tags))
        shared = sum(bool(wish) and wish <= has for wish in wishes)
        return (*_apart(wanted, persona), -shared, _lot(seed, persona.persona_id))

    return fitted(min(library, key=distance), wanted)


def fitted(persona: PatientPersona, wanted: Wanted) -> PatientPersona:
    """A persona with the age and sex of a case, where the case gives them."""
    own = persona.demographics
    age = own.age if wanted.age_years is None else wanted.age_years
    gender = own.gender if wanted.sex is None else wanted.sex.capitalize()
    return persona.model_copy(update={"demographics": own.model_copy(update={"age": age, "gender": gender})})


def as_seat(persona: PatientPersona, wanted: Wanted | None = None) -> Persona:
    """A persona as the patient's seat takes it: the built-in manner nearest to it, and the instruction.

    With `wanted` the instruction ends by saying who speaks for whom; always that the case's facts stand.
    """
    about = " ".join((persona.personality_traits.core_archetype, *persona.persona_tags))
    name = next((voice for voice, words in _VOICES if re.search(rf"\b(?:{words})\b", about, re.I)), "plain")
    return Persona(name=name, manner=f"{persona.instruction} {_standing(wanted)}".strip())


def cohort(students: Sequence[StudentPersona], n: int, seed: str) -> tuple[StudentPersona, ...]:
    """`n` different students for one round, by the seed alone. Raises BadInput where there are fewer."""
    if not 1 <= n <= len(students):
        raise BadInput(f"{n} students cannot be chosen from {len(students)}")
    return tuple(sorted(students, key=lambda student: _lot(seed, student.student_id))[:n])


def _apart(wanted: Wanted, persona: PatientPersona) -> tuple[int, int, int]:
    age = persona.demographics.age
    sex = 0 if wanted.sex in (None, persona.sex) else 1 if persona.sex is None else 2
    if wanted.age_years is None or age is None:
        return 0, sex, 0 if wanted.age_years is None else len(BANDS)
    minors = (wanted.age_years < ADULT_FROM_YEARS) != (age < ADULT_FROM_YEARS)
    return int(minors), sex, abs(band_number(wanted.age_years) - band_number(age))


def _words(tag: str) -> frozenset[str]:
    words = re.findall(r"[a-z]+", tag.lower().replace("-", ""))
    return frozenset(_LIKE.get(word, word) for word in words)


def _lot(seed: str, name: str) -> bytes:
    return blake2b(f"{seed}\x1f{name}".encode(), digest_size=8).digest()


def _standing(wanted: Wanted | None) -> str:
    """What a case decides, in words that end an instruction."""
    parts: list[str] = []
    if wanted and wanted.speaker != "patient":
        parts.append(f"The one who speaks is the patient's {wanted.speaker}, in this manner.")
    elif wanted and wanted.age_years is not None and wanted.age_years < _TALKS_FROM_YEARS:
        parts.append("The child is too young to talk: only the grown-up speaks.")
    parts.append(
        "Age, sex, work, family and health are those of the case: where this description says otherwise, "
        "the case stands."
    )
    return " ".join(parts)
