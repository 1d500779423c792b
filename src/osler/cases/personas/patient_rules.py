"""Consistency rules for a patient persona.

Texts written by others are judged by keywords: where those are inconclusive, a rule stays silent.
"""

from __future__ import annotations

import re
from typing import Final

from osler.cases.personas.people import PatientPersona
from osler.cases.personas.reading_words import matches, stated_ages, years_of_work
from osler.cases.personas.rule import SHARED_RULES, Rule
from osler.cases.personas.traits import patient_traits
from osler.knowledge.conditions import knowledge

WORK_FROM_YEARS: Final = 15
SPEAKS_FROM_YEARS: Final = 8
RETIRED_FROM_YEARS: Final = 50
WORK_TO_YEARS: Final = 80

_SCHOOL: Final = (
    r"pupils?|students?|school ?(?:child|boy|girl)|children|child|toddler|infant|baby|newborn|kindergart\w*|"
    r"pre-?school\w*|at school|school yet|none|n/?a|too young|minor|(?:primary|elementary|middle|high) school"
)
_AT_SCHOOL_FOR_PAY: Final = r"teacher|principal|counsel\w*|nurse|worker|doctor|driver|psychologist|retire[ed]"
_STILL: Final = (
    r"retire[ed]|pension|home ?maker|house(?:wife|husband)|household|volunteer|none|unemployed|widow"
)
_DEGREE_WORK: Final = (
    r"(?:teacher|lawyer|attorney|physician|doctor|surgeon|pharmacist|architect|professor|"
    r"librarian|accountant|social worker|scientist|researcher|chemist|psychologist|"
    r"(?:civil|mechanical) engineer)"
)
_LOWER_WORK: Final = r"assistant|aide|trainee|student|apprentice|technician|dance teacher|yoga"
_DEGREE: Final = (
    r"universit|college|degree|bachelor|master|postgrad|graduate|ph\.?d|doctora|law school|medical school"
)
_EDUCATION_FROM: Final = (
    (r"ph\.?d|doctorate|doctoral", 24),
    (r"master|postgraduate|graduate school|law school|medical school", 21),
    (r"bachelor|universit|college|degree", 16),
    (r"vocational|associate|trade school|apprentice", 15),
    (r"left school|finished secondary|high school diploma|high school graduate", 16),
    (r"high school|secondary", 10),
    (r"primary|elementary", 4),
)
_BROUGHT: Final = (
    r"mother|father|parents?|mum|mom|dad|grand(?:mother|father|ma|pa|parent)\w*|aunt|uncle|guardian|carer|"
    r"caregiver|brought|brother|sister|family"
)
_PREGNANT: Final = (
    r"pregnan\w*|expecting (?:a|her|their) (?:first |second |third )?(?:baby|child)|"
    r"expectant (?:mother|father|parent)s?|trimester|antenatal"
)
_ILLNESS: Final = (
    r"diabet\w*|hypertens\w*|high blood pressure|asthma\w*|cancer|arthriti\w*|"
    r"(?:had|after|suffered) a stroke|stroke (?:survivor|patient)|migraines?|"
    r"epilep\w*|copd|heart (?:attack|disease|failure|condition)|insulin|inhalers?|chemotherapy|"
    r"chronic (?:illness|condition|disease|pain)|(?:takes?|on|daily) (?:medication|tablets|pills)|"
    r"allerg(?:y|ic)|(?:had|after|recent) (?:an? )?(?:surgery|operation)"
)
_HEALTH_WORK: Final = (
    r"nurs(?:e|ing)|physician|doctor|surgeon|pharmacist|paramedic|dental|care home|health ?care|midwife"
)
_NOVICE: Final = r"medical novice|knows (?:little|nothing) (?:of|about) medicine"


def _age(persona: PatientPersona) -> float:
    """The age in years; a persona without one breaks no rule about age."""
    age = persona.demographics.age
    return float("nan") if age is None else age


def _child_works(persona: PatientPersona) -> str | None:
    work = persona.background.occupation
    learns = matches(_SCHOOL, work) and not matches(_AT_SCHOOL_FOR_PAY, work)
    works = work and not learns and _age(persona) < WORK_FROM_YEARS
    return f"{work!r} at {_age(persona):g}" if works else None


def _child_alone(persona: PatientPersona) -> str | None:
    if _age(persona) < SPEAKS_FROM_YEARS and not matches(_BROUGHT, " ".join(persona.texts)):
        return f"{_age(persona):g} years old, and nobody speaks for the child"
    return None


