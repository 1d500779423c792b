"""Intraclass correlation of raters: two-way random effects, absolute agreement (McGraw and Wong 1996)."""

from __future__ import annotations

from collections.abc import Sequence
from math import isinf
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from osler.stats.distributions import f_quantile
from osler.stats.intervals import Estimate, estimate

_LEAST_FREEDOM: Final = 1e-3
"""Below this many degrees of freedom, the coefficient is so far under 0 that its interval is meaningless."""


class Icc(NamedTuple):
    """ICC(2,1), of one rater's scores, and ICC(2,k), of the mean over all k raters."""

    single: Estimate
    average: Estimate


def icc(ratings: Sequence[Sequence[float | None]]) -> Icc:
    """Both coefficients of targets (rows) scored by the same raters (columns), with 95 % intervals.

    A target that a rater left out counts as unscored. Values and intervals are cut at -1: the formulas have
    no lower bound, but less than 0 only ever means no agreement. No value with fewer than two targets or if
    all scores are equal. Raises `ValueError` with fewer than two raters or rows of different lengths.
    """
    if not ratings:
        return Icc(Estimate(None, None, None, 0), Estimate(None, None, None, 0))
    raters = len(ratings[0])
    if raters < 2 or any(len(row) != raters for row in ratings):
        raise ValueError("each target needs one place for each of two raters or more")
    whole = np.array([row for row in ratings if None not in row], dtype=np.float64).reshape(-1, raters)
    n, k = whole.shape
    unscored = len(ratings) - n
    nothing = Estimate(None, None, None, n, unscored)
    if n < 2 or np.ptp(whole) == 0:
        return Icc(nothing, nothing)
    mean, rows, columns = whole.mean(), whole.mean(axis=1), whole.mean(axis=0)
    rest = whole - rows[:, None] - columns[None, :] + mean
    ms_rows = _clean(k * ((rows - mean) ** 2).sum() / (n - 1), whole)
    ms_columns = _clean(n * ((columns - mean) ** 2).sum() / (k - 1), whole)
    ms_error = _clean((rest**2).sum() / ((n - 1) * (k - 1)), whole)
    spread = ms_rows + (k - 1) * ms_error + k / n * (ms_columns - ms_error)
    if spread <= 0:
        return Icc(nothing, nothing)
    single = (ms_rows - ms_error) / spread
    reach = _single_reach(ms_rows, ms_columns, ms_error, n, k, single)
    average = _of_mean(single, k)
    ends = [_of_mean(end, k) for end in reach or ()]
    stepped = (ends[0], ends[1]) if ends and ends[0] is not None and ends[1] is not None else None
    return Icc(
        estimate(single, reach, n, unscored).within(-1.0, 1.0),
        nothing if average is None else estimate(average, stepped, n, unscored).within(-1.0, 1.0),
    )


def _of_mean(single: float, raters: int) -> float | None:
    """The Spearman-Brown formula for the mean of all raters; `None` if agreement is too far below chance."""
    share = 1 + (raters - 1) * single
    return raters * single / share if share > 0 else None


def _clean(mean_square: float, whole: NDArray[np.float64]) -> float:
    """A mean square, with rounding error set to 0."""
    return float(mean_square) if mean_square > 1e-12 * (whole**2).max() else 0.0


def _single_reach(
    ms_rows: float, ms_columns: float, ms_error: float, n: int, k: int, single: float
) -> tuple[float, float] | None:
    """The interval of McGraw and Wong's table 7, case 2A; `None` if raters or targets do not differ."""
    if ms_error == 0 and (ms_columns == 0 or ms_rows == 0):
        return None
    a = k * single / (n * (1 - single))
    b = 1 + k * single * (n - 1) / (n * (1 - single))
    spread = (a * ms_columns) ** 2 / (k - 1) + (b * ms_error) ** 2 / ((n - 1) * (k - 1))
    if spread == 0:  # agreement as far below chance as can be
        return None
    freedom = (a * ms_columns + b * ms_error) ** 2 / spread
    if freedom < _LEAST_FREEDOM:
        return None
    lower, upper = f_quantile(0.975, n - 1, freedom), f_quantile(0.975, freedom, n - 1)
    if isinf(lower) or isinf(upper):
        return None
    noise = k * ms_columns + (k * n - k - n) * ms_error
    low = n * (ms_rows - lower * ms_error) / (lower * noise + n * ms_rows)
    high = n * (upper * ms_rows - ms_error) / (noise + n * upper * ms_rows)
    return low, high
