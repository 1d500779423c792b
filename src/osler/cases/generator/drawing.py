"""Sampling a patient: the person, the disease and the findings, drawn from the knowledge, made consistent."""

from __future__ import annotations

from functools import lru_cache
from random import Random
from typing import Final, NamedTuple

import numpy as np

from osler.cases.generator.wording import Wording, wording
from osler.cases.model import Sex
from osler.knowledge.conditions import Condition, Knowledge, Vector
from osler.knowledge.findings import Finding, finding, findings

OLDEST_YEARS: Final = 90
ONSETS: Final = ("onset_minutes_hours", "onset_weeks_months")
_SELDOM: Final = 0.05
_INCIDENTAL: Final = 0.2
"""The share of the knowledge's leak probability at which a finding occurs unrelated to the disease.

The leak keeps a doctor from being sure; taken at face value it would give everyone ten unrelated findings.
"""
_SEXES: Final[tuple[Sex, Sex]] = ("female", "male")


class Drawn(NamedTuple):
    """A sampled person, the disease, and for each finding whether it is present.

    `complaint` is the one that brings the person.
    """

    age_years: float
    sex: Sex
    condition: Condition
    row: int
    present: frozenset[str]
    complaint: Finding


def draw(known: Knowledge, rng: Random) -> Drawn:
    """Sample a patient.

    The person is of any age up to 90 and either sex; the disease is drawn by its weight at that age and sex,
    and each finding by its probability in that disease, as far as findings can go together.
    """
    sex = rng.choice(_SEXES)
    age = _age(rng)
    row = rng.choices(range(len(known.conditions)), _weights(known, age, sex))[0]
    chance = _chances(known)[row]
    rolled = {name for name, p in chance.items() if rng.random() < p}
    rolled |= {other for name in rolled for other in _implied(finding(name))}
    complaint = _complaint(_consistent(rolled, chance, age, sex), chance, age, sex, rng)
    # The complaint comes first: whatever is incompatible with it is left out.
    present = _consistent(rolled | {complaint.id}, {**chance, complaint.id: 1.0}, age, sex)
    return Drawn(age, sex, known.conditions[row], row, frozenset(present), complaint)


def _weights(known: Knowledge, age: float, sex: Sex) -> list[float]:
    """The weight of each disease at this age and sex; zero where its leading complaint is impossible."""
    can = np.array([wording(name).can_occur(age, sex) for name in _leading(known)])
    weights: list[float] = np.where(can, np.exp(known.prior(age, sex)), 0.0).tolist()
    return weights


@lru_cache(maxsize=4)
def _leading(known: Knowledge) -> tuple[str, ...]:
    """The complaint that each disease most often brings."""
    names = [name for name, _ in _complaints()]
    columns = [known.column[name] for name in names]
    return tuple(names[int(best)] for best in known.present[:, columns].argmax(axis=1))


@lru_cache(maxsize=4)
def _chances(known: Knowledge) -> tuple[dict[str, float], ...]:
    """The probability of each finding, for each disease."""
    unlisted = known.present <= np.median(known.present, axis=0)
    onset = np.array([item.id in ONSETS for item in known.findings])
    share = np.where(unlisted & (known.present <= _SELDOM), _INCIDENTAL, 1.0)
    # An illness that began neither within hours nor weeks ago began days ago.
    chances: Vector = known.present * np.where(unlisted & onset, 0.0, share)
    return tuple(dict(zip(known.column, line, strict=True)) for line in chances.tolist())


def _age(rng: Random) -> float:
    """An age in whole years, or below two years in whole months, at least one."""
    years = rng.uniform(0, OLDEST_YEARS)
    return max(1, round(years * 12)) / 12 if years < 2 else float(int(years))


def _implied(item: Finding) -> set[str]:
    return {name for other in item.implies for name in (other, *_implied(finding(other)))}


@lru_cache(maxsize=1)
def _complaints() -> tuple[tuple[str, Wording], ...]:
    """The presenting complaints, by id."""
    words = {item.id: wording(item.id) for item in findings()}
    return tuple((name, words[name]) for name in sorted(words) if words[name].complaint)


def _consistent(rolled: set[str], chance: dict[str, float], age: float, sex: Sex) -> set[str]:
    """The sampled findings made consistent: of two that exclude each other, the likelier stays."""
    kept: set[str] = set()
    slots: set[str] = set()
    shut: set[str] = set()
    for name in sorted(rolled, key=lambda name: (-chance[name], name)):
        words = wording(name)
        whole = {name, *_implied(finding(name))}
        if not words.can_occur(age, sex) or whole & shut or words.slot in slots:
            continue
        if any(not wording(other).can_occur(age, sex) for other in whole):
            continue
        kept |= whole
        for other in whole:
            shut |= set(wording(other).excludes)
            if slot := wording(other).slot:
                slots.add(slot)
    return kept


def _complaint(present: set[str], chance: dict[str, float], age: float, sex: Sex, rng: Random) -> Finding:
    """The presenting complaint: a symptom that is present, weighted by its probability in the disease."""
    can = [name for name, words in _complaints() if words.can_occur(age, sex)]
    there = [name for name in can if name in present]
    if not there:
        return finding(max(can, key=lambda name: (chance[name], name)))
    return finding(rng.choices(there, [chance[name] ** 2 for name in there])[0])
