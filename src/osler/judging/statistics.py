"""Estimates with their intervals. Pure functions of counts and sums; the same data give the same digits.

Which 95 % interval is used (`ratio_interval`), for a mean over episodes that are clustered by case:

    nothing scored                              no value
    proportion, one episode a cluster           Wilson on episodes
    proportion, all 0 or all 1                  Wilson on clusters (repeats of a case add no certainty)
    proportion, under 30 clusters               Wilson on the effective number of episodes, t quantile
    other mean, under 30 clusters               t interval on the linearized cluster-robust standard error
    30 to 1,000 clusters                        percentile bootstrap over clusters, 10,000 resamples
    more than 1,000 clusters                    t interval on the cluster-robust standard error

With few clusters a bootstrap is too narrow, and it degenerates where all values are equal; with a thousand it
agrees with the cluster-robust interval to the third digit and costs much more. Clusters are ordered by their
key and the seed is fixed, so the order in which episodes end changes nothing.
Sources: Wilson 1927; Cameron and Miller 2015 (cluster-robust inference); Korn and Graubard 1998 (effective
sample size for proportions).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

Z95: Final = 1.959963984540054
RESAMPLES: Final = 10_000
FEW_CLUSTERS: Final = 30
MANY_CLUSTERS: Final = 1_000
UNSCORED_LIMIT: Final = 0.05
_T95: Final = (
    *(12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469, 2.3646, 2.3060, 2.2622, 2.2281),
    *(2.2010, 2.1788, 2.1604, 2.1448, 2.1314, 2.1199, 2.1098, 2.1009, 2.0930, 2.0860),
    *(2.0796, 2.0739, 2.0687, 2.0639, 2.0595, 2.0555, 2.0518, 2.0484, 2.0452, 2.0423),
)
_SEED: Final = 1849
_CHUNK_CELLS: Final = 2_000_000


class Estimate(NamedTuple):
    """A value with its 95 % interval; `n` episodes were scored and `unscored` were not.

    `value` is `None` where nothing was scored; `low` and `high` also where one cluster gives no spread.
    """

    value: float | None
    low: float | None
    high: float | None
    n: int
    unscored: int = 0


def wilson(successes: float, n: float, unscored: int = 0, quantile: float = Z95) -> Estimate:
    """Wilson's score interval for `successes` of `n` (both may be effective numbers)."""
    if n <= 0:
        return Estimate(None, None, None, 0, unscored)
    share = successes / n
    centre = share + quantile**2 / (2 * n)
    spread = quantile * np.sqrt(share * (1 - share) / n + quantile**2 / (4 * n * n))
    scale = 1 + quantile**2 / n
    low, high = (centre - spread) / scale, (centre + spread) / scale
    return _rounded(share, max(0.0, low), min(1.0, high), round(n), unscored)


def t_quantile(freedom: int) -> float:
    """The 97.5 % quantile of Student's t: a table up to 30 degrees of freedom, then its expansion in 1/n."""
    if freedom <= len(_T95):
        return _T95[freedom - 1]
    z = Z95
    return z + (z**3 + z) / (4 * freedom) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * freedom**2)


def bounds(successes: float, n: int, unscored: int) -> tuple[float, float] | None:
    """The share as if every unscored episode were wrong, and as if right; `None` at 5 % unscored or less."""
    total = n + unscored
    if not total or unscored / total <= UNSCORED_LIMIT:
        return None
    return round(successes / total, 6), round((successes + unscored) / total, 6)


def mean_interval(
    values: Mapping[str, Sequence[float]], unscored: int = 0, proportion: bool = False
) -> Estimate:
    """The mean over all values, clustered by key."""
    clusters = [values[key] for key in sorted(values) if len(values[key])]
    sums = np.array([float(np.sum(cluster)) for cluster in clusters])
    counts = np.array([float(len(cluster)) for cluster in clusters])
    return ratio_interval(sums, counts, unscored, proportion)


def paired_difference(
    first: Mapping[str, Sequence[float]], second: Mapping[str, Sequence[float]]
) -> Estimate:
    """The mean over clusters both have of (cluster mean of `first` - cluster mean of `second`).

    Clusters that only one of them has are left out and counted as unscored.
    """
    mine = {key for key, held in first.items() if len(held)}
    theirs = {key for key, held in second.items() if len(held)}
    both = sorted(mine & theirs)
    differences = np.array([np.mean(first[key]) - np.mean(second[key]) for key in both])
    return ratio_interval(differences, np.ones(len(both)), len(mine ^ theirs))


def ratio_interval(sums: Floats, counts: Floats, unscored: int = 0, proportion: bool = False) -> Estimate:
    """sum(sums) / sum(counts) over clusters, in the clusters' order. See the rule at the top."""
    return ratio_intervals(sums[:, None], counts[:, None], [unscored], [proportion])[0]


