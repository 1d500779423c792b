"""Building patients in any number: attributes are balanced by design, instructions are generated."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from osler.cases.personas.design import Row, assign
from osler.cases.personas.naming import deal_names
from osler.cases.personas.occupation import (
    DONE_AT_YEARS,
    EDUCATION,
    Occupation,
    all_occupations,
    fitting,
)
from osler.cases.personas.patient_words import PatientWords, Who
from osler.cases.personas.people import (
    Background,
    PatientDemographics,
    PatientPersona,
    PersonalityTraits,
    band_of,
)
from osler.cases.personas.traits import Archetype, Trait, child_traits, patient_traits
from osler.cases.personas.wording import capital
from osler.core.contract import luck

YOUNGEST_YEARS: Final = 4
OLDEST_YEARS: Final = 90
_BAND_WORDS: Final[Mapping[str, tuple[str, ...]]] = {
    "child": ("child", "pediatric"),
    "teenager": ("teenager", "teenage", "adolescent"),
    "young adult": ("adult", "young adult"),
    "adult": ("adult",),
    "middle-aged": ("adult", "middle-aged"),
    "senior": ("adult", "senior", "elderly"),
    "very old": ("adult", "senior", "elderly", "very old"),
}


def build_patients(n: int, seed: int) -> tuple[PatientPersona, ...]:
    """Build `n` patients of four to ninety years; the same `n` and seed give the same patients.

    Ages are spread evenly; sex, work, education, archetype, attitude, knowledge and companion by
    minimization. A child's attitude and knowledge are those of the accompanying adult.
    """
    design, words = (luck(f"personas/{seed}", "patient", purpose) for purpose in ("design", "words"))
    ages = [YOUNGEST_YEARS + (OLDEST_YEARS + 1 - YOUNGEST_YEARS) * place // n for place in range(n)]
    design.shuffle(ages)
    # In the design an age is represented by its band, so the age itself is kept beside the rows.
    rows: list[Row] = [{"band": band_of(age)} for age in ages]
    of_age = {id(row): age for row, age in zip(rows, ages, strict=True)}
    done = {each.label: each for each in all_occupations()}
    known = patient_traits()

    against = {each.label: each.not_with for each in known.archetypes}

    def may_think(row: Mapping[str, str]) -> list[str]:
        return [each.label for each in known.attitudes if each.label not in against[row["archetype"]]]

    def may_know(row: Mapping[str, str]) -> list[str]:
        fits = [each.label for each in known.knowledge if each.health == done[row["work"]].health]
        return [label for label in fits if label not in against[row["archetype"]]]

    assign(rows, "sex", lambda row: ("female", "male"), design)
    assign(rows, "work", lambda row: fitting(of_age[id(row)]), design)
    assign(rows, "education", lambda row: done[row["work"]].educations(of_age[id(row)]), design)
    assign(rows, "archetype", lambda row: [each.label for each in known.archetypes], design)
    assign(rows, "attitude", may_think, design)
    assign(rows, "knowledge", may_know, design)
    assign(rows, "adult", lambda row: child_traits().adults, design)
    names = deal_names([row["sex"] for row in rows], design)
    writer = PatientWords(words)
    return tuple(
        _persona(f"patient-{place:03}", name, row, _who(name, row, age, done[row["work"]]), writer)
        for place, (name, row, age) in enumerate(zip(names, rows, ages, strict=True), 1)
    )


def _who(name: str, row: Row, age: int, work: Occupation) -> Who:
    known = patient_traits()
    return Who(
        name=name,
        age=age,
        work=work,
        archetype=next(each for each in known.archetypes if each.label == row["archetype"]),
        attitude=next(each for each in known.attitudes if each.label == row["attitude"]),
        knowledge=next(each for each in known.knowledge if each.label == row["knowledge"]),
        done_at=next(
            DONE_AT_YEARS.get(key, 0) for key, name in EDUCATION.items() if name == row["education"]
        ),
        adult=row["adult"],
    )


def _persona(persona_id: str, name: str, row: Row, who: Who, writer: PatientWords) -> PatientPersona:
    tic = writer.tic()
    return PatientPersona(
        persona_id=persona_id,
        demographics=PatientDemographics(name=name, age=who.age, gender=capital(row["sex"])),
        background=Background(
            occupation=who.work.label,
            education_level=row["education"],
            description=writer.life(who),
        ),
        personality_traits=PersonalityTraits(
            core_archetype=who.archetype.label,
            communication_style=writer.style(who, tic),
            attitude_towards_doctors=who.attitude.label,
        ),
        style_prompt_for_llm=writer.instruction(who, tic),
        persona_tags=_tags(row, who),
    )


def _tags(row: Row, who: Who) -> tuple[str, ...]:
    beside = (f"with {who.adult}",) if who.is_minor else ()
    own: tuple[Archetype | Trait, ...] = (who.archetype, who.attitude, who.knowledge)
    tags = (
        row["sex"],
        *_BAND_WORDS[row["band"]],
        *beside,
        who.work.label.lower(),
        who.work.field,
        row["education"].lower(),
        who.knowledge.label,
        *(tag for trait in own for tag in trait.tags),
    )
    return tuple(dict.fromkeys(tags))
