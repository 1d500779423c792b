"""Reliability over repeated tries: pass^k."""

from __future__ import annotations

from collections.abc import Mapping
from math import comb

import numpy as np

from osler.judging.statistics import Estimate, ratio_interval


def pass_power(tries: Mapping[str, tuple[int, int]], k: int) -> Estimate:
    """The probability that k tries at a case all succeed (pass^k, Yao and others 2024), averaged over cases.

    `tries` holds each case's (successes c, tries n); a case gives C(c, k) / C(n, k). Cases with fewer than k
    tries count as unscored, and `n` counts cases. Raises `ValueError` if k is below 1.
    """
    if k < 1:
        raise ValueError(f"k is at least 1, not {k}")
    shares = [comb(c, k) / comb(n, k) for _, (c, n) in sorted(tries.items()) if n >= k]
    left = len(tries) - len(shares)
    return ratio_interval(np.array(shares), np.ones(len(shares)), left, proportion=True)
