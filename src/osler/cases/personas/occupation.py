"""Occupations and educations, with the ages at which they are possible."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Final, Literal, NamedTuple

from osler.cases.personas.traits import Standing, Work, occupations
from osler.cases.personas.wording import capital, with_article

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
    found: list[Occupation] = []
    for work in occupations().worked:
        found += [_working(work), _retired(work)]
    found += [_standing(each, "other") for each in occupations().other]
    found += [_standing(each, "pupil") for each in occupations().pupils]
    return tuple(found)


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
