"""Estimates with 95 % intervals, as pure functions of counts and sums: the same data give the same digits.

Which 95 % interval is used, for a figure over episodes that are clustered by case:

    nothing scored                            no value
    right or wrong, one episode a case        Wilson's score interval on episodes
    right or wrong, repeats, other shares     Wilson's on the effective number of episodes, quantile of t
    the same, at its widest                   Wilson's as if repeats of a case carried no new information
    any other mean                            cluster-robust t interval, corrected for skewness
    shares and means of fewer than 5 cases    none, unless each episode is right or wrong
    a cost per success (`per_success`)        cluster-robust t interval on the logarithm

No rule changes at 30 clusters: each has a coverage of about 95 % in simulated studies from a dozen cases up
(`benchmarks/coverage.py`), where a percentile bootstrap over cases, used before, covered rare answers of 30
cases in 88 %. Clusters are sorted by key, so the order in which episodes end changes nothing.
Sources: Wilson 1927; Korn and Graubard 1998 (effective sample size for proportions); Satterthwaite 1946
(degrees of freedom of a variance); Hall 1992 (skewness); Cameron and Miller 2015 (cluster-robust inference).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import comb
from typing import Final, Self

import numpy as np

from osler.stats.cluster_t import (
    FEWEST,
    mean_pivot,
    residuals,
    right_wrong_pivot,
    robust_error,
    satterthwaite,
    skewed_mean_pivot,
)
from osler.stats.cluster_t import Floats as Floats
from osler.stats.distributions import t_quantile

Z95: Final = 1.959963984540054

UNSCORED_LIMIT: Final = 0.05


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value with its 95 % interval; `n` episodes were scored and `unscored` were not.

    `value` is `None` if nothing was scored; `low` and `high` also without variation and, unless episodes are
    right or wrong, below `FEWEST` clusters (`osler.stats.cluster_t`).
    """

    value: float | None
    low: float | None
    high: float | None
    n: int
    unscored: int = 0

    def within(self, least: float, most: float) -> Self:
        """Return the estimate with its value and its interval clipped to a range."""

        def cut(end: float | None) -> float | None:
            return None if end is None else min(max(end, least), most)

        return replace(self, value=cut(self.value), low=cut(self.low), high=cut(self.high))


@dataclass(frozen=True, slots=True)
class Bounded(Estimate):
    """An estimate with the `bounds` to report instead of it if more than 5 % are unscored, else `None`: the
    value with all of those counted against it, and all for it."""

    bounds: tuple[float, float] | None = None


def wilson(successes: float, n: float, unscored: int = 0, quantile: float = Z95) -> Estimate:
    """Wilson's score interval for `successes` of `n` (both may be effective sample sizes)."""
    if n <= 0:
        return Estimate(None, None, None, 0, unscored)
    share = successes / n
    centre = share + quantile**2 / (2 * n)
    spread = quantile * np.sqrt(share * (1 - share) / n + quantile**2 / (4 * n * n))
    scale = 1 + quantile**2 / n
    low, high = (centre - spread) / scale, (centre + spread) / scale
    return estimate(share, (max(0.0, low), min(1.0, high)), round(n), unscored)


def bounds(successes: float, n: int, unscored: int, declined: int = 0) -> tuple[float, float] | None:
    """The share if every unscored episode were wrong, and if right; `None` at 5 % unscored or less.

    `declined` of the scored ones are wrong because the model would not answer. Above 5 % of all there are
    bounds for that reason, too: all of those, like the unscored, wrong and right.
    """
    result = without_declined(Estimate(successes / n if n else None, None, None, n, unscored), declined)
    if too_few_scored(result.n, result.unscored):
        total = n + unscored
        return round(successes / total, 6), round((successes + result.unscored) / total, 6)
    return None


