"""Sampling a patient: the person, the disease and the findings, drawn from the knowledge, made coherent."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from random import Random
from typing import Final, NamedTuple

import numpy as np

from osler.cases.generator.wording import Wording, wording
from osler.cases.model import Sex
from osler.knowledge.coherence import LONG, SOON, Coherent, Onset, anyone, coherent, entailed, implied
from osler.knowledge.conditions import Condition, Knowledge, factor_of_age
from osler.knowledge.findings import Finding, finding, findings

OLDEST_YEARS: Final = 90
ONSETS: Final = (SOON, LONG)
USUAL: Final = 0.2
"""A disease whose weight at an age is less than this share of its highest is not drawn at that age."""
_USUAL_SEX: Final = 0.1
ATYPICAL: Final = 0.5
"""The share of patients who present atypically: with less of what is usual, and more by the way."""
_LESS, _MORE = 0.3, 2.5
"""The factors, in such a patient, on the findings that can be told and on those by the way."""
_INCIDENTAL: Final = 0.6
"""The share of the leak probability at which a person has by the way what anyone may have."""
_AT_LEAST: Final = 0.5
"""The share of the typical complaints that a patient has at the least."""
_REASON_FROM: Final = 0.3
"""A complaint that fewer of the disease's patients have is not what brings them."""
_BY_THE_WAY: Final = 0.1
"""The factor on the weight of a complaint that anyone may have as the reason for coming."""
_COMES_WITH: Final = 1e-9
"""The probability of what is only ever implied by another finding of the disease: never by itself."""
_SEXES: Final[tuple[Sex, Sex]] = ("female", "male")


class SampledPerson(NamedTuple):
    """A sampled person, the disease, and for each finding whether it is present.

    `complaint` is the one that brings the person, and `began` how long before.
    """

    age_years: float
    sex: Sex
    condition: Condition
    row: int
    present: frozenset[str]
    complaint: Finding
    began: Onset


def draw(knowledge: Knowledge, rng: Random) -> SampledPerson:
    """Sample a patient.

    The person is of any age up to 90 and either sex; the disease is drawn by its weight at that age and sex,
    and each finding that a patient of it may have by its probability. What the disease is not seen without,
    and at least half of what is typical of it, is there whatever was sampled.
    """
    sex = rng.choice(_SEXES)
    age = _age(rng)
    row = rng.choices(range(len(knowledge.conditions)), _weights(knowledge, age, sex))[0]
    goes = coherent(knowledge.conditions[row].id)
    began, onset = _began(knowledge, row, goes, rng)
    chance = _chances(knowledge, row, goes, age, sex)
    atypical = rng.random() < ATYPICAL
    share = {name: _share(name, goes) if atypical else 1.0 for name in chance}
    rolled = {name for name, p in chance.items() if rng.random() < p * share[name]} | onset
    sure = _sure(rolled, chance, goes, rng) | onset
    present = _consistent(rolled | sure, sure, chance, age, sex)
    complaint = _complaint(knowledge, row, present, chance, rng, atypical=atypical)
    # The complaint comes first: whatever is incompatible with it is left out.
    sure |= {complaint.id}
    present = _consistent(rolled | sure, sure, chance, age, sex)
    return SampledPerson(age, sex, knowledge.conditions[row], row, frozenset(present), complaint, began)


def _share(name: str, goes: Coherent) -> float:
    """The factor on the probability of a finding in a patient who presents atypically."""
    return (_LESS if finding(name).ask else 1.0) if name in goes.own else _MORE


def _weights(knowledge: Knowledge, age: float, sex: Sex) -> list[float]:
    """The weight of each disease at this age and sex; zero where it is unusual or has no complaint."""
    can = np.array([wording(name).can_occur(age, sex) for name in _leading(knowledge)])
    usual = [
        factor_of_age(item, age) >= USUAL
        and item.sex.get(sex, 1.0) >= _USUAL_SEX * max(item.sex.values(), default=1)
        for item in knowledge.conditions
    ]
    weights: list[float] = np.where(can & np.array(usual), np.exp(knowledge.prior(age, sex)), 0.0).tolist()
    return weights


@lru_cache(maxsize=4)
def _leading(known: Knowledge) -> tuple[str, ...]:
    """The complaint that each disease most often brings."""
    names = [name for name, _ in _complaints()]
    columns = [known.column[name] for name in names]
    return tuple(names[int(best)] for best in known.present[:, columns].argmax(axis=1))


def _chances(knowledge: Knowledge, row: int, goes: Coherent, age: float, sex: Sex) -> dict[str, float]:
    """The probability of each finding that this person may have, in the order of the findings."""
    others = anyone(age)
    listed = knowledge.conditions[row].findings
    # "Abdominal pain" is not drawn beside "pain under the right ribs": it comes with it.
    with_another = {name for other in listed for name in implied(other)} - listed.keys()
    chance = {}
    for item, p in zip(knowledge.findings, knowledge.present[row].tolist(), strict=True):
        may = item.id in goes.own or (item.id in goes.may and item.id in others)
        if may and item.id not in ONSETS and _can(item.id, age, sex):
            chance[item.id] = p if item.id in goes.own else _INCIDENTAL * p
            if item.id in with_another:
                chance[item.id] = _COMES_WITH
    return chance