def ratio_intervals(
    sums: Floats, counts: Floats, unscored: Sequence[int], proportions: Sequence[bool]
) -> list[Estimate]:
    """`ratio_interval` for each column of (clusters, columns) arrays; they share their resamples."""
    total = sums.sum(axis=0)
    weight = counts.sum(axis=0)
    clusters = ((counts > 0) | (sums != 0)).sum(axis=0)
    value = np.divide(total, weight, out=np.zeros_like(total), where=weight > 0)
    error = _robust_error(sums, counts, value, weight, clusters)
    boot = (clusters >= FEW_CLUSTERS) & (clusters <= MANY_CLUSTERS) & (error > 0)
    single = np.array(proportions, bool) & (counts.max(axis=0, initial=0) <= 1)
    lows, highs = _bootstrap(sums, counts, boot & ~single)
    found = []
    for column, skipped in enumerate(unscored):
        n, groups = round(float(weight[column])), int(clusters[column])
        mean, se = float(value[column]), float(error[column])
        if n == 0:
            found.append(Estimate(None, None, None, 0, skipped))
        elif single[column]:
            found.append(wilson(float(total[column]), n, skipped))
        elif proportions[column] and (se == 0 or groups < FEW_CLUSTERS):
            found.append(_few_clusters_share(mean, se, n, groups, skipped))
        elif boot[column]:
            found.append(_rounded(mean, float(lows[column]), float(highs[column]), n, skipped))
        elif groups < 2:
            found.append(Estimate(round(mean, 6), None, None, n, skipped))
        else:
            reach = t_quantile(groups - 1) * se
            low, high = mean - reach, mean + reach
            if proportions[column]:
                low, high = max(0.0, low), min(1.0, high)
            found.append(_rounded(mean, low, high, n, skipped))
    return found


def _few_clusters_share(mean: float, se: float, n: int, clusters: int, unscored: int) -> Estimate:
    """Wilson on the effective number of episodes, never more than there are nor fewer than clusters."""
    effective = min(float(n), mean * (1 - mean) / se**2) if se > 0 else float(clusters)
    quantile = t_quantile(clusters - 1) if clusters > 1 and se > 0 else Z95
    return wilson(mean * effective, effective, unscored, quantile)._replace(n=n)


def _robust_error(
    sums: Floats, counts: Floats, value: Floats, weight: Floats, clusters: NDArray[np.int64]
) -> Floats:
    residual = sums - value * counts
    squares = (residual**2).sum(axis=0)
    squares[squares < 1e-18 * np.maximum(1.0, (sums**2).sum(axis=0))] = 0.0
    correction = np.divide(clusters, clusters - 1, out=np.ones_like(value), where=clusters > 1)
    error: Floats = np.sqrt(squares * correction)
    return np.divide(error, weight, out=np.zeros_like(error), where=weight > 0)


def _bootstrap(sums: Floats, counts: Floats, wanted: NDArray[np.bool_]) -> tuple[Floats, Floats]:
    """Percentile bounds per column; clusters are drawn with replacement, in chunks of bounded memory."""
    lows, highs = np.zeros(sums.shape[1]), np.zeros(sums.shape[1])
    columns = np.flatnonzero(wanted)
    if not len(columns):
        return lows, highs
    used = ((counts[:, columns] > 0) | (sums[:, columns] != 0)).any(axis=1)
    numerator, denominator = sums[np.ix_(used, columns)], counts[np.ix_(used, columns)]
    size = len(numerator)
    both = np.hstack([numerator, denominator]).astype(np.float32)
    random = np.random.Generator(np.random.SFC64(_SEED))
    rows = max(1, _CHUNK_CELLS // size)
    drawn = []
    for start in range(0, RESAMPLES, rows):
        some = min(rows, RESAMPLES - start)
        picks = random.integers(0, size, size=(some, size), dtype=np.int32)
        picks += (np.arange(some, dtype=np.int32) * size)[:, None]
        times = np.bincount(picks.ravel(), minlength=some * size).reshape(some, size)
        resampled = times.astype(np.float32) @ both
        top, bottom = np.hsplit(resampled, 2)
        drawn.append(np.divide(top, bottom, out=np.full_like(top, np.nan), where=bottom > 0))
    low, high = np.nanpercentile(np.concatenate(drawn), [2.5, 97.5], axis=0)
    lows[columns], highs[columns] = low, high
    return lows, highs


def _rounded(value: float, low: float, high: float, n: int, unscored: int) -> Estimate:
    return Estimate(round(value, 6), round(float(low), 6), round(float(high), 6), n, unscored)


class ClusterSums:
    """How many values each cluster had and what they add up to, per column; grows with clusters only.

    `None` values are counted as unscored. Rows are buffered, so that adding one costs about a microsecond.
    """

    def __init__(self, columns: int) -> None:
        self._index: dict[str, int] = {}
        self._columns = columns
        self._sums = np.zeros((64, columns))
        self._counts = np.zeros((64, columns), np.int32)
        self._rows: list[Sequence[float | None]] = []
        self._where: list[int] = []
        self._episodes: list[int] = []
        self.episodes = 0

    def add(self, cluster: str, row: Sequence[float | None]) -> None:
        """Add one episode's values, one a column."""
        where = self._index.setdefault(cluster, len(self._index))
        if where == len(self._episodes):
            self._episodes.append(0)
        self._episodes[where] += 1
        self._where.append(where)
        self._rows.append(row)
        self.episodes += 1
        if len(self._rows) >= 2048:
            self._flush()

    def clusters(self) -> list[str]:
        """The clusters in order."""
        return sorted(self._index)

    def arrays(self) -> tuple[Floats, Floats]:
        """(sums, counts), each (clusters, columns), rows in the order of `clusters`."""
        self._flush()
        order = np.array([self._index[key] for key in self.clusters()], np.int64).reshape(-1)
        return self._sums[order], self._counts[order].astype(np.float64)

    def episodes_by_cluster(self) -> Floats:
        """How many episodes each cluster had, in the order of `clusters`."""
        counted = np.array([self._episodes[self._index[key]] for key in self.clusters()], np.float64)
        return counted

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
