"""The Pareto frontier of cost and accuracy: the runs that no other run dominates on the cases all played.

A run is dominated by one that costs no more and is right no less often, and is better in one of the two. How
stable a run's place is comes from a cluster bootstrap over cases (10,000 resamples with a fixed seed;
of groups of cases where there are many: `osler.stats.paired.bootstrap`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

import numpy as np

from osler.stats.dominance import dominance
from osler.stats.intervals import Estimate, Floats, estimate, per_success, ratio_interval
from osler.stats.paired import bootstrap

FEWEST: Final = 3
"""The fewest cases that are worth resampling."""
_TAIL: Final = 2.5


class Place(NamedTuple):
    """A run's place relative to the frontier. All figures are over the cases that all runs played, each case
    counted once.

    `beaten_by` are the indexes of the runs that dominate it, `stays` is the share of resamples in which none
    does. `more` is the incremental cost per additional right answer, in tariff points, over the next cheaper
    run on the frontier; `None` off the frontier, for the cheapest run, and where the resamples do not agree
    that there are more right answers.
    """

    cost: Estimate
    right: Estimate
    per_correct: Estimate
    beaten_by: tuple[int, ...]
    stays: float | None
    more: Estimate | None

    @property
    def on(self) -> bool:
        """Whether the run is on the frontier: no other run dominates it."""
        return not self.beaten_by


def frontier(runs: Sequence[Mapping[str, tuple[float, float]]]) -> tuple[list[Place], int]:
    """Return each run's place and the number of shared cases. A run maps case to (mean cost, share right).

    There are no places if the runs have no case in common.
    """
    common = sorted(set(runs[0]).intersection(*runs[1:])) if runs else []
    if not common:
        return [], 0
    costs = np.array([[run[case][0] for run in runs] for case in common])
    rights = np.array([[run[case][1] for run in runs] for case in common])
    beats = dominance(costs.mean(axis=0), rights.mean(axis=0))
    drawn = None
    if len(common) >= FEWEST:
        drawn = bootstrap(np.hstack([costs, rights])) / len(common)
    stays = _stays(drawn, len(runs)) if drawn is not None else [None] * len(runs)
    on = [place for place in range(len(runs)) if not beats[:, place].any()]
    cheaper = _next_cheaper(on, costs.mean(axis=0))
    ones = np.ones(len(common))
    places = [
        Place(
            cost=ratio_interval(costs[:, run], ones),
            right=ratio_interval(rights[:, run], ones, proportion=True),
            per_correct=per_success(costs[:, run], rights[:, run]),
            beaten_by=tuple(int(other) for other in np.flatnonzero(beats[:, run])),
            stays=stays[run],
            more=_more(costs, rights, drawn, cheaper[run], run) if run in cheaper else None,
        )
        for run in range(len(runs))
    ]
    return places, len(common)


def _stays(drawn: Floats, runs: int) -> list[float | None]:
    beaten = dominance(drawn[:, :runs], drawn[:, runs:]).any(axis=1)
    return [round(float(share), 4) for share in 1 - beaten.mean(axis=0)]


def _next_cheaper(on: Sequence[int], costs: Floats) -> dict[int, int]:
    """Map each run on the frontier to the next cheaper one, if any; runs of equal cost count as one."""
    ordered = sorted(on, key=lambda run: (costs[run], run))
    return {run: before for before, run in pairwise(ordered) if costs[run] > costs[before]}


def _more(costs: Floats, rights: Floats, drawn: Floats | None, before: int, run: int) -> Estimate | None:
    """Return the incremental cost per additional right answer; `None` unless the resamples agree on its
    sign."""
    n, runs = len(costs), costs.shape[1]
    gained = float((rights[:, run] - rights[:, before]).mean())
    paid = float((costs[:, run] - costs[:, before]).mean())
    if gained <= 0 or drawn is None:
        return None
    gains = drawn[:, runs + run] - drawn[:, runs + before]
    if (gains <= 0).mean() > _TAIL / 100:
        return None
    each = (drawn[:, run] - drawn[:, before])[gains > 0] / gains[gains > 0]
    low, high = np.percentile(each, [_TAIL, 100 - _TAIL])
    return estimate(paid / gained, (float(low), float(high)), n)
