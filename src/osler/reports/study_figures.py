"""How a measure's numbers are written in a study: values, differences, p values, and why there is none."""

from __future__ import annotations

from typing import Final

from osler.core.measure import Kind, Measure
from osler.reports.summary import Interval

_PLACES: Final[dict[Kind, int]] = {"gain": 3, "mark": 2, "share": 3, "count": 2}


def value_of(measure: Measure, value: float | None) -> str:
    """A value of a measure, in per cent where it is a share; a dash for `None`."""
    if value is None:
        return "-"
    rounded = _rounded(value, measure.kind)
    return f"{rounded:.1%}" if measure.share else f"{rounded:.{_PLACES[measure.kind]}f}"


def difference_of(measure: Measure, value: float | None) -> str:
    """A difference of two values with its sign; that of two shares is in points of a hundred."""
    if value is None:
        return "-"
    if measure.share:
        return f"{round(value * 100, 1) + 0.0:+.1f} points"
    return f"{_rounded(value, measure.kind):+.{_PLACES[measure.kind]}f}"


def within(measure: Measure, found: Interval) -> Interval:
    """A figure with its interval cut to where the measure can lie."""

    def cut(end: float | None) -> float | None:
        return None if end is None else min(max(end, measure.least), measure.most)

    return found.model_copy(update={"low": cut(found.low), "high": cut(found.high)})


def p_value(p: float | None) -> str:
    """A p value to three places; a dash where there is none."""
    return "-" if p is None else "< 0.001" if p < 0.001 else f"{p:.3f}"


def no_interval(value: float | None, cases: int) -> str:
    """Why there is no interval."""
    if value is None:
        return "nothing scored"
    return "no interval from one case" if cases <= 1 else "no spread"


def _rounded(value: float, kind: Kind) -> float:
    """Rounded as it is printed, so that nothing reads as minus zero."""
    return round(value, _PLACES[kind]) + 0.0
