"""Paired comparison of two runs in the same worlds: the difference, second minus first, clustered by case.

    right or wrong                     Bonett and Price's interval, cluster-robust, quantile of t
    any other score                    cluster-robust t interval
    a ratio of sums, such as a gain    cluster-robust t interval of its linearization: each case adds
                                       part - ratio x whole on either side, over that side's whole (Taylor;
                                       Cameron and Miller 2015)
    cost per success, a ratio          up to `MOST_RESAMPLED` cases a paired bootstrap over cases, 10,000
                                       resamples, fixed seed, percentiles expanded for few cases
                                       (Hesterberg 2015); above, without resampling, from both sides' own
                                       intervals on the logarithm (`osler.stats.log_pair`)

`Difference.method` names what was used, with its version: other digits for the same data are another version.

Equivalence is two one-sided tests at 5 % (Schuirmann 1987): the 90 % interval lies within the margin.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import compress
from typing import Any, Final, Literal, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from osler.stats.cluster_t import (
    FEWEST,
    Floats,
    Pivot,
    mean_pivot,
    residuals,
    right_wrong_pivot,
    robust_error,
)
from osler.stats.distributions import NORMAL, t_quantile, t_two_sided
from osler.stats.intervals import too_few_scored
from osler.stats.log_pair import log_pair

Method = Literal["", "right or wrong 1", "mean 1", "ratio 1", "resampled cases 1", "both logarithms 1"]
"""How an interval was computed; "" where there is none."""
UNRESAMPLED: Final = "both logarithms 1"
"""The method for the cost per success of many cases."""
MOST_RESAMPLED: Final = 2_000
"""The most cases that are resampled one by one."""
RESAMPLES: Final = 10_000
_SEED: Final = 1849
_CHUNK_CELLS: Final = 2_000_000
_INNER: Final = 0.90
_NO_SPREAD: Final = 1e-12


@dataclass(frozen=True, slots=True)
class Difference:
    """Second minus first over `n_pairs` scored pairs of `cases` cases, with a 95 % interval and two-sided p;
    `p_holm` is p adjusted for the other differences of its family, `None` outside one.

    `first` and `second` are each run's value over those pairs. `bounds` is the worst-case and best-case
    difference, with every unscored answer counted against the second and for it, if more than 5 % are
    unscored. Unless answers are right or wrong, there is no interval below `FEWEST` cases. `equivalent` is
    `None` without a margin, without an interval, and above 5 % unscored.
    """

    value: float | None = None
    low: float | None = None
    high: float | None = None
    p: float | None = None
    first: float | None = None
    second: float | None = None
    n_pairs: int = 0
    cases: int = 0
    unscored: int = 0
    bounds: tuple[float, float] | None = None
    equivalent: bool | None = None
    p_holm: float | None = None
    method: Method = ""

    def within(self, most: float) -> Self:
        """Return the difference with its interval clipped to -`most` and `most`."""
        if self.low is None or self.high is None:
            return self
        return replace(self, low=max(self.low, -most), high=min(self.high, most))


def paired(
    cases: Sequence[str],
    first: Floats,
    second: Floats,
    margin: float | None = None,
    share: bool = False,
    *,
    marks: bool = False,
) -> Difference:
    """The mean paired difference of one score. NaN is unscored; a `share` lies between 0 and 1; with `marks`,
    a 1 is a mark on a scale, not a right answer."""
    scored = ~(np.isnan(first) | np.isnan(second))
    n, unscored = int(scored.sum()), int((~scored).sum())
    bounds = _bounds(first, second) if share and too_few_scored(n, unscored) else None
    if not n:
        return Difference(unscored=unscored, bounds=bounds)
    one, other = first[scored], second[scored]
    gaps, where = other - one, _numbered(cases, scored)
    sums, counts = _sums(where, gaps), _sums(where, np.ones(n))
    right_or_wrong = not marks and bool(np.isin([one, other], (0, 1)).all())
    pivot = (
        right_wrong_pivot(sums, _sums(where, gaps**2), counts) if right_or_wrong else mean_pivot(sums, counts)
    )
    most = 1.0 if share or right_or_wrong else float("inf")
    difference = Difference(
        value=_six(gaps.mean()),
        first=_six(one.mean()),
        second=_six(other.mean()),
        n_pairs=n,
        cases=len(counts),
        unscored=unscored,
        bounds=bounds,
    )
    if pivot is None:
        return difference
    low, high = pivot.interval()
    return replace(
        difference,
        low=_six(max(low, -most)),
        high=_six(min(high, most)),
        p=pivot.p(),
        equivalent=_equivalent(difference, pivot.interval(_INNER), margin),
        method="right or wrong 1" if right_or_wrong else "mean 1",
    )


def paired_ratio(
    cases: Sequence[str], first: Floats, second: Floats, margin: float | None = None, share: bool = False
) -> Difference:
    """The difference of a ratio of sums; `first` and `second` are (pairs, 2): part and whole, NaN unscored.

    If the wholes of a side sum to 0, it has no ratio, and there is no difference.
    """
    both = np.hstack([first, second])
    scored = np.asarray(~np.isnan(both).any(axis=1))
    n, unscored = int(scored.sum()), int((~scored).sum())
    if not n:
        return Difference(unscored=unscored)
    where = _numbered(cases, scored)
    sums = np.stack([_sums(where, column) for column in both[scored].T], axis=1)
    difference = Difference(n_pairs=n, cases=len(sums), unscored=unscored)
    part, whole, other_part, other_whole = sums.T
    if whole.sum() <= 0 or other_whole.sum() <= 0:
        return difference
    one, other = float(part.sum() / whole.sum()), float(other_part.sum() / other_whole.sum())
    difference = replace(difference, value=_six(other - one), first=_six(one), second=_six(other))
    left = residuals(other_part, other_whole) / other_whole.sum() - residuals(part, whole) / whole.sum()
    error = robust_error(left, 1.0)
    if error < _NO_SPREAD or len(left) < FEWEST:
        return difference
    pivot, most = Pivot(other - one, error, len(left) - 1), 1.0 if share else float("inf")
    low, high = pivot.interval()
    return replace(
        difference,
        low=_six(max(low, -most)),
        high=_six(min(high, most)),
        p=pivot.p(),
        equivalent=_equivalent(difference, pivot.interval(_INNER), margin),
        method="ratio 1",
    )


def paired_per_success(
    cases: Sequence[str], costs: Floats, successes: Floats, margin: float | None = None
) -> Difference:
    """The difference in cost per success; `costs` and `successes` are (pairs, 2), NaN is unscored.

    A side without any success has no cost per success, and then there is no difference. If that happens in
    more than 2.5 % of the resamples, there is no interval; where nothing is resampled, with fewer than
    `FEWEST` cases in which a side has a success.
    """
    both = np.hstack([costs, successes])
    scored = np.asarray(~np.isnan(both).any(axis=1))
    n, unscored = int(scored.sum()), int((~scored).sum())
    if not n:
        return Difference(unscored=unscored)
    where = _numbered(cases, scored)
    sums = np.stack([_sums(where, column) for column in both[scored].T], axis=1)
    first, second = _per_success(sums.sum(axis=0))
    if np.isnan(first) or np.isnan(second):
        return Difference(n_pairs=n, cases=len(sums), unscored=unscored)
    difference = Difference(
        value=_six(second - first),
        first=_six(first),
        second=_six(second),
        n_pairs=n,
        cases=len(sums),
        unscored=unscored,
    )
    if len(sums) > MOST_RESAMPLED:
        return _unresampled(difference, sums, margin)
    one, other = _per_success(bootstrap(sums))
    drawn = other - one
    finite = drawn[np.isfinite(drawn)]
    if len(finite) < 0.975 * RESAMPLES or np.ptp(finite) == 0 or len(sums) < FEWEST:
        return difference
    low, high = _percentiles(finite, len(sums), 0.95)
    tail = min(int((finite <= 0).sum()), int((finite >= 0).sum()))
    z = NORMAL.inv_cdf(min((tail + 1) / (len(finite) + 1), 0.5))
    return replace(
        difference,
        low=_six(low),
        high=_six(high),
        p=t_two_sided(z * _narrowing(len(sums)), len(sums) - 1),
        equivalent=_equivalent(difference, _percentiles(finite, len(sums), _INNER), margin),
        method="resampled cases 1",
    )


def _unresampled(difference: Difference, sums: Floats, margin: float | None) -> Difference:
    pair = log_pair(sums[:, :2], sums[:, 2:])
    if pair is None or ((sums[:, 2:] > 0).sum(axis=0) < FEWEST).any():
        return difference
    low, high = pair.interval()
    return replace(
        difference,
        low=_six(low),
        high=_six(high),
        p=pair.p(),
        equivalent=_equivalent(difference, pair.interval(_INNER), margin),
        method=UNRESAMPLED,
    )


def _percentiles(drawn: Floats, cases: int, level: float) -> tuple[float, float]:
    """The percentile interval of this level, expanded for few cases (Hesterberg 2015)."""
    tail = 100 * NORMAL.cdf(-t_quantile(cases - 1, (1 + level) / 2) / _narrowing(cases))
    low, high = np.percentile(drawn, [tail, 100 - tail])
    return float(low), float(high)


def _narrowing(cases: int) -> float:
    """The factor by which the bootstrap underestimates the spread of samples of `cases` cases."""
    return float(((cases - 1) / cases) ** 0.5)


def bootstrap(sums: Floats) -> Floats:
    """Cluster bootstrap of column totals over cases: (cases, columns) to (10,000 resamples, columns).

    Above `MOST_RESAMPLED` cases, that many groups of cases are resampled instead, by what each adds to the
    total expected of it, so that the work does not grow with cases.
    """
    if len(sums) > MOST_RESAMPLED:
        drawn: Floats = sums.sum(axis=0) + bootstrap(_grouped(sums))
        return drawn
    size = len(sums)
    random = np.random.Generator(np.random.SFC64(_SEED))
    even = np.full(size, 1 / size)
    rows = max(1, _CHUNK_CELLS // size)
    starts = range(0, RESAMPLES, rows)
    return np.concatenate(
        [random.multinomial(size, even, min(rows, RESAMPLES - start)) @ sums for start in starts]
    )


def _grouped(sums: Floats) -> Floats:
    """Deviations from the mean case, added up in random groups of cases of equal size, or nearly so."""
    left = sums - sums.mean(axis=0)
    groups = np.random.Generator(np.random.SFC64(_SEED)).permutation(len(sums)) % MOST_RESAMPLED
    return np.stack([_sums(groups, column) for column in left.T], axis=1)


def holm(ps: Sequence[float]) -> list[float]:
    """Holm's adjusted p values (Holm 1979), in the order given."""
    adjusted, largest = [0.0] * len(ps), 0.0
    for rank, place in enumerate(sorted(range(len(ps)), key=lambda place: ps[place])):
        largest = max(largest, min(1.0, (len(ps) - rank) * ps[place]))
        adjusted[place] = largest
    return adjusted


