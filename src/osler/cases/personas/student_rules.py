"""Consistency rules for a student persona."""

from __future__ import annotations

import re
from typing import Final

from osler.cases.personas.people import StudentPersona
from osler.cases.personas.reading_words import matches
from osler.cases.personas.rule import SHARED_RULES, Rule
from osler.cases.personas.traits import Ability, contradict, student_traits


def _abilities(persona: StudentPersona) -> list[Ability]:
    known, has = student_traits(), persona.knowledge_profile
    labels = {*has.strengths, *has.weaknesses, has.learning_style, persona.personality_profile.archetype}
    every = (*known.strengths, *known.weaknesses, *known.learning_styles, *known.roles)
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
    if found := re.search(r"\b(?:ms?|y)?-?([1-6])(?:st|nd|rd|th)?\b", text, re.I):
        return int(found[1])
    return next((place for place, word in enumerate(words, 1) if matches(word, text)), None)


def _level_and_trait(persona: StudentPersona) -> str | None:
    level = persona.knowledge_profile.level
    if level not in student_traits().levels:
        return None
    found = next((each.label for each in _abilities(persona) if level not in each.levels), None)
    if level == "Advanced" and not found:
        found = matches("guidance-dependent", persona.knowledge_profile.learning_style)
    return f"{level} with {found!r}" if found else None


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