def without_declined(found: Estimate, declined: int) -> Estimate:
    """A share, to be shown as a headline: with more than 5 % of all episodes `declined`, which are scored as
    wrong, these count as unscored. Then there is no headline, but bounds."""
    n, unscored = found.n - declined, found.unscored + declined
    if not declined or declined <= UNSCORED_LIMIT * (found.n + found.unscored):
        return found
    value = min(round(found.value * found.n / n, 6), 1.0) if found.value is not None and n > 0 else None
    return replace(found, value=value, low=None, high=None, n=n, unscored=unscored)


def too_few_scored(n: int, unscored: int) -> bool:
    """Whether more than 5 % are unscored, so that bounds are reported instead of a headline figure."""
    return unscored > UNSCORED_LIMIT * (n + unscored)


def mean_interval(
    values: Mapping[str, Sequence[float]], unscored: int = 0, proportion: bool = False
) -> Estimate:
    """The mean over all values, clustered by key."""
    clusters = [values[key] for key in sorted(values) if len(values[key])]
    sums = np.array([float(np.sum(cluster)) for cluster in clusters])
    counts = np.array([float(len(cluster)) for cluster in clusters])
    return ratio_interval(sums, counts, unscored, proportion)


def paired_difference(
    first: Mapping[str, Sequence[float]], second: Mapping[str, Sequence[float]], share: bool = False
) -> Estimate:
    """The mean, over the clusters that both have, of the cluster mean of `second` minus that of `first`.

    Second minus first, as in `osler.stats.paired`; values that are a `share` differ by at most 1. Clusters
    that only one of them has are left out and count as unscored.
    """
    mine = {key for key, held in first.items() if len(held)}
    theirs = {key for key, held in second.items() if len(held)}
    both = sorted(mine & theirs)
    if not both:
        return Estimate(None, None, None, 0, len(mine ^ theirs))
    result = np.array([np.mean(second[key]) - np.mean(first[key]) for key in both])
    ones = np.ones(len(both))
    answers = share and any(all(v in (0, 1) for key in both for v in side[key]) for side in (first, second))
    pivot = right_wrong_pivot(result, result**2, ones) if answers else mean_pivot(result, ones)
    reach = pivot.interval() if pivot else None
    if reach and share:
        reach = max(-1.0, reach[0]), min(1.0, reach[1])
    return estimate(float(result.mean()), reach, len(both), len(mine ^ theirs))


def ratio_interval(sums: Floats, counts: Floats, unscored: int = 0, proportion: bool = False) -> Estimate:
    """The mean sum(sums) / sum(counts) over clusters; a `proportion` lies between 0 and 1."""
    total, weight = float(sums.sum()), float(counts.sum())
    if weight <= 0:
        return Estimate(None, None, None, 0, unscored)
    used = (counts > 0) | (sums != 0)
    sums, counts = sums[used], counts[used]
    if proportion:
        return _share(sums, counts, unscored)
    pivot = skewed_mean_pivot(sums, counts)
    return estimate(total / weight, pivot.interval() if pivot else None, round(weight), unscored)


def per_success(costs: Floats, successes: Floats, unscored: int = 0) -> Estimate:
    """The cost per success, sum(costs) / sum(successes) over clusters; no value if nothing succeeded.

    The interval is symmetrical on the logarithm: never below 0, and consistent with successes per cost. Below
    `FEWEST` clusters there is none: it would span orders of magnitude.
    """
    weight = float(successes.sum())
    if weight <= 0:
        return Estimate(None, None, None, 0, unscored)
    used = (costs != 0) | (successes > 0)
    value = float(costs.sum()) / weight
    error = robust_error(residuals(costs[used], successes[used]), weight)
    reach = None
    if error > 0 and used.sum() >= FEWEST:
        factor = float(np.exp(t_quantile(int(used.sum()) - 1) * error / value))
        reach = value / factor, value * factor
    return estimate(value, reach, round(weight), unscored)


def estimate(value: float, reach: tuple[float, float] | None, n: int, unscored: int = 0) -> Estimate:
    """An estimate rounded to six decimal places."""
    low, high = (round(float(end), 6) for end in reach) if reach else (None, None)
    return Estimate(round(value, 6), low, high, n, unscored)