def _can(name: str, age: float, sex: Sex) -> bool:
    return all(wording(one).can_occur(age, sex) for one in (name, *implied(name)))


def _began(knowledge: Knowledge, row: int, goes: Coherent, rng: Random) -> tuple[Onset, set[str]]:
    """Draw how long ago it began, and the finding that says so (none for days)."""
    soon, long = (float(knowledge.present[row, knowledge.column[name]]) for name in ONSETS)
    lasting = [when for when in goes.when if when in ("weeks", "months", "years")]
    weight = {"hours": soon, "days": max(1 - soon - long, 0.1)} | dict.fromkeys(
        lasting, long / max(len(lasting), 1)
    )
    began = rng.choices(goes.when, [weight[when] for when in goes.when])[0]
    return began, {SOON} if began == "hours" else {LONG} if began in lasting else set()


def _sure(rolled: set[str], chance: dict[str, float], goes: Coherent, rng: Random) -> set[str]:
    """Return the findings present whatever was sampled: one of each group needed, and enough typical ones."""
    sure = set[str]()
    for group in goes.needs:
        can = [name for name in sorted(group) if name in chance]
        if can and not (there := [name for name in can if name in rolled]):
            sure.add(rng.choices(can, [chance[name] for name in can])[0])
        elif can:
            sure.add(max(there, key=lambda name: (chance[name], name)))
    typical = sorted(
        (name for name in goes.typical if name in chance), key=lambda name: (-chance[name], name)
    )
    has = {name for name in typical if name in rolled | sure | _with(rolled | sure)}
    lacking = [name for name in typical if name not in has]
    has |= set(lacking[: max(0, int(np.ceil(_AT_LEAST * len(typical))) - len(has))])
    return sure | {name for name in typical if name in has}


def _with(names: Iterable[str]) -> set[str]:
    return {other for name in names for other in implied(name)}


def _age(rng: Random) -> float:
    """An age in whole years, or below two years in whole months, at least one."""
    years = rng.uniform(0, OLDEST_YEARS)
    return max(1, round(years * 12)) / 12 if years < 2 else float(int(years))


@lru_cache(maxsize=1)
def _complaints() -> tuple[tuple[str, Wording], ...]:
    """The presenting complaints, by id."""
    words = {item.id: wording(item.id) for item in findings()}
    return tuple((name, words[name]) for name in sorted(words) if words[name].complaint)


def _consistent(rolled: set[str], sure: set[str], chance: dict[str, float], age: float, sex: Sex) -> set[str]:
    """The sampled findings made consistent: of two that exclude each other, the sure or likelier stays.

    With each comes what cannot be denied beside it, as far as this patient may have it.
    """
    kept: set[str] = set()
    slots: set[str] = set()
    shut: set[str] = set()
    for name in sorted(rolled, key=lambda name: (name not in sure, -chance.get(name, 1), name)):
        words = wording(name)
        whole = {name, *implied(name)} | {other for other in entailed(name) if other in chance}
        taken = {slot for other in whole - kept if (slot := wording(other).slot)} & slots
        if not words.can_occur(age, sex) or whole & shut or taken:
            continue
        if any(not wording(other).can_occur(age, sex) for other in whole):
            continue
        kept |= whole
        for other in whole:
            shut |= set(wording(other).excludes)
            if slot := wording(other).slot:
                slots.add(slot)
    return kept


def _complaint(
    knowledge: Knowledge,
    row: int,
    present: set[str],
    chance: dict[str, float],
    rng: Random,
    *,
    atypical: bool,
) -> Finding:
    """The presenting complaint: one that is present, weighted by its probability and by what it tells.

    What anyone may have is seldom the reason for coming, save in a patient who presents atypically. Where
    nothing that the disease usually brings is there, it is the likeliest complaint.
    """
    can = [name for name, _ in _complaints() if name in chance]
    by_the_way = anyone(None)
    there = [name for name in can if name in present and chance[name] >= _REASON_FROM]
    if not there:
        own = coherent(knowledge.conditions[row].id).own
        return finding(max(can, key=lambda name: (name in own, name in present, chance[name], name)))
    usual = knowledge.present.mean(axis=0)
    power = 1.0 if atypical else 2.5
    weights = [
        chance[name] ** power
        / usual[knowledge.column[name]] ** (0.0 if atypical else 0.5)
        * (_BY_THE_WAY if name in by_the_way and not atypical else 1)
        for name in there
    ]
    return finding(rng.choices(there, weights)[0])
