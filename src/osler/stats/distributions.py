"""Student's t and Fisher's F distributions, by the continued fraction of the incomplete beta function.

Sources: Abramowitz and Stegun 1964, 26.5.8, 26.6.2 and 26.7.1; the fraction is evaluated by Lentz's method.
"""

from __future__ import annotations

from functools import lru_cache
from math import exp, lgamma, log, pi, sqrt
from statistics import NormalDist
from typing import Final

NORMAL: Final = NormalDist()
_TINY: Final = 1e-300
_CLOSE: Final = 1e-14
_MOST_TERMS: Final = 20_000


def beta_share(x: float, a: float, b: float) -> float:
    """The regularized incomplete beta function I_x(a, b), for 0 <= x <= 1 and positive a and b."""
    if x <= 0 or x >= 1:
        return float(x >= 1)
    if x > (a + 1) / (a + b + 2):  # beyond the mean the fraction converges for the other tail
        return 1 - beta_share(1 - x, b, a)
    front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log(1 - x))
    value, top, bottom = 1.0, 1.0, 0.0
    for term in range(_MOST_TERMS):
        half = term // 2
        if term == 0:
            step = 1.0
        elif term % 2:
            step = -(a + half) * (a + b + half) * x / ((a + 2 * half) * (a + 2 * half + 1))
        else:
            step = half * (b - half) * x / ((a + 2 * half - 1) * (a + 2 * half))
        bottom = 1 / (1 + step * bottom or _TINY)
        top = 1 + step / top or _TINY
        value *= top * bottom
        if term and abs(1 - top * bottom) < _CLOSE:
            break
    return front * (value - 1) / a


def t_two_sided(t: float, freedom: float) -> float:
    """The probability that |T| exceeds |t|; `freedom` need not be whole."""
    if t * t < freedom:  # use the argument far from 1, to avoid cancellation
        return 1 - beta_share(t * t / (freedom + t * t), 0.5, freedom / 2)
    return beta_share(freedom / (freedom + t * t), freedom / 2, 0.5)


def t_above(t: float, freedom: float) -> float:
    """The probability that T exceeds t."""
    half = t_two_sided(t, freedom) / 2
    return half if t >= 0 else 1 - half


@lru_cache(maxsize=4096)
def t_quantile(freedom: float, share: float = 0.975) -> float:
    """The quantile of T at probability `share` (at least a half).

    Raises ValueError without any degrees of freedom.
    """
    if not freedom > 0:  # NaN too
        raise ValueError(f"t has no quantile with {freedom:g} degrees of freedom")
    scale = exp(lgamma((freedom + 1) / 2) - lgamma(freedom / 2)) / sqrt(freedom * pi)
    result = NORMAL.inv_cdf(share)
    for _ in range(60):  # Newton steps increase towards the root from the normal quantile, which is below it
        density = scale * (1 + result * result / freedom) ** (-(freedom + 1) / 2)
        step = (t_above(result, freedom) - (1 - share)) / density
        result += step
        if abs(step) < 1e-12 * (1 + abs(result)):
            break
    return result


def f_quantile(share: float, first: float, second: float) -> float:
    """The quantile at probability `share` of F with `first` and `second` degrees of freedom."""
    low, high = 0.0, 1.0
    for _ in range(200):  # bisection on the beta scale, where the whole range is 0 to 1
        middle = (low + high) / 2
        if beta_share(middle, first / 2, second / 2) < share:
            low = middle
        else:
            high = middle
        if high - low < 1e-15 * high:
            break
    return second * high / (first * (1 - high)) if high < 1 else float("inf")
