"""The answers of people who sat with a tutor: means with intervals, clustered by person and by case."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import NamedTuple

import numpy as np

from osler.stats.intervals import Estimate, estimate
from osler.stats.two_way_mean import pivot_of, two_way


class Answer(NamedTuple):
    """One person's answers after one round. `period` counts the person's rounds from 1; a mark is `None`
    where it was not given."""

    person: str
    case: str
    tutor: str
    period: int
    marks: Mapping[str, float | None]


class Mean(NamedTuple):
    """The mean of one item over some answers, and how many people and cases it rests on."""

    of: Hashable
    item: str
    found: Estimate
    people: int
    cases: int


def means(
    answers: Iterable[Answer], items: Mapping[str, tuple[float, float]], by: Callable[[Answer], Hashable]
) -> list[Mean]:
    """The mean of each item in each part of the answers, parts in the order of their first answer. `items`
    gives the least and the greatest mark."""
    parts: dict[Hashable, list[Answer]] = {}
    for answer in answers:
        parts.setdefault(by(answer), []).append(answer)
    return [_mean(part, item, reach, found) for part, found in parts.items() for item, reach in items.items()]


def _mean(part: Hashable, item: str, reach: tuple[float, float], answers: list[Answer]) -> Mean:
    given = [one for one in answers if one.marks.get(item) is not None]
    unanswered = len(answers) - len(given)
    if not given:
        return Mean(part, item, Estimate(None, None, None, 0, unanswered), 0, 0)
    values = np.array([one.marks[item] for one in given], float)
    people, cases = [one.person for one in given], [one.case for one in given]
    value = float(values.mean())
    pivot = pivot_of(value, two_way(values, people, cases))
    result = estimate(value, pivot.interval() if pivot else None, len(given), unanswered)
    return Mean(part, item, result.within(*reach), len(set(people)), len(set(cases)))