D = TypeVar("D", bound=Difference)


def adjusted(family: Sequence[D]) -> list[D]:
    """Return the differences of one family with Holm's adjusted p; one without p has none either."""
    ps = iter(holm([one.p for one in family if one.p is not None]))
    return [one if one.p is None else replace(one, p_holm=next(ps)) for one in family]


def _numbered(cases: Sequence[str], scored: NDArray[np.bool_]) -> NDArray[np.intp]:
    """The index of each scored pair's case among the sorted scored cases."""
    kept = list(compress(cases, scored.tolist()))
    places = {case: place for place, case in enumerate(sorted(set(kept)))}
    return np.fromiter((places[case] for case in kept), np.intp, len(kept))


def _sums(where: NDArray[np.intp], values: Floats) -> Floats:
    added: Floats = np.bincount(where, values).astype(np.float64)
    return added


def _bounds(first: Floats, second: Floats) -> tuple[float, float]:
    lowest = np.nan_to_num(second, nan=0.0) - np.nan_to_num(first, nan=1.0)
    highest = np.nan_to_num(second, nan=1.0) - np.nan_to_num(first, nan=0.0)
    return _six(lowest.mean()), _six(highest.mean())


def _equivalent(difference: Difference, inner: tuple[float, float], margin: float | None) -> bool | None:
    if margin is None or too_few_scored(difference.n_pairs, difference.unscored):
        return None
    return bool(-margin < inner[0] and inner[1] < margin)


def _per_success(totals: Floats) -> tuple[Any, Any]:  # two numbers or two arrays
    """The cost per success of either side, from (..., 4) totals: two costs, then two successes."""
    costs, successes = totals[..., :2], totals[..., 2:]
    result = np.divide(costs, successes, out=np.full(costs.shape, np.nan), where=successes > 0)
    return result[..., 0], result[..., 1]


def _six(value: float) -> float:
    return round(float(value), 6)
