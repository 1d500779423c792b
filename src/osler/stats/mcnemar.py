"""The exact test of McNemar (1947) for paired answers that are right or wrong.

Only pairs that differ say anything: under the hypothesis each of them favours either side like a fair coin,
so the p value is binomial and needs no approximation.
"""

from __future__ import annotations

from osler.stats.distributions import beta_share


def mcnemar_exact(only_first: int, only_second: int) -> float:
    """The two-sided p value of `only_first` pairs right on the first side alone, and `only_second` on the
    second; 1 without such pairs. Raises ValueError for a negative count."""
    if only_first < 0 or only_second < 0:
        raise ValueError("counts of pairs are not negative")
    few, many = sorted((only_first, only_second))
    if few == many:
        return 1.0
    # The probability of at most `few` heads in few + many throws of a fair coin.
    return min(1.0, 2 * beta_share(0.5, many, few + 1))
