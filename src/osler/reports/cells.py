"""Figures as they stand in the cells of a page: the value, its interval, and how many were counted."""

from __future__ import annotations

from typing import NamedTuple

from osler.judging.statistics import Estimate, bounds, too_few_scored
from osler.reports.summary import Interval
from osler.reports.tables import interval, number


class Cell(NamedTuple):
    """A figure of one run: the figure, its interval, and how many episodes were scored and not scored."""

    value: str
    interval: str
    counts: str


def cell(found: Estimate | Interval, share: bool) -> Cell:
    """A figure, in per cent where it is a share."""
    held = found if isinstance(found, Interval) else Interval(**found._asdict())
    counts = f"{held.n:,} scored" + (f", {held.unscored:,} not" if held.unscored else "")
    return Cell(number(held.value, share), interval(held, share), counts)


def right_cell(found: Estimate | Interval) -> Cell:
    """A share answered rightly; where more than 5 % are unscored, its bounds instead."""
    shown = cell(found, True)
    if found.value is None or (ends := bounds(found.value * found.n, found.n, found.unscored)) is None:
        return shown
    return shown._replace(value="no headline", interval=f"{from_to(ends)} (bounds)")


def from_to(ends: tuple[float, float]) -> str:
    """Two shares as a range."""
    return f"{number(ends[0], True)} to {number(ends[1], True)}"


def sure(found: Estimate | Interval) -> Estimate | Interval | None:
    """What may be drawn: nothing where more than 5 % are unscored."""
    return None if too_few_scored(found.n, found.unscored) else found


def gain_cell(found: Estimate) -> Cell:
    """A difference of shares, with its sign."""
    signed = [None if end is None else f"{end:+.1%}" for end in found[:3]]
    reach = "-" if None in signed else f"{signed[1]} to {signed[2]}"
    return Cell(signed[0] or "-", reach, f"{found.n:,} cases")


def counted_of(found: Estimate) -> Cell:
    """A share of things that were counted."""
    return cell(found, True)._replace(counts=f"of {found.n:,}")
