"""Building students in any number: traits are balanced by design and never contradict each other."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Final

from osler.cases.personas.drawing import Row, Writer, assign, capital, deal_names
from osler.cases.personas.people import (
    KnowledgeProfile,
    PersonalityProfile,
    StudentDemographics,
    StudentPersona,
)
from osler.cases.personas.traits import Ability, contradict, student_traits
from osler.core.contract import rng

NONE: Final = ""
_CHOSEN: Final = ("role", "style", "weakness", "strength", "second weakness", "second strength")


def build_students(n: int, seed: int) -> tuple[StudentPersona, ...]:
    """Build `n` students from the first year to residency; the same `n` and seed give the same students.

    About half of them have two strengths, and about half two weaknesses.
    """
    design, words = (rng(f"personas/{seed}", "student", purpose) for purpose in ("design", "words"))
    traits = student_traits()
    rows: list[Row] = [{} for _ in range(n)]
    assign(rows, "sex", lambda row: ("female", "male"), design)
    assign(rows, "year", lambda row: list(traits.years), design)
    assign(rows, "level", lambda row: traits.years[row["year"]], design)
    for factor in _CHOSEN:
        assign(rows, factor, _allowed(rows, factor, design), design)
    names = deal_names([row["sex"] for row in rows], design)
    writer = Writer(words)
    return tuple(_persona(name, row, writer, words) for name, row in zip(names, rows, strict=True))


def _allowed(rows: Sequence[Row], factor: str, rng: Random) -> Callable[[Mapping[str, str]], list[str]]:
    """The levels each student may have. About half of them get no second trait, nor those whom none fits."""
    second = factor.startswith("second")
    none = {id(row) for row in rows if second and rng.random() < 0.5}

    def allowed(row: Mapping[str, str]) -> list[str]:
        fits = [] if id(row) in none else _may(row, factor)
        return fits or [NONE] if second else fits

    return allowed


def _library(factor: str) -> Sequence[Ability]:
    traits = student_traits()
    kinds = {"role": traits.roles, "style": traits.learning_styles, "strength": traits.strengths}
    return kinds.get(factor.removeprefix("second "), traits.weaknesses)


def _may(row: Mapping[str, str], factor: str) -> list[str]:
    """The levels of a factor that do not contradict what a student already has."""
    had = chosen(row)
    return [
        each.label
        for each in _library(factor)
        if row["level"] in each.levels
        and each.label not in (other.label for other in had)
        and not any(contradict(each, other) for other in had)
    ]


def chosen(row: Mapping[str, str]) -> list[Ability]:
    """The traits a student has so far."""
    return [
        each
        for factor in _CHOSEN
        if row.get(factor)
        for each in _library(factor)
        if each.label == row[factor]
    ]


def _persona(name: str, row: Row, writer: Writer, chance: Random) -> StudentPersona:
    traits = student_traits()
    has = {each.label: each for each in chosen(row)}
    role = has[row["role"]]
    strengths = [row[factor] for factor in ("strength", "second strength") if row[factor]]
    weaknesses = [row[factor] for factor in ("weakness", "second weakness") if row[factor]]
    body = [
        *(writer.sentence(label, has[label].say) for label in (*strengths, *weaknesses, row["style"])),
        *(writer.sentence(role.label, role.say) for _ in range(chance.choice((1, 2)))),
        *(writer.sentence("quirk", traits.quirks) for _ in range(chance.choice((1, 2)))),
    ]
    chance.shuffle(body)
    stage = writer.sentence(row["level"], traits.levels[row["level"]].say)
    body.insert(chance.choice((0, 0, 1)), stage)
    about = writer.draw(f"about {role.label}", role.about)
    better = " and ".join(strengths).lower()
    worse = " and ".join(weaknesses).lower()
    return StudentPersona(
        student_id=name,
        demographics=StudentDemographics(gender=capital(row["sex"]), year_of_study=row["year"]),
        knowledge_profile=KnowledgeProfile(
            level=row["level"],
            strengths=tuple(strengths),
            weaknesses=tuple(weaknesses),
            learning_style=row["style"],
        ),
        personality_profile=PersonalityProfile(
            archetype=role.label,
            description=f"In a team {name} {about}. Better side: {better}. Weaker side: {worse}.",
        ),
        behavioral_prompt_for_llm=" ".join((*body, writer.sentence("closing", traits.closings))),
    )
