"""Who comes and what is found: drawn from the knowledge, then made consistent."""

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
"""How often what a disease does not bring is there all the same, as a share of what the knowledge allows for:
its leak keeps a doctor from being sure, and taken at its word would give everybody ten unrelated findings."""
_SEXES: Final[tuple[Sex, Sex]] = ("female", "male")


class Drawn(NamedTuple):
    """A person, the disease, and for each finding whether it is there; `complaint` brings the person."""

    age_years: float
    sex: Sex
    condition: Condition
    row: int
    present: frozenset[str]
    complaint: Finding


def draw(known: Knowledge, luck: Random) -> Drawn:
    """A person of any age up to 90 and either sex; a disease by its weight at that age and sex; findings each
    by its probability in that disease, as far as they can go together."""
    sex = luck.choice(_SEXES)
    age = _age(luck)
    row = luck.choices(range(len(known.conditions)), _weights(known, age, sex))[0]
    chance = _chances(known)[row]
    rolled = {name for name, p in chance.items() if luck.random() < p}
    rolled |= {other for name in rolled for other in _implied(finding(name))}
    complaint = _complaint(_consistent(rolled, chance, age, sex), chance, age, sex, luck)
    # The complaint first: what cannot go with it is left out.
    present = _consistent(rolled | {complaint.id}, {**chance, complaint.id: 1.0}, age, sex)
    return Drawn(age, sex, known.conditions[row], row, frozenset(present), complaint)


def _weights(known: Knowledge, age: float, sex: Sex) -> list[float]:
    """How common each disease is at this age and sex; none whose leading complaint nobody like this has."""
    can = np.array([wording(name).can_occur(age, sex) for name in _leading(known)])
    weights: list[float] = np.where(can, np.exp(known.prior(age, sex)), 0.0).tolist()
    return weights


@lru_cache(maxsize=4)
def _leading(known: Knowledge) -> tuple[str, ...]:
    """For each disease, the complaint it brings most often."""
    names = [name for name, _ in _complaints()]
    columns = [known.column[name] for name in names]
    return tuple(names[int(best)] for best in known.present[:, columns].argmax(axis=1))


@lru_cache(maxsize=4)
def _chances(known: Knowledge) -> tuple[dict[str, float], ...]:
    """For each disease, how often each finding is there."""
    unlisted = known.present <= np.median(known.present, axis=0)
    onset = np.array([item.id in ONSETS for item in known.findings])
    share = np.where(unlisted & (known.present <= _SELDOM), _INCIDENTAL, 1.0)
    # What began neither within hours nor weeks ago began days ago.
    chances: Vector = known.present * np.where(unlisted & onset, 0.0, share)
    return tuple(dict(zip(known.column, line, strict=True)) for line in chances.tolist())


def _age(luck: Random) -> float:
    """Whole years, and whole months, one at least, below two."""
    years = luck.uniform(0, OLDEST_YEARS)
    return max(1, round(years * 12)) / 12 if years < 2 else float(int(years))


def _implied(item: Finding) -> set[str]:
    return {name for other in item.implies for name in (other, *_implied(finding(other)))}


@lru_cache(maxsize=1)
def _complaints() -> tuple[tuple[str, Wording], ...]:
    """What people come with, by id."""
    words = {item.id: wording(item.id) for item in findings()}
    return tuple((name, words[name]) for name in sorted(words) if words[name].complaint)


def _consistent(rolled: set[str], chance: dict[str, float], age: float, sex: Sex) -> set[str]:
    """What was rolled without what cannot be: the likelier of two that exclude each other stays."""
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


def _complaint(present: set[str], chance: dict[str, float], age: float, sex: Sex, luck: Random) -> Finding:
    """What the person comes with: a symptom that is there, the likelier in the disease the more often."""
    can = [name for name, words in _complaints() if words.can_occur(age, sex)]
    there = [name for name in can if name in present]
    if not there:
        return finding(max(can, key=lambda name: (chance[name], name)))
    return finding(luck.choices(there, [chance[name] ** 2 for name in there])[0])
