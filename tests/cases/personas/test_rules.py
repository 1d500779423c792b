"""Every named rule: a sound person breaks none, and one spoilt in one place breaks that one alone."""

from __future__ import annotations

import pytest

from osler.cases.personas.people import Persona
from osler.cases.personas.rules import PATIENT_RULES, STUDENT_RULES, breaches
from tests.cases.personas.people import patient, student

SPOILT: list[tuple[str, Persona]] = [
    ("child-has-no-work", patient(age=12, occupation="Cook", education="")),
    ("child-has-no-work", patient(age=12, occupation="High School Teacher", education="")),
    ("child-is-brought", patient(age=4, occupation="", education="")),
    ("education-fits-age", patient(age=15, occupation="Pupil", education="Master's degree")),
    ("education-fits-age", patient(age=9, occupation="Pupil", education="High School")),
    ("education-fits-work", patient(occupation="Architect")),
    ("education-fits-work", patient(occupation="Retired Teacher", age=66)),
    ("retired-by-age", patient(age=34, occupation="Retired Florist")),
    ("work-ends", patient(age=86)),
    ("years-fit-a-life", patient(description="Wren has worked there for over three decades.")),
    ("years-fit-a-life", patient(description="Wren spent 26 years at the stall.")),
    ("one-age", patient(instruction=patient().instruction + " You are a 61-year-old florist.")),
    ("not-pregnant", patient(tags=("expectant mother",))),
    ("not-pregnant", patient(description="Wren is expecting her first child.")),
    ("no-illness", patient(description="Wren lives with diabetes.")),
    ("no-illness", patient(tags=("chronic pain",))),
    ("health-worker-knows", patient(occupation="Nurse", education="Degree", tags=("medical novice",))),
    ("traits-go-together", patient(archetype="The Skeptic", attitude="The Authority Worshipper")),
    ("traits-go-together", patient(archetype="The Doubter", attitude="Does as Told")),
    ("one-sex", patient(description="He sells flowers, and his stall is by the station.")),
    ("instruction-long-enough", patient(instruction="You are nice.")),
    ("level-known", student(level="Expert")),
    ("level-fits-year", student(level="Advanced", year="First-year medical student")),
    ("level-fits-year", student(level="Beginner", year="Resident")),
    ("level-fits-traits", student(learning_style="Waits for guidance", level="Advanced", year="Intern")),
    ("level-fits-traits", student(learning_style="Guidance-dependent", level="Advanced", year="Intern")),
    ("strong-and-weak", student(weaknesses=())),
    ("strong-and-weak", student(strengths=("Stiff with patients",))),
    ("traits-go-together", student(weaknesses=("Thin on the basic sciences",))),
    ("traits-go-together", student(role="The Active Leader", weaknesses=("Prone to Anxiety",))),
    ("one-sex", student(description="She keeps her list.")),
    ("instruction-long-enough", student(instruction="You learn.")),
]


@pytest.mark.parametrize(
    ("rule", "person"), SPOILT, ids=lambda value: value if isinstance(value, str) else ""
)
def test_what_breaks_one_rule_breaks_no_other(rule: str, person: Persona) -> None:
    assert [breach.rule for breach in breaches(person)] == [rule]


@pytest.mark.parametrize(
    "person",
    [
        patient(),
        patient(age=None, gender=None),
        patient(age=9, occupation="Primary school pupil", education="Elementary School"),
        patient(age=4, occupation="", education="", description="Wren was brought by an aunt."),
        patient(age=62, occupation="Retired Teacher", education="University"),
        patient(age=62, description="Wren, who has lived here for 60 years, worked for thirty-five years."),
        patient(age=83, occupation="Retired farmer"),
        patient(gender="Child"),
        patient(age=8, occupation="None (child)", education="Elementary School"),
        patient(age=14, occupation="High School Student", education="High School (in progress)"),
        patient(age=5, occupation="Kindergartner", education="", description="Wren has a grandma here."),
        patient(occupation="Software Engineer", education="Self-taught"),
        patient(occupation="Physician", education="Medical School"),
        patient(age=35, instruction=patient().instruction + " You mention your 7-year-old daughter."),
        student(),
        student(year="Year 1 Medical Student", level="Beginner"),
        student(year="First-year resident", level="Advanced"),
        student(year="MS4", level="intermediate"),
        student(year="somewhere"),
    ],
    ids=str,
)
def test_a_sound_person_breaks_none(person: Persona) -> None:
    assert not list(breaches(person))


def test_every_rule_is_tried() -> None:
    named = {rule.name for rule in PATIENT_RULES} | {rule.name for rule in STUDENT_RULES}
    assert {rule for rule, _ in SPOILT} == named
