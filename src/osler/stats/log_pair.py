"""The difference of two paired ratios that are positive, such as costs per success, without resampling.

Each side has an interval symmetrical on the logarithm (as `osler.stats.intervals.per_success`); the interval
of the difference is recovered from both and their correlation over cases (MOVER: Zou and Donner 2008; Donner
and Zou 2012), so that it leans to the side of the rarer success, as a bootstrap does and a plain t interval
does not. `benchmarks/coverage.py --many` shows its coverage.
"""

from __future__ import annotations

from math import exp, sqrt
from typing import Final, NamedTuple

from osler.stats.cluster_t import Floats, residuals, robust_error
from osler.stats.distributions import t_quantile, t_two_sided

_NO_SPREAD: Final = 1e-12
_FARTHEST: Final = 40.0
"""The largest t that is told from larger ones."""
_STEPS: Final = 100


class LogPair(NamedTuple):
    """Two ratios with their standard errors, how these correlate, and their degrees of freedom."""

    first: float
    second: float
    first_error: float
    second_error: float
    correlation: float
    freedom: float

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """The two-sided interval of second minus first at this level."""
        return self._reach(t_quantile(self.freedom, (1 + level) / 2))

    def p(self) -> float:
        """The two-sided p value of no difference: below 0.05 exactly if the 95 % interval excludes 0."""
        gap = self.second - self.first
        if gap == 0:
            return 1.0
        near, far = (
            (0.0, middle) if self._holds_0(middle := t_quantile(self.freedom)) else (middle, _FARTHEST)
        )
        for _ in range(_STEPS):
            middle = (near + far) / 2
            near, far = (near, middle) if self._holds_0(middle) else (middle, far)
        return t_two_sided(near, self.freedom)

    def _holds_0(self, t: float) -> bool:
        low, high = self._reach(t)
        return low <= 0 <= high

    def _reach(self, t: float) -> tuple[float, float]:
        down, up = _arms(self.first, self.first_error, t)
        other_down, other_up = _arms(self.second, self.second_error, t)
        gap = self.second - self.first
        return gap - self._joined(other_down, up), gap + self._joined(other_up, down)

    def _joined(self, one: float, other: float) -> float:
        return sqrt(max(one**2 - 2 * self.correlation * one * other + other**2, 0.0))


def log_pair(parts: Floats, wholes: Floats) -> LogPair | None:
    """The pair of sum(parts) / sum(wholes) by side; (cases, 2) arrays of each case's sums, first and second.

    `None` without variation of the difference. The wholes of each side must not sum to 0.
    """
    sides = [(parts[:, side], wholes[:, side], float(wholes[:, side].sum())) for side in (0, 1)]
    left = [residuals(part, whole) / weight for part, whole, weight in sides]
    first, second = (float(part.sum()) / weight for part, _, weight in sides)
    errors = [robust_error(one, 1.0) for one in left]
    if robust_error(left[1] - left[0], 1.0) <= _NO_SPREAD * max(1.0, abs(first), abs(second)):
        return None
    spreads = [float((one**2).sum()) for one in left]
    joint = float((left[0] * left[1]).sum())
    correlation = joint / (spreads[0] * spreads[1]) ** 0.5 if min(spreads) > 0 else 0.0
    return LogPair(first, second, errors[0], errors[1], correlation, len(parts) - 1.0)


def _arms(value: float, error: float, t: float) -> tuple[float, float]:
    """Return the distances by which an interval extends below and above its value."""
    if value <= 0:
        return t * error, t * error
    factor = exp(t * error / value)
    return value - value / factor, value * factor - value
