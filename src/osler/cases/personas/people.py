"""Personas of a ward round in the published format: identity and behaviour, never illness.

Field names and nesting are those of the published patient and student libraries, so that `model_dump` writes
that format. Fields missing from a file are empty here; the audit reports them.
"""

from __future__ import annotations

from typing import Final

from osler.cases.model import Sex
from osler.core.events import Frozen

BANDS: Final[tuple[tuple[str, float], ...]] = (
    ("child", 0),
    ("teenager", 11),
    ("young adult", 18),
    ("adult", 30),
    ("middle-aged", 45),
    ("senior", 60),
    ("very old", 75),
)
"""Age bands, each with its lower bound in years."""
ADULT_FROM_YEARS: Final = 18
_SEXES: Final[dict[str, Sex]] = {
    **dict.fromkeys(("female", "f", "woman", "girl"), "female"),
    **dict.fromkeys(("male", "m", "man", "boy"), "male"),
}


class PatientDemographics(Frozen):
    """`age` in years, possibly a fraction below two; `gender` as the source writes it."""

    name: str = ""
    age: int | float | None = None
    gender: str | None = None


class Background(Frozen):
    """A person's work and education, and a short biography in the third person."""

    occupation: str = ""
    education_level: str = ""
    description: str = ""


class PersonalityTraits(Frozen):
    """A patient's personality, manner of speaking, and attitude to doctors."""

    core_archetype: str = ""
    communication_style: str = ""
    attitude_towards_doctors: str = ""


class PatientPersona(Frozen):
    """A patient to play. `style_prompt_for_llm` tells the player, in the second person, how to behave."""

    persona_id: str
    demographics: PatientDemographics = PatientDemographics()
    background: Background = Background()
    personality_traits: PersonalityTraits = PersonalityTraits()
    style_prompt_for_llm: str = ""
    persona_tags: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """The persona's name in a library."""
        return self.persona_id

    @property
    def sex(self) -> Sex | None:
        """Female or male; `None` where the gender is missing or not a sex, such as "Child"."""
        return sex_of(self.demographics.gender)

    @property
    def instruction(self) -> str:
        """The performance instruction."""
        return self.style_prompt_for_llm

    @property
    def texts(self) -> tuple[str, ...]:
        """All of its prose."""
        traits = self.personality_traits
        return self.background.description, traits.communication_style, self.style_prompt_for_llm


class StudentDemographics(Frozen):
    """`year_of_study` in words, such as "Year 3 medical student"."""

    gender: str | None = None
    year_of_study: str = ""


class KnowledgeProfile(Frozen):
    """A student's strengths and weaknesses. `level` is Beginner, Intermediate or Advanced."""

    level: str = ""
    strengths: tuple[str, ...] = ()
    weaknesses: tuple[str, ...] = ()
    learning_style: str = ""


class PersonalityProfile(Frozen):
    """A student's role in a team and the behaviour it shows in."""

    archetype: str = ""
    description: str = ""


class StudentPersona(Frozen):
    """A student to play. `student_id` is a first name; no two students of a library share it."""

    student_id: str
    demographics: StudentDemographics = StudentDemographics()
    knowledge_profile: KnowledgeProfile = KnowledgeProfile()
    personality_profile: PersonalityProfile = PersonalityProfile()
    behavioral_prompt_for_llm: str = ""

    @property
    def id(self) -> str:
        """The persona's name in a library."""
        return self.student_id

    @property
    def sex(self) -> Sex | None:
        """Female or male; `None` where the gender is missing."""
        return sex_of(self.demographics.gender)

    @property
    def instruction(self) -> str:
        """The performance instruction."""
        return self.behavioral_prompt_for_llm

    @property
    def texts(self) -> tuple[str, ...]:
        """All of its prose."""
        return self.personality_profile.description, self.behavioral_prompt_for_llm


Persona = PatientPersona | StudentPersona


def sex_of(gender: str | None) -> Sex | None:
    """The sex named by a gender's wording, if any."""
    return _SEXES.get(gender.strip().casefold()) if gender else None


def band_of(age_years: float) -> str:
    """The age band of an age in years."""
    return BANDS[band_number(age_years)][0]


def band_number(age_years: float) -> int:
    """The index of an age's band in `BANDS`."""
    return max(place for place, (_, start) in enumerate(BANDS) if age_years >= start)
