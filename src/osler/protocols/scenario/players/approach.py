"""A structured clinical approach: the situations recognized from what is seen, and the first steps of each.

The knowledge is in approach.yaml, whose header explains it and names its sources. Nothing here depends on a
case or a scenario; situations are recognized by words, and an out-of-range vital sign counts as a word.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from importlib import resources
from typing import Any, Final, Self

import yaml
from pydantic import Field, model_validator

from osler.core.events import Frozen
from osler.knowledge.vocabulary import Role, Topic
from osler.text.act_rules import rule, stems
from osler.text.topics import canonical_question

Rules = tuple[str, ...]
ADULT_YEARS: Final = 13
_DENIES: Final = re.compile(r"\b(?:no|not|without|denies|denied|never|nil|none)\b|n't\b", re.IGNORECASE)
_NORMAL: Final = re.compile(r"\b(?:normal|unremarkable)\b", re.IGNORECASE)
_CLAUSE: Final = re.compile(r"[,;:]\s|[.!?](?:\s|$)|\bbut\b|\n")
_YEARS: Final = re.compile(r"\b(\d{1,3})[\s-]*(?:year|yr)s?\b", re.IGNORECASE)
_NUMBERS: Final = {
    word: number
    for number, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
        " sixteen seventeen eighteen nineteen twenty".split()
    )
}
_NUMBER: Final = re.compile(rf"\b({'|'.join(_NUMBERS)})\b", re.IGNORECASE)
_NAMED_AGE: Final = re.compile(
    r",\s*(?:aged?\s*)?(\d{1,2})\s*,|\baged?\s+(\d{1,3})\b|\bis\s+(\d{1,3})(?=\s*(?:[.,;]|and\b))"
)
_MONTHS: Final = re.compile(r"\b(\d{1,2})[\s-]*months?\b", re.IGNORECASE)
_SLOT: Final = re.compile(r"\{(\w+)\}")
PEOPLE: Final[frozenset[str]] = frozenset({"patient", "team", "family"})


class Amount(Frozen):
    """A dose: by age in years, oldest first, or per kg of body weight up to the adult dose."""

    by_age: tuple[tuple[float, str], ...] = ()
    per_kg: float | None = None
    most: float | None = None
    unit: str = ""

    def of(self, age_years: float) -> str:
        """The dose in words."""
        if self.per_kg is None or self.most is None:
            return next(text for years, text in self.by_age if age_years >= years)
        whole = self.most if age_years >= ADULT_YEARS else min(self.most, self.per_kg * weight_kg(age_years))
        return f"{round(whole, 1):g} {self.unit}"


class Sign(Frozen):
    """The word for a vital sign out of range: `below` or `above` a limit that depends on the age."""

    sign: str
    of: str
    below: tuple[tuple[float, float], ...] = ()
    above: tuple[tuple[float, float], ...] = ()

    def shows(self, value: float, age_years: float) -> bool:
        """Whether a value is out of range at this age."""
        limits = self.below or self.above
        limit = next(limit for years, limit in limits if age_years >= years)
        return value < limit if self.below else value > limit


class Step(Frozen):
    """Something to say or to do; the header of approach.yaml documents the fields."""

    say: str = ""
    do: str = ""
    ask: Topic | None = None
    when: Rules = ()
    now: Rules = ()
    unless: Rules = ()
    again: bool = False
    pause: bool = False
    escalates: bool = False
    to: Role | None = None
    alone: bool = False
    ages: tuple[float, float] | None = None

    @model_validator(mode="after")
    def _is_one_thing(self) -> Self:
        if sum(map(bool, (self.say, self.do, self.ask))) != 1:
            raise ValueError("a step says, does or asks one thing")
        return self

    @property
    def words(self) -> str:
        """The step's wording as written, with its {slots} unfilled."""
        return canonical_question(self.ask) if self.ask else self.say or self.do


class Situation(Frozen):
    """A situation the patient may be in, and its steps in order."""

    id: str
    seen: Rules = ()
    unless: tuple[str, ...] = ()
    ages: tuple[float, float] | None = None
    last: bool = False
    steps: tuple[Step, ...]