def _educated_too_early(persona: PatientPersona) -> str | None:
    level = persona.background.education_level
    start = next((start for pattern, start in _EDUCATION_FROM if matches(rf"(?:{pattern})\w*", level)), 0)
    return f"{level!r} at {_age(persona):g}" if _age(persona) < start else None


def _unqualified(persona: PatientPersona) -> str | None:
    work, level = persona.background.occupation, persona.background.education_level
    if not level or not matches(_DEGREE_WORK, work) or matches(_LOWER_WORK, work):
        return None
    return None if re.search(_DEGREE, level, re.I) else f"{work!r} with {level!r}"


def _retired_too_early(persona: PatientPersona) -> str | None:
    retired = matches(r"retire[ed]", persona.background.occupation)
    return f"retired at {_age(persona):g}" if retired and _age(persona) < RETIRED_FROM_YEARS else None


def _works_too_long(persona: PatientPersona) -> str | None:
    work = persona.background.occupation
    works = work and not matches(rf"(?:{_STILL})\w*", work)
    return f"{work!r} at {_age(persona):g}" if works and _age(persona) >= WORK_TO_YEARS else None


def _longer_than_life(persona: PatientPersona) -> str | None:
    years = max(years_of_work(persona.background.description), default=0)
    if years and years > _age(persona) - WORK_FROM_YEARS:
        return f"{years:g} years of work at {_age(persona):g}"
    return None


def _another_age(persona: PatientPersona) -> str | None:
    ages = {age for text in persona.texts for age in stated_ages(text)}
    if ages and persona.demographics.age is not None and int(_age(persona)) not in ages:
        return f"the text says {', '.join(map(str, sorted(ages)))}, the age is {_age(persona):g}"
    return None


def _pregnant(persona: PatientPersona) -> str | None:
    found = matches(_PREGNANT, " ".join((*persona.texts, *persona.persona_tags)))
    return f"it says {found!r}" if found else None


def _ill(persona: PatientPersona) -> str | None:
    text = " ".join((*persona.texts, *persona.persona_tags))
    found = matches(_ILLNESS, text) or next(
        (name for name in _condition_names() if name in text.lower() and matches(re.escape(name), text)), None
    )
    return f"it says {found!r}" if found else None


def _condition_names() -> tuple[str, ...]:
    return tuple(condition.name.lower() for condition in knowledge().conditions)


def _novice(persona: PatientPersona) -> str | None:
    work = persona.background.occupation
    if matches(_HEALTH_WORK, work) and matches(_NOVICE, "; ".join(persona.persona_tags)):
        return f"{work!r} who knows no medicine"
    return None


def _of_two_minds(persona: PatientPersona) -> str | None:
    traits = persona.personality_traits
    ours = next((each for each in patient_traits().archetypes if each.label == traits.core_archetype), None)
    also = (traits.attitude_towards_doctors, *persona.persona_tags)
    clash = next((label for label in (ours.not_with if ours else ()) if label in also), None)
    if not ours and matches(r"skeptic|complain\w*", traits.core_archetype):
        clash = matches(r"authority worshipp?er", traits.attitude_towards_doctors)
    return f"{traits.core_archetype!r} with {clash!r}" if clash else None


PATIENT_RULES: Final[tuple[Rule[PatientPersona], ...]] = (
    Rule("child-has-no-work", f"nobody under {WORK_FROM_YEARS} has an occupation but school", _child_works),
    Rule("child-is-brought", f"somebody speaks for a child under {SPEAKS_FROM_YEARS}", _child_alone),
    Rule("education-fits-age", "nobody has an education too early for the age", _educated_too_early),
    Rule("education-fits-work", "who needs a degree for the work has one", _unqualified),
    Rule("retired-by-age", f"nobody is retired under {RETIRED_FROM_YEARS}", _retired_too_early),
    Rule("work-ends", f"nobody is at work from {WORK_TO_YEARS} years", _works_too_long),
    Rule("years-fit-a-life", f"years of work began at {WORK_FROM_YEARS} or later", _longer_than_life),
    Rule("one-age", "the text states the age that the demographics state", _another_age),
    Rule("not-pregnant", "no pregnancy is implied: that is a fact of a case", _pregnant),
    Rule("no-illness", "no illness or treatment is named: that is a fact of a case", _ill),
    Rule("health-worker-knows", "who works in health care knows some medicine", _novice),
    Rule(
        "traits-go-together", "archetype, attitude and knowledge do not contradict each other", _of_two_minds
    ),
    *SHARED_RULES,
)
