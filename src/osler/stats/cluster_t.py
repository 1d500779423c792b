"""Pivots: estimates with cluster-robust standard errors, from which interval, p value and equivalence follow.

They share one source so that they agree: p is below 0.05 exactly if the 95 % interval excludes 0.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from osler.stats.distributions import t_quantile, t_two_sided

Floats = NDArray[np.float64]

FEWEST: Final = 5
"""The fewest clusters for the interval of a mean: with fewer, Student's t has less than four degrees of
freedom, and the interval is mostly wider than the scale (`benchmarks/coverage.py` begins at a dozen)."""


class Pivot(NamedTuple):
    """`centre` with its standard `error`; (centre - truth) / error follows Student's t with `freedom`.

    `bend` corrects for skewness by Hall's cubic transformation; 0 leaves Student's t as it is.
    """

    centre: float
    error: float
    freedom: float
    bend: float = 0.0

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """The two-sided interval of this level."""
        reach = t_quantile(self.freedom, (1 + level) / 2)
        low, high = self._unbent(reach), self._unbent(-reach)
        return self.centre - self.error * low, self.centre - self.error * high

    def p(self, truth: float = 0.0) -> float:
        """The two-sided p value: the probability of an estimate at least as far from `truth`."""
        t = (self.centre - truth) / self.error
        return t_two_sided(t + self.bend * t**2 + self.bend**2 * t**3 / 3 + self.bend / 2, self.freedom)

    def _unbent(self, t: float) -> float:
        if abs(self.bend) < 1e-9:
            return t
        return float((np.cbrt(1 + 3 * self.bend * (t - self.bend / 2)) - 1) / self.bend)


def residuals(sums: Floats, counts: Floats) -> Floats:
    """Each cluster's residual of the ratio sum(sums) / sum(counts): its sum minus the expected sum."""
    result: Floats = sums - sums.sum() / counts.sum() * counts
    result[np.abs(result) < 1e-9 * np.abs(sums).max(initial=0.0)] = 0.0
    return result


def robust_error(left: Floats, weight: float) -> float:
    """The cluster-robust standard error from residuals (Cameron and Miller 2015); 0 without variation."""
    size = len(left)
    return float(np.sqrt((left**2).sum() * size / (size - 1)) / weight) if size > 1 else 0.0


def satterthwaite(left: Floats) -> float:
    """The degrees of freedom of the robust error (Satterthwaite 1946): few if few clusters dominate it."""
    size, squares = len(left), left**2
    total = float(squares.sum())
    spread = float(((squares - total / size) ** 2).sum()) * size / (size - 1)
    return min(max(2 * total**2 / spread, 1.0), size - 1.0) if spread > 0 else size - 1.0


def mean_pivot(sums: Floats, counts: Floats) -> Pivot | None:
    """The pivot of sum(sums) / sum(counts) over clusters; `None` below `FEWEST` clusters, and without
    variation."""
    weight = float(counts.sum())
    error = robust_error(residuals(sums, counts), weight)
    enough = error > 0 and len(sums) >= FEWEST
    return Pivot(float(sums.sum()) / weight, error, len(sums) - 1) if enough else None


def skewed_mean_pivot(sums: Floats, counts: Floats) -> Pivot | None:
    """`mean_pivot` for figures with a long tail, such as costs.

    Hall 1992, on the removal of skewness by transformation, applied to the clusters' residuals. A difference
    of two such figures has two tails, and `mean_pivot` suits it better.
    """
    result = mean_pivot(sums, counts)
    if result is None:
        return None
    left = residuals(sums, counts)
    skew = float((left**3).mean() / (left**2).mean() ** 1.5)
    return result._replace(freedom=satterthwaite(left), bend=skew / (3 * len(sums) ** 0.5))


def right_wrong_pivot(sums: Floats, squares: Floats, counts: Floats) -> Pivot | None:
    """The mean difference of pairs whose answers are right or wrong; `None` with fewer than 2 clusters.

    `sums`, `squares`: each cluster's sum of differences and of their squares, `counts` its pairs. One pair in
    favour of either side is added (Bonett and Price 2012), because a few pairs that all agree do not prove
    that all pairs agree; with repeats, it is added to the effective number of independent pairs.
    """
    size, pairs = len(sums), float(counts.sum())
    if size < 2:
        return None
    value = float(sums.sum()) / pairs
    alone = float(squares.sum()) / pairs - value**2
    robust = float((residuals(sums, counts) ** 2).sum()) / pairs
    most = float((counts**2).sum()) / pairs
    inflated = min(max(robust / alone, 1.0), most) if alone > 1e-12 else most
    effective = pairs / inflated
    spread = max(robust / inflated, alone)
    centre = value * effective / (effective + 2)
    mean_square = ((spread + value**2) * effective + 2) / (effective + 2)
    return Pivot(centre, float(np.sqrt((mean_square - centre**2) / (effective + 2))), size - 1)