def _share(sums: Floats, counts: Floats, unscored: int) -> Estimate:
    n = float(counts.sum())
    mean = min(max(float(sums.sum()) / n, 0.0), 1.0)
    right_or_wrong = bool((sums == np.round(sums)).all())
    if right_or_wrong and counts.max() <= 1:
        return wilson(float(sums.sum()), n, unscored)
    if not right_or_wrong and len(sums) < FEWEST:
        return estimate(mean, None, round(n), unscored)
    # As if repeats carried no information: no interval need be wider, and one without spread is no narrower.
    alike = n**2 / float((counts**2).sum())
    text = replace(wilson(mean * alike, alike, unscored), n=round(n))
    left = residuals(sums, counts)
    error = robust_error(left, n)
    if error == 0 or text.low is None or text.high is None:
        return text
    effective = mean * (1 - mean) / error**2
    if right_or_wrong:
        effective = min(effective, n)
    other = wilson(mean * effective, effective, unscored, t_quantile(satterthwaite(left)))
    if other.low is None or other.high is None:
        return text
    return replace(text, low=max(text.low, other.low), high=min(text.high, other.high))


class ClusterSums:
    """A streaming accumulator of counts and sums per cluster and column; memory grows with clusters only.

    `None` values count as unscored. Rows are buffered, so that adding one costs about a microsecond.
    """

    def __init__(self, columns: int) -> None:
        self._index: dict[str, int] = {}
        self._columns = columns
        self._sums = np.zeros((64, columns))
        self._counts = np.zeros((64, columns), np.int32)
        self._rows: list[Sequence[float | None]] = []
        self._where: list[int] = []
        self.episodes = 0

    def add(self, cluster: str, row: Sequence[float | None]) -> None:
        """Add one episode's values, one per column."""
        where = self._index.setdefault(cluster, len(self._index))
        self._where.append(where)
        self._rows.append(row)
        self.episodes += 1
        if len(self._rows) >= 2048:
            self._flush()

    def clusters(self) -> list[str]:
        """The clusters, sorted."""
        return sorted(self._index)

    def arrays(self) -> tuple[Floats, Floats]:
        """(sums, counts), each (clusters, columns), rows in the order of `clusters`."""
        self._flush()
        order = np.array([self._index[key] for key in self.clusters()], np.int64).reshape(-1)
        return self._sums[order], self._counts[order].astype(np.float64)

    def _flush(self) -> None:
        if not self._rows:
            return
        while len(self._index) > len(self._sums):
            self._sums = np.vstack([self._sums, np.zeros_like(self._sums)])
            self._counts = np.vstack([self._counts, np.zeros_like(self._counts)])
        values = np.array(self._rows, np.float64).reshape(len(self._rows), self._columns)
        scored = ~np.isnan(values)
        np.add.at(self._sums, self._where, np.where(scored, values, 0.0))
        np.add.at(self._counts, self._where, scored)
        self._rows, self._where = [], []


def pass_power(
    tries: Mapping[str, tuple[int, int]], k: int, clusters: Mapping[str, str] | None = None
) -> Estimate:
    """The probability that k tries at a case all succeed (pass^k, Yao and others 2024), averaged over cases.

    `tries` holds each case's (successes c, tries n); a case gives the unbiased C(c, k) / C(n, k). `clusters`
    maps cases to clusters, by default each is its own. Cases with fewer than k tries count as unscored, and
    `n` counts cases. Raises `ValueError` if k is below 1.
    """
    if k < 1:
        raise ValueError(f"k is at least 1, not {k}")
    shares: dict[str, list[float]] = {}
    for case, (right, n) in sorted(tries.items()):
        if n >= k:
            shares.setdefault(clusters[case] if clusters else case, []).append(comb(right, k) / comb(n, k))
    left = len(tries) - sum(map(len, shares.values()))
    return mean_interval(shares, left, proportion=True)
