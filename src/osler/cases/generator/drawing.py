"""Who comes and what is found: drawn from the knowledge, then made consistent."""

from __future__ import annotations

from random import Random
from typing import Final, NamedTuple

import numpy as np

from osler.cases.generator.wording import wording
from osler.cases.model import Sex
from osler.knowledge.conditions import Condition, Knowledge
from osler.knowledge.findings import Finding, finding

OLDEST_YEARS: Final = 90
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
    weights = np.exp(known.prior(age, sex))
    row = luck.choices(range(len(known.conditions)), weights.tolist())[0]
    chances = known.present[row]
    rolled = {item.id for item, p in zip(known.findings, chances, strict=True) if luck.random() < p}
    rolled |= {other for name in rolled for other in _implied(finding(name))}
    chance = {item.id: float(p) for item, p in zip(known.findings, chances, strict=True)}
    present = _consistent(rolled, chance, age, sex)
    complaint = _complaint(present, chance, age, sex, luck)
    present |= {complaint.id, *_implied(complaint)}
    return Drawn(age, sex, known.conditions[row], row, frozenset(present), complaint)


def _age(luck: Random) -> float:
    """Whole years, and whole months below two."""
    years = luck.uniform(0, OLDEST_YEARS)
    return round(years * 12) / 12 if years < 2 else float(int(years))


def _implied(item: Finding) -> set[str]:
    return {name for other in item.implies for name in (other, *_implied(finding(other)))}


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
    can = [name for name in sorted(chance) if wording(name).complaint and wording(name).can_occur(age, sex)]
    there = [name for name in can if name in present]
    if not there:
        return finding(max(can, key=lambda name: (chance[name], name)))
    return finding(luck.choices(there, [chance[name] ** 2 for name in there])[0])
