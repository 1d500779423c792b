"""Spearman's rank correlation with a cluster jackknife interval.

The jackknife's error is taken on Fisher's z scale, where the spread hardly depends on the value, with the
quantile of t; so no end lies beyond -1 or 1. Sources: Fisher 1921; Efron and Stein 1981.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import atanh, isnan, sqrt, tanh

import numpy as np

from osler.stats.cluster_t import Floats
from osler.stats.distributions import t_quantile
from osler.stats.intervals import Estimate, estimate


def rank_correlation(first: Floats, second: Floats, clusters: Sequence[str]) -> Estimate:
    """Return the rank correlation of two scores of the same episodes; equal values share their mean rank.

    There is no value if either side is constant, and no interval if the correlation is perfect or there are
    fewer than three clusters.
    """
    n = len(first)
    value = _correlation(first, second) if n else float("nan")
    if isnan(value):
        return Estimate(None, None, None, n)
    each, where = np.unique(np.array(clusters, dtype=object), return_inverse=True)
    size = len(each)
    if size < 3 or abs(value) > 1 - 1e-9:
        return estimate(value, None, n)
    left = np.array([_correlation(first[where != c], second[where != c]) for c in range(size)])
    if np.isnan(left).any() or (np.abs(left) > 1 - 1e-9).any():
        return estimate(value, None, n)
    scaled = np.arctanh(left)
    error = sqrt((size - 1) / size * float(((scaled - scaled.mean()) ** 2).sum()))
    if error < 1e-9:
        return estimate(value, None, n)
    reach = t_quantile(size - 1) * error
    return estimate(value, (tanh(atanh(value) - reach), tanh(atanh(value) + reach)), n)


def _correlation(first: Floats, second: Floats) -> float:
    one, other = _ranks(first), _ranks(second)
    one, other = one - one.mean(), other - other.mean()
    scale = sqrt(float((one**2).sum()) * float((other**2).sum()))
    return float((one * other).sum()) / scale if scale > 0 else float("nan")


def _ranks(values: Floats) -> Floats:
    _, where, counts = np.unique(values, return_inverse=True, return_counts=True)
    middle = np.cumsum(counts) - (counts - 1) / 2
    ranks: Floats = middle[where].astype(np.float64)
    return ranks
