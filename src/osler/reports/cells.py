"""Figures as text: numbers, percentages and intervals, and the table cells of an HTML report."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

from osler.stats.cluster_t import FEWEST
from osler.stats.intervals import Estimate, bounds, too_few_scored
from osler.stats.paired import Difference

NO_VALUE: Final = "-"


def number(value: float | None, share: bool) -> str:
    """Format a share as a percentage, any other figure to three significant digits, `None` as a dash."""
    if value is None:
        return NO_VALUE
    return f"{value:.1%}" if share else f"{value:.3g}" if abs(value) < 100 else f"{value:,.0f}"


def interval(estimate: Estimate, share: bool) -> str:
    """Format an interval as "low to high", or a dash if there is none."""
    if estimate.low is None or estimate.high is None:
        return NO_VALUE
    return f"{number(estimate.low, share)} to {number(estimate.high, share)}"


def without_interval(estimates: Iterable[Estimate]) -> tuple[str, ...]:
    """Return the sentence under a table in which a figure has no interval; none if all have one."""
    missing = any(one.value is not None and one.low is None for one in estimates)
    return (f"No interval: fewer than {FEWEST} cases, or all of them alike.",) if missing else ()


class Cell(NamedTuple):
    """A figure of one run, formatted: value, interval, and how many episodes were scored and unscored."""

    value: str
    interval: str
    counts: str


def cell(estimate: Estimate, share: bool) -> Cell:
    """Return the cell of a figure, as a percentage if it is a share."""
    counts = f"{estimate.n:,} scored" + (f", {estimate.unscored:,} not" if estimate.unscored else "")
    return Cell(number(estimate.value, share), interval(estimate, share), counts)


def right_cell(estimate: Estimate) -> Cell:
    """Return the cell of a proportion; if more than 5 % are unscored, its bounds instead of a headline."""
    shown = cell(estimate, True)
    if (
        estimate.value is None
        or (ends := bounds(estimate.value * estimate.n, estimate.n, estimate.unscored)) is None
    ):
        return shown
    return shown._replace(value="bounds only", interval=f"{from_to(ends)} (bounds)")


def from_to(ends: tuple[float, float]) -> str:
    """Format two shares as a range."""
    return f"{number(ends[0], True)} to {number(ends[1], True)}"


def sure(estimate: Estimate) -> Estimate | None:
    """Return the figure if it may be drawn: `None` if more than 5 % are unscored."""
    return None if too_few_scored(estimate.n, estimate.unscored) else estimate


def gain_cell(found: Estimate | Difference, share: bool, counts: str) -> Cell:
    """Return the cell of a signed difference, in percentage points if it is of shares."""
    form = "+.1%" if share else "+.3g"
    signed = [None if end is None else format(end, form) for end in (found.value, found.low, found.high)]
    reach = "-" if None in signed else f"{signed[1]} to {signed[2]}"
    return Cell(signed[0] or "-", reach, counts)


def counted_of(estimate: Estimate) -> Cell:
    """Return the cell of a share, with the number it is a share of."""
    return cell(estimate, True)._replace(counts=f"of {estimate.n:,}")
