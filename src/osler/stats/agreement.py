"""Inter-rater agreement: Cohen's kappa, Gwet's AC1 and Krippendorff's alpha, with 95 % intervals.

All are 1 - observed / expected disagreement. The interval is a cluster jackknife (quantile of t) and is
symmetrical on the logarithm of that ratio, so it holds with few clusters, and its upper end never exceeds 1.
Without any disagreement there is no spread, and no interval.
Sources: Cohen 1968 (weights); Gwet 2008 (AC1); Krippendorff 2011, computing Krippendorff's alpha; Efron and
Stein 1981.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from math import exp, isnan
from typing import Final, Literal

import numpy as np

from osler.stats.cluster_t import Floats
from osler.stats.distributions import t_quantile
from osler.stats.intervals import Estimate, estimate

Weights = Literal["none", "linear", "quadratic"]
Level = Literal["nominal", "ordinal", "interval"]
_POWERS: Final[dict[Weights, int]] = {"linear": 1, "quadratic": 2}


def kappa(
    first: Sequence[Hashable],
    second: Sequence[Hashable],
    order: Sequence[Hashable] | None = None,
    weights: Weights = "none",
    clusters: Sequence[str] | None = None,
) -> Estimate:
    """Cohen's kappa of two raters of the same items; a rating of `None` is unscored.

    `order` lists the categories; weights count the steps between them and need it. Items of one cluster, such
    as a case, are left out together. No value if both raters gave every item the same category. Raises
    `ValueError` if the lengths differ or a rating is not one of the categories.
    """
    if order is None and weights != "none":
        raise ValueError("weighted kappa needs the order of the categories")
    estimate, size, n = _tables(first, second, order, clusters)
    steps = np.abs(np.subtract.outer(np.arange(size), np.arange(size))).astype(np.float64)
    apart = (steps > 0).astype(np.float64) if weights == "none" else steps ** _POWERS[weights]

    def disagreement(total: Floats) -> float:
        chance = np.outer(total.sum(axis=1), total.sum(axis=0)) / total.sum()
        return _ratio((apart * total).sum(), (apart * chance).sum())

    return _estimate(estimate, disagreement, n, len(first) - n)


def ac1(
    first: Sequence[Hashable],
    second: Sequence[Hashable],
    order: Sequence[Hashable],
    clusters: Sequence[str] | None = None,
) -> Estimate:
    """Gwet's AC1 of two raters of the same items; a rating of `None` is unscored.

    Unlike kappa, it does not fall towards 0 when nearly all items are in one category. `order` lists all
    possible categories, two or more: AC1 depends on their number. Raises as `kappa` does.
    """
    if len(order) < 2:
        raise ValueError("agreement needs two categories or more")
    estimate, size, n = _tables(first, second, order, clusters)

    def disagreement(total: Floats) -> float:
        shares = (total.sum(axis=0) + total.sum(axis=1)) / (2 * total.sum())
        chance = float((shares * (1 - shares)).sum()) / (size - 1)
        return _ratio(1 - float(np.trace(total)) / float(total.sum()), 1 - chance)

    return _estimate(estimate, disagreement, n, len(first) - n)


def alpha(
    ratings: Sequence[Sequence[float | None]], level: Level = "nominal", clusters: Sequence[str] | None = None
) -> Estimate:
    """Krippendorff's alpha over units, each with the values its raters gave; `None` is a missing value.

    Units with fewer than two values carry no information and count as unscored. Nominal values are numeric
    category codes. No value if all values are the same.
    """
    if clusters is not None and len(clusters) != len(ratings):
        raise ValueError("each unit needs a cluster where clusters are given")
    values = [[float(v) for v in unit if v is not None] for unit in ratings]
    if any(isnan(v) for unit in values for v in unit):
        raise ValueError("a missing value is None, not NaN")
    paired = [i for i, unit in enumerate(values) if len(unit) > 1]
    points = np.unique([v for i in paired for v in values[i]])
    places = {v: at for at, v in enumerate(points.tolist())}
    counts: dict[str, list[Floats]] = {}
    for i in paired:
        row = np.bincount([places[v] for v in values[i]], minlength=len(points)).astype(np.float64)
        counts.setdefault(str(i) if clusters is None else clusters[i], []).append(row)
    stacks = [np.stack(counts[key]) for key in sorted(counts)]
    # Coincidence matrices, summed over units, so that leaving a cluster out is a subtraction.
    together = [
        np.einsum("uv,uw,u->vw", c, c, 1 / (c.sum(axis=1) - 1))
        - np.diag((c / (c.sum(axis=1, keepdims=True) - 1)).sum(axis=0))
        for c in stacks
    ]

    def disagreement(total: Floats) -> float:
        each = total.sum(axis=0)
        apart = _distances(points, each, level)
        expected = (apart * np.outer(each, each)).sum() / (each.sum() - 1)
        return _ratio((apart * total).sum(), expected)

    return _estimate(together, disagreement, len(paired), len(ratings) - len(paired))


def _tables(
    first: Sequence[Hashable],
    second: Sequence[Hashable],
    order: Sequence[Hashable] | None,
    clusters: Sequence[str] | None,
) -> tuple[list[Floats], int, int]:
    """The confusion matrix of each cluster; the numbers of categories and of rated items."""
    if len(first) != len(second) or (clusters is not None and len(clusters) != len(first)):
        raise ValueError("each item needs both ratings, and a cluster where clusters are given")
    rated = [i for i, pair in enumerate(zip(first, second, strict=True)) if None not in pair]
    ranks = _ranks([r for i in rated for r in (first[i], second[i])], order)
    size = len(ranks)
    tables: dict[str, Floats] = {}
    for i in rated:
        cluster = str(i) if clusters is None else clusters[i]
        table = tables.setdefault(cluster, np.zeros((size, size)))
        table[ranks[first[i]], ranks[second[i]]] += 1
    return [tables[key] for key in sorted(tables)], size, len(rated)


def _ranks(given: Sequence[Hashable], order: Sequence[Hashable] | None) -> dict[Hashable, int]:
    known = list(order) if order is not None else list(dict.fromkeys(given))
    ranks = {category: rank for rank, category in enumerate(known)}
    strange = [category for category in given if category not in ranks]
    if strange:
        raise ValueError(f"{strange[0]!r} is not one of the categories")
    return ranks


def _distances(points: Floats, each: Floats, level: Level) -> Floats:
    if level == "nominal":
        unlike: Floats = 1.0 - np.eye(len(points))
        return unlike
    at = points if level == "interval" else np.cumsum(each) - each / 2
    squared: Floats = np.subtract.outer(at, at) ** 2
    return squared


def _ratio(observed: float, expected: float) -> float:
    return float(observed / expected) if expected > 0 else float("nan")


def _estimate(
    clusters: Sequence[Floats], disagreement: Callable[[Floats], float], n: int, unscored: int
) -> Estimate:
    total = np.sum(clusters, axis=0) if clusters else np.zeros((0, 0))
    result = disagreement(total) if n else float("nan")
    if isnan(result):
        return Estimate(None, None, None, n, unscored)
    size = len(clusters)
    without = np.array([disagreement(total - part) for part in clusters]) if size > 1 else np.array([])
    reach = None
    if result > 0 and size > 1 and not np.isnan(without).any():
        error = float(np.sqrt((size - 1) / size * ((without - without.mean()) ** 2).sum()))
        factor = exp(t_quantile(size - 1) * error / result)
        low, high = 1 - result * factor, 1 - result / factor
        reach = (max(-1.0, low), high) if error > 1e-9 * result else None
    return estimate(1 - result, reach, n, unscored)
