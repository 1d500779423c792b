"""Formatting of a study's numbers: values, differences, p values, and the reason for a missing interval."""

from __future__ import annotations

from typing import Final

from osler.core.measure import Kind, Measure
from osler.stats.cluster_t import FEWEST

_PLACES: Final[dict[Kind, int]] = {"gain": 3, "mark": 2, "share": 3, "count": 2}


def value_of(measure: Measure, value: float | None) -> str:
    """Format a value of a measure, as a percentage where it is a share; a dash for `None`."""
    if value is None:
        return "-"
    rounded = _rounded(value, measure.kind)
    return f"{rounded:.1%}" if measure.share else f"{rounded:.{_PLACES[measure.kind]}f}"


def difference_of(measure: Measure, value: float | None) -> str:
    """Format a signed difference of two values; a difference of two shares is in percentage points."""
    if value is None:
        return "-"
    if measure.share:
        return f"{round(value * 100, 1) + 0.0:+.1f} points"
    return f"{_rounded(value, measure.kind):+.{_PLACES[measure.kind]}f}"


def p_value(p: float | None) -> str:
    """Format a p value to three decimal places; a dash where there is none."""
    return "-" if p is None else "< 0.001" if p < 0.001 else f"{p:.3f}"


def no_interval(value: float | None, cases: int) -> str:
    """The reason why a figure has no interval."""
    if value is None:
        return "nothing scored"
    if cases < FEWEST:
        return f"no interval from {'one case' if cases <= 1 else f'{cases} cases'}"
    return "no spread"


def _rounded(value: float, kind: Kind) -> float:
    """Round as printed, so that nothing reads as minus zero."""
    return round(value, _PLACES[kind]) + 0.0
