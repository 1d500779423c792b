"""Figures of agreement with their intervals; too few episodes give a reason instead of a value."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from osler.core.events import Frozen
from osler.stats.intervals import Estimate, mean_interval

FEWEST: Final = 10
"""The fewest episodes that support a coefficient or a correction."""
TOO_FEW: Final = "too_few"
ALL_ALIKE: Final = "all_alike"
ONE_RATER: Final = "one_rater"


class Figure(Frozen):
    """A figure with its 95 % interval over `n` episodes; `left_out` could not count. `reason` says why there
    is no value: `too_few`, `all_alike` (nothing varies) or `one_rater`."""

    value: float | None
    low: float | None
    high: float | None
    n: int
    left_out: int
    reason: str = ""


def figure(n: int, left_out: int, found: Callable[[], Estimate], why: str = "") -> Figure:
    """Return the figure computed by `found`, if there are enough episodes and no reason `why` against it."""
    why = why or (TOO_FEW if n < FEWEST else "")
    if why:
        return Figure(value=None, low=None, high=None, n=n, left_out=left_out, reason=why)
    one = found()
    reason = ALL_ALIKE if one.value is None else ""
    return Figure(value=one.value, low=one.low, high=one.high, n=n, left_out=left_out, reason=reason)


def share(cases: Sequence[str], values: Sequence[float], left_out: int, why: str = "") -> Figure:
    """Return the mean of values between 0 and 1, clustered by case; valid from one episode on."""
    by_case: dict[str, list[float]] = {}
    for case, value in zip(cases, values, strict=True):
        by_case.setdefault(case, []).append(value)
    mean = mean_interval(by_case, proportion=True)
    reason = "" if mean.n else why or TOO_FEW
    return Figure(value=mean.value, low=mean.low, high=mean.high, n=mean.n, left_out=left_out, reason=reason)