class Approach(Frozen):
    """The contents of approach.yaml."""

    sources: tuple[dict[str, str | int], ...]
    amounts: dict[str, Amount]
    signs: tuple[Sign, ...]
    situations: tuple[Situation, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _holds_together(self) -> Self:
        ids = {situation.id for situation in self.situations}
        known = self.amounts.keys() | PEOPLE
        for situation in self.situations:
            if strange := set(situation.unless) - ids:
                raise ValueError(f"{situation.id}: there is no situation {', '.join(sorted(strange))}")
            for each in _rules_of(situation):
                rule(each)
            for step in situation.steps:
                if strange := set(_SLOT.findall(step.words)) - known:
                    raise ValueError(f"{situation.id}: {{{min(strange)}}} is neither a dose nor a person")
        return self

    def recognized(self, seen: Sequence[str], age_years: float | None) -> tuple[Situation, ...]:
        """The situations indicated by what was seen (as returned by `read`), most urgent first."""
        result = [
            each
            for each in self.situations
            if of_age(each.ages, age_years) and (not each.seen or any_met(each.seen, seen))
        ]
        ids = {situation.id for situation in result}
        return tuple(each for each in result if not ids.intersection(each.unless))

    def read(self, text: str, age_years: float | None) -> tuple[str, ...]:
        """The stems of what a text affirms: negated parts left out, words for out-of-range signs added."""
        return _read(text, _adult(age_years))

    def worded(self, words: str, age_years: float | None, names: dict[str, str]) -> str:
        """A step's wording with its slots filled: doses for the age, and people's names."""

        def filled(slot: re.Match[str]) -> str:
            amount = self.amounts.get(slot[1])
            return amount.of(_adult(age_years)) if amount else names.get(slot[1], "")

        return _SLOT.sub(filled, words).removeprefix(", ")


@cache
def approach() -> Approach:
    """The packaged approach."""
    text = resources.files("osler.knowledge").joinpath("approach.yaml").read_text(encoding="utf-8")
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    body: Any = yaml.load(text, Loader=loader)  # noqa: S506 - both are the safe loaders
    return Approach.model_validate(body)


def any_met(rules: Rules, seen: Sequence[str]) -> bool:
    """Whether stems meet any of the rules."""
    return any(rule(each).met(seen) for each in rules)


def of_age(ages: tuple[float, float] | None, age_years: float | None) -> bool:
    """Whether an age lies within `ages` (from, below); an unknown age counts as an adult's."""
    return ages is None or ages[0] <= _adult(age_years) < ages[1]


@lru_cache(maxsize=1024)
def age_in(text: str) -> float | None:
    """The first age mentioned in a text, in years: "a three-year-old boy", "8 months old", "Ms Bell, 41,"."""
    text = _NUMBER.sub(lambda word: str(_NUMBERS[word[1].lower()]), text)
    years, months, match = _YEARS.search(text), _MONTHS.search(text), _NAMED_AGE.search(text)
    if months and not (years and years.start() < months.start()):
        return round(int(months[1]) / 12, 2)
    if years:
        return float(years[1])
    return float(next(filter(None, match.groups()))) if match else None


def weight_kg(age_years: float) -> float:
    """A child's weight estimated from the age (Advanced Paediatric Life Support, 7th edition)."""
    if age_years < 1:
        return 0.5 * age_years * 12 + 4
    return 2 * age_years + 8 if age_years < 6 else 3 * age_years + 7


def _adult(age_years: float | None) -> float:
    return 40.0 if age_years is None else age_years


@lru_cache(maxsize=4096)
def _read(text: str, age_years: float) -> tuple[str, ...]:
    told = (
        _DENIES.split(clause)[0] for clause in _CLAUSE.split(text) if clause and not _NORMAL.search(clause)
    )
    return (*stems(" . ".join(told)), *_signs(text, age_years))


def _signs(text: str, age_years: float) -> Iterator[str]:
    for sign, pattern in _patterns():
        result = (float(value) for value in pattern.findall(text))
        if any(sign.shows(value, age_years) for value in result):
            yield stems(sign.sign)[0]


@cache
def _patterns() -> tuple[tuple[Sign, re.Pattern[str]], ...]:
    patterns = []
    for sign in approach().signs:
        names = "|".join(re.escape(way.strip()) for way in sign.of.split("|"))
        patterns.append((sign, re.compile(rf"\b(?:{names})\b[^\d.;]{{0,24}}(\d+(?:\.\d+)?)", re.IGNORECASE)))
    return tuple(patterns)


def _rules_of(situation: Situation) -> Iterator[str]:
    yield from situation.seen
    for step in situation.steps:
        yield from (*step.when, *step.now, *step.unless)
