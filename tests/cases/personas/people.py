"""Sound personas to spoil in one place each."""

from __future__ import annotations

from typing import Any

from osler.cases.personas.people import (
    Background,
    KnowledgeProfile,
    PatientDemographics,
    PatientPersona,
    PersonalityProfile,
    PersonalityTraits,
    StudentDemographics,
    StudentPersona,
)

INSTRUCTION = (
    "You answer what is asked and then look up to see how it was taken; you turn a cap in your hands, "
    "lose the thread when two people talk at once, and find it again when one of them sits down."
)


def patient(
    *,
    age: float | None = 40,
    gender: str | None = "Female",
    occupation: str = "Florist",
    education: str = "High School",
    description: str = "Wren has a stall by the station.",
    archetype: str = "The Optimist",
    attitude: str = "Cooperative Partner",
    instruction: str = INSTRUCTION,
    tags: tuple[str, ...] = ("adult",),
    persona_id: str = "somebody",
) -> PatientPersona:
    """A patient nothing is wrong with, but for what is given."""
    return PatientPersona(
        persona_id=persona_id,
        demographics=PatientDemographics(name="Wren", age=age, gender=gender),
        background=Background(occupation=occupation, education_level=education, description=description),
        personality_traits=PersonalityTraits(
            core_archetype=archetype,
            communication_style="Plain and friendly.",
            attitude_towards_doctors=attitude,
        ),
        style_prompt_for_llm=instruction,
        persona_tags=tags,
    )


def student(*, year: str = "Year 5", gender: str = "Male", **profile: Any) -> StudentPersona:
    """A student nothing is wrong with, but for what is given."""
    has: dict[str, Any] = {
        "level": "Intermediate",
        "strengths": ("Firm on mechanisms",),
        "weaknesses": ("Stiff with patients",),
        "learning_style": "Learns by explaining",
    }
    role = profile.pop("role", "The Note-Keeper")
    description = profile.pop("description", "Jo keeps the list.")
    instruction = profile.pop("instruction", INSTRUCTION)
    return StudentPersona(
        student_id="Jo",
        demographics=StudentDemographics(gender=gender, year_of_study=year),
        knowledge_profile=KnowledgeProfile(**(has | profile)),
        personality_profile=PersonalityProfile(archetype=role, description=description),
        behavioral_prompt_for_llm=instruction,
    )
