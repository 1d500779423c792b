"""The difference between two judged runs, corrected by people's labels of a few episodes, and how many labels
an interval takes.

Second minus first: the judge's mean difference over all pairs, plus the mean over the second's labelled
episodes of people minus judge, less the same of the first's. It is unbiased however wrong the judge is, also
where it favours one of the two, as long as the labelled episodes were drawn at random; a good judge makes it
more precise. Without a fitted slope, because a slope fitted to a few labels costs coverage.

The variance has a part that labels lessen and one that they do not, so that a few labels (a pilot) tell how
many are needed: a two-stage design, in which a judge scores all and people some.
Sources: Cochran 1977, chapter 12 (the difference estimator of double sampling); Angelopoulos and others 2023
(prediction-powered inference); Kim 2026, arXiv 2605.16354 (two-stage design); Wilson and Hilferty 1931 (the
quantile of chi square).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Final, NamedTuple

import numpy as np

from osler.stats.cluster_t import Floats
from osler.stats.distributions import NORMAL, t_quantile
from osler.stats.intervals import Estimate, estimate
from osler.stats.prediction_powered import LEAST_CASES

LEAST_PILOT: Final = 10
"""The fewest labelled cases from which the number needed is estimated."""
ASSURANCE: Final = 0.8
"""The share of pilots after which the planned labels suffice."""


class Side(NamedTuple):
    """One run: the judge's score of each pair's episode, and people's label, NaN where there is none."""

    judged: Floats
    rated: Floats


@dataclass(frozen=True, slots=True)
class LabelPlan:
    """The labels needed for an interval of a wanted width.

    `cases` are to be labelled in all, those already labelled included, and `labels` that many episodes with
    as many labels a case as now; both `None` if labels of every case would not suffice. `now` is the width
    with the present labels, `narrowest` the one to be expected with labels of every case.
    """

    cases: int | None
    labels: int | None
    now: float
    narrowest: float


class _Spread(NamedTuple):
    """The parts of the variance: `fixed` does not depend on labels, `label` falls with their number. `cases`
    of `every` are labelled, on the side with fewer, and `labels` episodes on both."""

    fixed: float
    label: float
    cases: int
    every: int
    labels: int

    def error(self, cases: float, step: float, caution: float = 1.0) -> float:
        """The standard error with labels of this many cases. Added are one more case that is a step better
        in the second run and one that is a step better in the first, as few labels that all fit the judge
        prove little (Bonett and Price 2012)."""
        more = cases + 2
        label = caution * self.label * self.cases * (self.cases / max(self.cases - 1, 1)) * cases / more**2
        return sqrt(max(self.fixed + label, 0.0) + 2 * (step / more) ** 2)

    def width(self, cases: float, step: float, caution: float = 1.0) -> float:
        """The width of the 95 % interval."""
        return 2 * t_quantile(cases - 1) * self.error(cases, step, caution)


def corrected_difference(cases: Sequence[str], first: Side, second: Side, step: float) -> Estimate:
    """Estimate the difference, second minus first, that people would have found, with its 95 % interval,
    clustered by case.

    Scores lie between 0 and 1, those of both judges without a gap; `cases` has each pair's case, `step` is
    the least difference between two labels. `n` counts labelled episodes of both runs, `unscored` the others.
    No value without a label on either side, no interval below 5 labelled cases on either.
    """
    pairs = [~np.isnan(side.rated) for side in (first, second)]
    n = sum(int(one.sum()) for one in pairs)
    rest = 2 * len(cases) - n
    if not all(one.any() for one in pairs):
        return Estimate(None, None, None, n, rest)
    off = [
        float((side.rated - side.judged)[one].mean())
        for side, one in zip((first, second), pairs, strict=True)
    ]
    value = float((second.judged - first.judged).mean()) + off[1] - off[0]
    value = min(max(value, -1.0), 1.0)
    spread = _spread(cases, first, second)
    if spread.cases < LEAST_CASES:
        return estimate(value, None, n, rest)
    reach = spread.width(spread.cases, step) / 2
    return estimate(value, (max(value - reach, -1.0), min(value + reach, 1.0)), n, rest)


def labels_needed(
    cases: Sequence[str], first: Side, second: Side, step: float, width: float
) -> LabelPlan | None:
    """The labels needed for a 95 % interval of this width, as the present ones tell; `None` below ten
    labelled cases on either side.

    The variance seen in a few labels may be too small by chance, so the plan takes its upper limit: in about
    80 % of pilots the interval is then as narrow as wanted.
    """
    spread = _spread(cases, first, second)
    if spread.cases < LEAST_PILOT:
        return None
    caution = _caution(spread.cases - 1)
    now, narrowest = spread.width(spread.cases, step), spread.width(spread.every, step)
    wanted: int | None = None
    if now <= width:
        wanted = spread.cases
    elif spread.width(spread.every, step, caution) <= width:
        few, enough = spread.cases, spread.every
        while enough - few > 1:
            middle = (few + enough) // 2
            if spread.width(middle, step, caution) > width:
                few = middle
            else:
                enough = middle
        wanted = enough
    a_case = spread.labels / spread.cases
    labels = None if wanted is None else round(a_case * wanted)
    return LabelPlan(wanted, labels, round(now, 6), round(narrowest, 6))


def _spread(cases: Sequence[str], first: Side, second: Side) -> _Spread:
    every, where = np.unique(np.array(cases, dtype=object), return_inverse=True)
    gap = second.judged - first.judged
    judge = np.bincount(where, (gap - gap.mean()) / len(gap), len(every))
    label, labelled, labels = np.zeros(len(every)), [], 0
    for sign, side in ((-1, first), (1, second)):
        known = ~np.isnan(side.rated)
        off, at = (side.rated - side.judged)[known], where[known]
        if len(off):
            label += sign * np.bincount(at, (off - off.mean()) / len(off), len(every))
        labelled.append(len(np.unique(at)))
        labels += len(off)
    fewer = min(labelled)
    return _Spread(
        fixed=float((judge**2).sum() + 2 * (judge * label).sum()),
        label=float((label**2).sum()),
        cases=fewer,
        every=len(every),
        labels=labels,
    )


def _caution(freedom: int) -> float:
    """The factor from a variance estimated with so many degrees of freedom to its upper limit."""
    part = 2 / (9 * freedom)
    return 1 / float((1 - part + NORMAL.inv_cdf(1 - ASSURANCE) * sqrt(part)) ** 3)
