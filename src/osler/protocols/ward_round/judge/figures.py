"""Figures over many ward rounds, each with a 95 % interval clustered by case and the number unscored.

    gain        (mean after - mean before) / (1 - mean before), of means over sessions, corrected for guessing
    leak rate   share of sessions in which guidance named the answer before any student did

With built-in students these are *simulated gain*: they check the instrument and say nothing about teaching.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from osler.protocols.ward_round.judge.outcomes import Outcomes, Part
from osler.stats.intervals import Estimate, mean_interval, ratio_interval


class TeachingFigures(NamedTuple):
    """The figures of a set of ward rounds.

    `learning_gain` is over unseen sibling questions; `step_gain` over the steps' key questions, by words;
    `answer_gain` over the case's own question, without sessions whose guidance named the answer.
    """

    learning_gain: Estimate
    step_gain: Estimate
    answer_gain: Estimate
    leak_rate: Estimate
    participation: Estimate
    uptake: Estimate
    steps_per_round: Estimate
    rejected: dict[str, int]
    """Drafts rejected, by "reviewer: kind of fault"."""
    unguided_rounds: int


def figures(outcomes: Sequence[Outcomes]) -> TeachingFigures:
    """All figures of a set of rounds."""
    rejected = sum((one.rejected for one in outcomes if one.scored), Counter[tuple[str, str]]())
    return TeachingFigures(
        learning_gain=gain(outcomes, "siblings"),
        step_gain=gain(outcomes, "steps"),
        answer_gain=gain([each._replace(scored=each.scored and not each.named) for each in outcomes], "case"),
        leak_rate=_mean(outcomes, lambda each: float(each.leak is not None), proportion=True),
        participation=_mean(outcomes, lambda each: each.participation, bounded=True),
        uptake=_mean(outcomes, lambda each: each.uptake, bounded=True),
        steps_per_round=_mean(
            outcomes, lambda each: sum(each.new_steps) / each.rounds if each.rounds else None
        ),
        rejected={f"{by}: {issue}": times for (by, issue), times in sorted(rejected.items())},
        unguided_rounds=sum(one.unguided for one in outcomes if one.scored),
    )


def gain(outcomes: Iterable[Outcomes], part: Part) -> Estimate:
    """The normalized gain on one part of the exam; no value if everything was known before."""
    sums: dict[str, float] = defaultdict(float)
    room: dict[str, float] = defaultdict(float)
    scored = unscored = 0
    for one in outcomes:
        before, after = one.before[part], one.after[part]
        if not one.scored or before is None or after is None:
            unscored += 1
            continue
        scored += 1
        sums[one.case] += after - before
        room[one.case] += 1 - before
    cases = sorted(sums)
    found = ratio_interval(
        np.array([sums[case] for case in cases]), np.array([room[case] for case in cases]), unscored
    )
    return replace(found, n=scored)


def _mean(
    outcomes: Iterable[Outcomes],
    value: Callable[[Outcomes], float | None],
    *,
    proportion: bool = False,
    bounded: bool = False,
) -> Estimate:
    """The mean of a value over sessions; a `bounded` one lies between 0 and 1."""
    values: dict[str, list[float]] = defaultdict(list)
    unscored = 0
    for one in outcomes:
        found = value(one) if one.scored else None
        if found is None:
            unscored += 1
        else:
            values[one.case].append(found)
    estimate = mean_interval(values, unscored, proportion)
    return estimate.within(0.0, 1.0) if bounded else estimate
