"""Building patients in any number: attributes are balanced by design, instructions are generated.

The instruction is about manner alone and names neither age nor sex, so that it suits any case the persona is
given to.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from random import Random
from typing import Final, Literal, NamedTuple

from osler.cases.personas.drawing import Row, Writer, assign, capital, deal_names, with_article
from osler.cases.personas.people import (
    ADULT_FROM_YEARS,
    Background,
    PatientDemographics,
    PatientPersona,
    PersonalityTraits,
    band_of,
)
from osler.cases.personas.traits import (
    Archetype,
    Standing,
    Trait,
    Work,
    child_traits,
    occupations,
    patient_traits,
)
from osler.core.contract import rng

Kind = Literal["working", "retired", "other", "pupil"]
RETIRED: Final = "Retired "
EDUCATION: Final[Mapping[str, str]] = {
    "none": "Not at school yet",
    "primary": "At primary school",
    "secondary": "At secondary school",
    "left": "Left school at sixteen",
    "school": "Finished secondary school",
    "training": "Vocational training",
    "degree": "University degree",
    "postgraduate": "Postgraduate degree",
}
DONE_AT_YEARS: Final[Mapping[str, int]] = {
    "left": 16,
    "school": 18,
    "training": 19,
    "degree": 22,
    "postgraduate": 25,
}
"""The age at which each completed education is finished."""
_LEVELS: Final = tuple(DONE_AT_YEARS)
_WORKS_FROM_YEARS: Final = 18
_WORKS_TO_YEARS: Final = 67
_RETIRES_FROM_YEARS: Final = 61
_TO_SETTLE_YEARS: Final = 2


class Occupation(NamedTuple):
    """An occupation, with its article as `noun`; its age range in years and its educations.

    Educations are keys of `EDUCATION`. `plain` is the noun without "retired".
    """

    label: str
    noun: str
    plain: str
    kind: Kind
    field: str
    health: bool
    images: Sequence[str]
    start: int
    to: int
    education: Sequence[str]

    def educations(self, age_years: int) -> list[str]:
        """The educations possible at this age in this occupation."""
        return [EDUCATION[name] for name in self.education if DONE_AT_YEARS.get(name, 0) <= age_years]


@lru_cache(maxsize=1)
def all_occupations() -> tuple[Occupation, ...]:
    """All occupations, including retirement from them."""
    result: list[Occupation] = []
    for work in occupations().worked:
        result += [_working(work), _retired(work)]
    result += [_standing(each, "other") for each in occupations().other]
    result += [_standing(each, "pupil") for each in occupations().pupils]
    return tuple(result)


def fitting(age_years: int) -> list[str]:
    """The occupations possible at this age."""
    return [each.label for each in all_occupations() if each.start <= age_years <= each.to]


def _working(work: Work) -> Occupation:
    noun = with_article(work.work)
    start = max(_WORKS_FROM_YEARS, DONE_AT_YEARS[work.needs] + _TO_SETTLE_YEARS)
    levels = _LEVELS[_LEVELS.index(work.needs) :]
    label = capital(work.work)
    return Occupation(
        label, noun, noun, "working", work.field, work.health, work.images, start, _WORKS_TO_YEARS, levels
    )


def _retired(work: Work) -> Occupation:
    before = _working(work)
    return before._replace(
        label=f"{RETIRED}{work.work}",
        noun=f"a retired {work.work}",
        kind="retired",
        start=_RETIRES_FROM_YEARS,
        to=150,
    )


def _standing(each: Standing, kind: Kind) -> Occupation:
    noun = each.noun or with_article(each.status.lower())
    levels = each.education or _LEVELS
    return Occupation(
        each.status, noun, noun, kind, each.field, False, each.images, each.start, each.to, levels
    )


_SELF_FROM_YEARS: Final = 11
"""The age in years from which a patient speaks without an adult."""
_SMALL_UNDER_YEARS: Final = 7


class Who(NamedTuple):
    """A person's attributes before they are put into words.

    `done_at` is the age in years at which education ended, `adult` the adult who accompanies a minor.
    """

    name: str
    age: int
    work: Occupation
    archetype: Archetype
    attitude: Trait
    knowledge: Trait
    done_at: int
    adult: str

    @property
    def is_minor(self) -> bool:
        """Whether the person is under eighteen."""
        return self.age < ADULT_FROM_YEARS


class PatientWords:
    """Writes patients, drawing frames evenly over all of them."""

    def __init__(self, rng: Random) -> None:
        self._rng = rng
        self._writer = Writer(rng)

    def tic(self) -> str:
        """A pet phrase."""
        return self._writer.draw("tic", patient_traits().tic)

    def style(self, who: Who, tic: str) -> str:
        """The manner of speaking in one line."""
        first, second = self._rng.sample(who.archetype.style, 2)
        return f"{capital(first)}; {second}; often says '{tic}'."

    def life(self, who: Who) -> str:
        """A biography in two sentences, in the third person."""
        traits, write = patient_traits(), self._writer.sentence
        frames = {
            "working": traits.lives_working,
            "retired": traits.lives_retired,
            "other": traits.lives_other,
            "pupil": traits.lives_pupil,
        }[who.work.kind]
        young = who.age < _SELF_FROM_YEARS
        hobbies = child_traits().hobbies if young else traits.hobbies
        hobby = self._writer.draw(f"hobby {young}", hobbies)
        lived = write(
            f"life {who.work.kind}",
            frames,
            name=who.name,
            a_work=who.work.plain,
            years=self._years(who),
            age=f"{who.age} years old",
            adult=who.adult,
        )
        return f"{lived} {write('free', traits.lives_free, hobby=hobby)}"

    def instruction(self, who: Who, tic: str) -> str:
        """The performance instruction, in the second person."""
        if who.age < _SELF_FROM_YEARS:
            return self._child(who, tic)
        traits, write, label = patient_traits(), self._writer.sentence, who.archetype.label
        slots = {"tic": tic, "adult": who.adult}
        for name in ("prop", "today"):
            slots[name] = self._writer.draw(name, getattr(traits, name))
        manners, moments = self._rng.choice(((2, 1), (1, 2)))
        body = [
            *(write(f"manner {label}", who.archetype.manner) for _ in range(manners)),
            *(write(f"moment {label}", who.archetype.moment) for _ in range(moments)),
            write(f"attitude {who.attitude.label}", who.attitude.say),
            write(f"knowledge {who.knowledge.label}", who.knowledge.say),
        ]
        extras = {"tic": traits.tic_frames, "prop": traits.prop_frames, "today": traits.today_frames}
        if who.is_minor:
            extras = {"beside": traits.beside_teen, "tic": traits.tic_frames, "prop": traits.prop_frames}
        for extra in self._rng.sample(list(extras), self._rng.choice((1, 2))):
            body.append(write(f"{extra} frame", extras[extra], **slots))
        return self._put_together(self._opener(who), body, write("closing", traits.closings))

    def _opener(self, who: Who) -> str:
        traits, write = patient_traits(), self._writer.sentence
        if who.work.kind == "pupil":
            return write("pupil", traits.openers_pupil)
        image = self._writer.draw(f"image {who.work.plain}", who.work.images)
        frames = traits.openers_retired if who.work.kind == "retired" else traits.openers
        return write(
            f"opener {who.work.kind}", frames, image=image, a_work=who.work.noun, a_plain=who.work.plain
        )

    def _child(self, who: Who, tic: str) -> str:
        traits, write = child_traits(), self._writer.sentence
        slots = {"adult": who.adult, "tic": tic, "prop": self._writer.draw("toy", traits.prop)}
        small = who.age < _SMALL_UNDER_YEARS
        first = traits.opening_small if small else traits.opening_older
        label, attitude, knowledge = who.archetype.label, who.attitude.label, who.knowledge.label
        body = [
            *(write(f"child {label}", traits.archetypes[label], **slots) for _ in range(2)),
            write(f"child {attitude}", traits.attitudes[attitude], **slots),
            write(f"child {knowledge}", traits.knowledge[knowledge], **slots),
        ]
        extras = {"toy": traits.prop_frames, "child tic": traits.tic_frames}
        for extra in self._rng.sample(list(extras), self._rng.choice((1, 2))):
            body.append(write(f"{extra} frame", extras[extra], **slots))
        self._rng.shuffle(body)
        opening = write(f"child opening {small}", first, **slots)
        return " ".join((opening, *body, write("child closing", traits.closings)))

    def _put_together(self, opener: str, body: list[str], closing: str) -> str:
        """The instruction with its body in any order, the opener early in it, the closing last."""
        self._rng.shuffle(body)
        body.insert(self._rng.choice((0, 0, 1, 2)), opener)
        return " ".join((*body, closing))

    def _years(self, who: Who) -> str:
        """The duration of a working life in words."""
        began = max(_WORKS_FROM_YEARS, who.done_at)
        stopped = who.age - self._rng.randint(1, who.age - 60) if who.work.kind == "retired" else who.age
        most = max(1, min(stopped - began, 45))
        years = self._rng.randint(-(-most // 3), most)
        return "a year" if years == 1 else f"{years} years"


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
    design, words = (rng(f"personas/{seed}", "patient", purpose) for purpose in ("design", "words"))
    ages = [YOUNGEST_YEARS + (OLDEST_YEARS + 1 - YOUNGEST_YEARS) * place // n for place in range(n)]
    design.shuffle(ages)
    # In the design an age is represented by its band, so the age itself is kept beside the rows.
    rows: list[Row] = [{"band": band_of(age)} for age in ages]
    of_age = {id(row): age for row, age in zip(rows, ages, strict=True)}
    done = {each.label: each for each in all_occupations()}
    traits = patient_traits()

    against = {each.label: each.not_with for each in traits.archetypes}

    def may_think(row: Mapping[str, str]) -> list[str]:
        return [each.label for each in traits.attitudes if each.label not in against[row["archetype"]]]

    def may_know(row: Mapping[str, str]) -> list[str]:
        fits = [each.label for each in traits.knowledge if each.health == done[row["work"]].health]
        return [label for label in fits if label not in against[row["archetype"]]]

    assign(rows, "sex", lambda row: ("female", "male"), design)
    assign(rows, "work", lambda row: fitting(of_age[id(row)]), design)
    assign(rows, "education", lambda row: done[row["work"]].educations(of_age[id(row)]), design)
    assign(rows, "archetype", lambda row: [each.label for each in traits.archetypes], design)
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
    traits = patient_traits()
    return Who(
        name=name,
        age=age,
        work=work,
        archetype=next(each for each in traits.archetypes if each.label == row["archetype"]),
        attitude=next(each for each in traits.attitudes if each.label == row["attitude"]),
        knowledge=next(each for each in traits.knowledge if each.label == row["knowledge"]),
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
