"""Power analysis for paired right-or-wrong answers: sample size, power and smallest detectable difference.

The power is that of the test in `osler.stats.paired` (5 %, two-sided). Two episodes of one case, one of
each run, correlate by `correlation`; two repeats of one run by `repeat_correlation`. What repeats share
beyond that is the player-by-case interaction, which no number of repeats averages out.
Source: Connor 1987, sample size for testing differences in proportions for the paired-sample design.
"""

from __future__ import annotations

from math import sqrt
from typing import Final, NamedTuple

from osler.stats.distributions import NORMAL, t_quantile

MOST_CASES: Final = 10_000_000
_STEPS: Final = 60


class Design(NamedTuple):
    """A paired design: the first run's share of right answers, and the correlations of answers to a case."""

    base: float
    correlation: float = 0.0
    repeats: int = 1
    repeat_correlation: float = 1.0


def greatest_correlation(base: float, difference: float) -> float:
    """The largest possible correlation of shares `base` and `base` + `difference`; 0 if one is 0 or 1."""
    low, high = sorted((base, base + difference))
    return sqrt(low * (1 - high) / (high * (1 - low))) if low > 0 and high < 1 else 0.0


def power(design: Design, difference: float, cases: int) -> float:
    """The probability that `cases` cases show a true `difference`, in the right direction."""
    if cases < 2:
        return 0.0
    first, second = design.base, design.base + difference
    spreads = first * (1 - first), second * (1 - second)
    shared = min(design.correlation, greatest_correlation(first, difference))
    across = 2 * shared * sqrt(spreads[0] * spreads[1])
    alike = (1 + (design.repeats - 1) * max(design.repeat_correlation, shared)) / design.repeats
    once, repeated = sum(spreads) - across, sum(spreads) * alike - across
    # The interval adds one pair in favour of either side to the effective number of independent pairs.
    pairs = cases * (once / repeated if repeated > 0 else design.repeats)
    size = abs(difference)
    centre = size * pairs / (pairs + 2)
    mean_square = ((once + size**2) * pairs + 2) / (pairs + 2)
    error = sqrt((mean_square - centre**2) / (pairs + 2))
    spread = sqrt(once * pairs) / (pairs + 2)
    reached = centre - t_quantile(cases - 1) * error
    return NORMAL.cdf(reached / spread) if spread > 0 else float(reached > 0)


def cases_needed(design: Design, difference: float, wanted: float) -> int | None:
    """The fewest cases that reach power `wanted`; `None` if ten million are too few."""
    if power(design, difference, MOST_CASES) < wanted:
        return None
    few, enough = 1, MOST_CASES
    while enough - few > 1:
        middle = (few + enough) // 2
        if power(design, difference, middle) < wanted:
            few = middle
        else:
            enough = middle
    return enough


def smallest_difference(design: Design, cases: int, wanted: float) -> float | None:
    """The smallest rise that `cases` cases detect with power `wanted`; `None` if even a rise to 1 is not."""
    small, large = 0.0, 1 - design.base
    if large <= 0 or power(design, large, cases) < wanted:
        return None
    for _ in range(_STEPS):
        middle = (small + large) / 2
        if power(design, middle, cases) < wanted:
            small = middle
        else:
            large = middle
    return large
