"""Named consistency rules for personas: the builder satisfies them, the audit checks any library.

Texts written by others are judged by keywords: where those are inconclusive, a rule stays silent.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Generic, NamedTuple, TypeVar

from osler.cases.personas.people import PatientPersona, Persona, StudentPersona
from osler.cases.personas.traits import Ability, contradict, patient_traits, student_traits
from osler.knowledge.conditions import knowledge

P = TypeVar("P", bound=Persona, contravariant=True)
SHORTEST_WORDS: Final = 25
_SHE: Final = r"she|her|hers|herself"
_HE: Final = r"he|him|his|himself"


@dataclass(frozen=True, slots=True)
class Rule(Generic[P]):
    """A consistency rule: its name, its statement, and a check returning the violation or `None`."""

    name: str
    says: str
    broken: Callable[[P], str | None]


class Breach(NamedTuple):
    """A persona that violates a rule, and how."""

    persona: str
    rule: str
    what: str


def _other_sex(persona: Persona) -> str | None:
    text = persona.texts[0]
    she, he = (len(re.findall(rf"\b(?:{words})\b", text, re.I)) for words in (_SHE, _HE))
    wrong = (persona.sex == "female" and he > 1 and not she) or (persona.sex == "male" and she > 1 and not he)
    return f"{persona.sex}, and the text says {'he' if he else 'she'}" if wrong else None


def _thin(persona: Persona) -> str | None:
    words = len(persona.instruction.split())
    return f"{words} words" if words < SHORTEST_WORDS else None


SHARED_RULES: Final[tuple[Rule[Persona], ...]] = (
    Rule("one-sex", "the text speaks of somebody of the stated sex", _other_sex),
    Rule("instruction-long-enough", f"the instruction has {SHORTEST_WORDS} words or more", _thin),
)


_ONES: Final = "one two three four five six seven eight nine ten eleven twelve".split()
_TENS: Final = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_NUMBER: Final = {word: place for place, word in enumerate(_ONES, 1)} | {
    word: 10 * place for place, word in enumerate(_TENS, 2)
}
_NUMBER_WORDS: Final = "|".join((*_ONES, *_TENS))
_SPAN: Final = re.compile(
    rf"\b(\d{{1,3}}|(?:{_NUMBER_WORDS})(?:-(?:{'|'.join(_ONES[:9])}))?)\s+(year|decade)s\b", re.I
)
_WORK: Final = re.compile(
    r"\b(?:taught|teach\w*|work\w*|career|serv\w+|employ\w*|drove|driv\w+|earned|experience|profession\w*|"
    r"job|started as|was an?|has been an?|is an?|spent)\b",
    re.I,
)
_AGE: Final = re.compile(
    r"\b(\d{1,3})[- ]years?[- ]old\b(?!\s+(?:son|daughter|grand\w+|twins|niece|nephew|dog|cat))", re.I
)


def matches(pattern: str, text: str) -> str | None:
    """The first match of a pattern on whole words of a text, case-insensitive."""
    match = re.search(rf"(?<!\w)(?:{pattern})(?!\w)", text, re.I)
    return match[0] if match else None


def stated_ages(text: str) -> Iterator[int]:
    """The ages that a text states as "61-year-old" or "61 years old"."""
    yield from (int(match[1]) for match in _AGE.finditer(text))


def years_of_work(text: str) -> Iterator[float]:
    """The years of work that a text states, from each clause about work."""
    for clause in re.split(r"[.,;!?]\s+", text):
        if _WORK.search(clause):
            for result in _SPAN.finditer(clause):
                yield _number(result[1]) * (10 if result[2].lower() == "decade" else 1)


def _number(word: str) -> float:
    if word.isdigit():
        return float(word)
    return float(sum(_NUMBER[part] for part in word.lower().split("-")))


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
    result = matches(_PREGNANT, " ".join((*persona.texts, *persona.persona_tags)))
    return f"it says {result!r}" if result else None


def _ill(persona: PatientPersona) -> str | None:
    text = " ".join((*persona.texts, *persona.persona_tags))
    result = matches(_ILLNESS, text) or next(
        (name for name in _condition_names() if name in text.lower() and matches(re.escape(name), text)), None
    )
    return f"it says {result!r}" if result else None


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


def _abilities(persona: StudentPersona) -> list[Ability]:
    traits, has = student_traits(), persona.knowledge_profile
    labels = {*has.strengths, *has.weaknesses, has.learning_style, persona.personality_profile.archetype}
    every = (*traits.strengths, *traits.weaknesses, *traits.learning_styles, *traits.roles)
    return [each for each in every if each.label in labels]


_CLASHES: Final = (
    (r"active leader|organizer", r"anxiety|lacks confidence|guidance-dependent|insecure"),
    (r"bold-hypothesizer", r"anxiety|lacks confidence|insecure follower"),
    (r"solid theor\w+", r"weak theor\w+|lacks? theor\w+"),
    (r"cautious-verifier", r"tunnel vision|lacks thoroughness"),
)
"""Contradictory labels in the published student library."""


def _torn(persona: StudentPersona) -> str | None:
    has = _abilities(persona)
    clash = next(((a.label, b.label) for a in has for b in has if contradict(a, b)), None)
    profile = persona.knowledge_profile
    labels = (
        *profile.strengths,
        *profile.weaknesses,
        profile.learning_style,
        persona.personality_profile.archetype,
    )
    text = "; ".join(labels)
    named = next((pair for pair in _CLASHES if all(matches(pattern, text) for pattern in pair)), None)
    if named:
        clash = matches(named[0], text) or "", matches(named[1], text) or ""
    return f"{clash[0]!r} with {clash[1]!r}" if clash else None


def _level_unknown(persona: StudentPersona) -> str | None:
    level = persona.knowledge_profile.level
    return None if level.capitalize() in student_traits().levels else f"level {level!r}"


def _level_and_year(persona: StudentPersona) -> str | None:
    year, level = persona.demographics.year_of_study, persona.knowledge_profile.level
    place = _year(year)
    fits = {"Beginner": (1, 4), "Intermediate": (2, 7), "Advanced": (5, 8)}.get(level)
    if place is None or fits is None or fits[0] <= place <= fits[1]:
        return None
    return f"{level} in {year!r}"


def _year(text: str) -> int | None:
    """The year of study, with 7 for an intern and 8 for a resident; `None` where a text does not say."""
    if matches(r"resident|residency|pgy.*|registrar", text):
        return 8
    if matches(r"intern|internship|house officer|foundation.*", text):
        return 7
    if matches(r"final[- ]year", text):
        return 6
    words = ("first", "second", "third", "fourth", "fifth", "sixth")
    if match := re.search(r"\b(?:ms?|y)?-?([1-6])(?:st|nd|rd|th)?\b", text, re.I):
        return int(match[1])
    return next((place for place, word in enumerate(words, 1) if matches(word, text)), None)


def _level_and_trait(persona: StudentPersona) -> str | None:
    level = persona.knowledge_profile.level
    if level not in student_traits().levels:
        return None
    ability = next((each.label for each in _abilities(persona) if level not in each.levels), None)
    if level == "Advanced" and not ability:
        ability = matches("guidance-dependent", persona.knowledge_profile.learning_style)
    return f"{level} with {ability!r}" if ability else None


def _both_ways(persona: StudentPersona) -> str | None:
    has = persona.knowledge_profile
    if not has.strengths or not has.weaknesses:
        return f"{len(has.strengths)} strengths, {len(has.weaknesses)} weaknesses"
    twice = {each.casefold() for each in has.strengths} & {each.casefold() for each in has.weaknesses}
    return f"{sorted(twice)[0]!r} is a strength and a weakness" if twice else None


STUDENT_RULES: Final[tuple[Rule[StudentPersona], ...]] = (
    Rule("level-known", "the level is Beginner, Intermediate or Advanced", _level_unknown),
    Rule("level-fits-year", "the level fits the year of study", _level_and_year),
    Rule("level-fits-traits", "strengths, weaknesses and style fit the level", _level_and_trait),
    Rule("strong-and-weak", "at least one strength and one weakness, none of them both", _both_ways),
    Rule("traits-go-together", "strengths, weaknesses, style and role do not contradict each other", _torn),
    *SHARED_RULES,
)


def breaches(persona: Persona) -> Iterator[Breach]:
    """Every rule that a persona violates."""
    if isinstance(persona, PatientPersona):
        yield from _broken(persona, PATIENT_RULES)
    else:
        yield from _broken(persona, STUDENT_RULES)


def _broken(persona: P, rules: Sequence[Rule[P]]) -> Iterator[Breach]:
    for rule in rules:
        if what := rule.broken(persona):
            yield Breach(persona.id, rule.name, what)
