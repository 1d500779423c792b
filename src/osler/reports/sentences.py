"""A comparison in a sentence: which run is better and by how much, or that they are not told apart."""

from __future__ import annotations

from osler.core.measure import Measure
from osler.reports.cells import number
from osler.stats.paired import Difference
from osler.stats.ranks import LEVEL, told_apart


def verdict(measure: Measure, first: str, second: str, gap: Difference, pairs: int = 1) -> str:
    """Return the sentence on two runs with these names; `gap` is second minus first, with p adjusted after
    Holm if the runs make more than one pair (`pairs`)."""
    if gap.value is None:
        return f"{first} and {second} share no episode that is scored in both."
    if gap.bounds is not None:
        least, most = (_amount(end, measure) for end in gap.bounds)
        return (
            f"{first} and {second} cannot be told apart fairly: {gap.unscored:,} of"
            f" {gap.unscored + gap.n_pairs:,} pairs are unscored; with all of those counted against {second},"
            f" or for it, the difference is {least} or {most}."
        )
    if gap.low is None or gap.high is None:
        if gap.value == 0 and gap.first == gap.second:
            return f"{first} and {second} score the same in every case: {_how_many(gap)}."
        return (
            f"{second} minus {first} is {_amount(gap.value, measure)}, without an interval: {_how_many(gap)}."
        )
    p = _p(gap, pairs)
    if measure.better == "neither" or not told_apart(gap):
        reach = _reach(gap.low, gap.high, measure)
        text = f"is {_amount(gap.value, measure)} ({reach}, {p})."
        if told_apart(gap):
            return f"{second} minus {first} {text}"
        return f"{first} and {second} are not told apart{_why_not(gap)}: the second minus the first {text}"
    ends = (gap.low, gap.high) if gap.value > 0 else (-gap.high, -gap.low)
    winner, loser = (second, first) if (gap.value > 0) == (measure.better == "more") else (first, second)
    size = _amount(abs(gap.value), measure).lstrip("+")
    return f"{winner} is better than {loser} by {size} ({_reach(*ends, measure)}, {p})."


def _why_not(gap: Difference) -> str:
    """The clause for two that only the adjustment of p keeps from being told apart: their interval is not
    adjusted."""
    alone = gap.p is not None and gap.p < LEVEL and gap.p_holm is not None
    return " once p is adjusted for all pairs, which their own interval is not" if alone else ""


def points(value: float | None, share: bool) -> str:
    """Format a signed difference: of shares in percentage points without the unit, others as a number."""
    if value is None:
        return "-"
    return f"{100 * value:+.1f}" if share else f"{'+' if value > 0 else ''}{number(value, False)}"


def p_value(gap: Difference) -> str:
    """Format p, after Holm's adjustment if it belongs to a family; a dash without one, and where bounds are
    reported instead."""
    p = gap.p if gap.p_holm is None else gap.p_holm
    return "-" if p is None or gap.bounds else "<0.001" if p < 0.001 else f"{p:.3f}"


def _amount(value: float, measure: Measure) -> str:
    return points(value, measure.share) + (" points" if measure.share else "")


def _reach(low: float, high: float, measure: Measure) -> str:
    return f"95 % interval {points(low, measure.share)} to {points(high, measure.share)}"


def _p(gap: Difference, pairs: int) -> str:
    result = p_value(gap)
    text = f"p {result}" if result.startswith("<") else f"p = {result}"
    return text if pairs < 2 else f"{text} after Holm over {pairs} pairs"


def _how_many(gap: Difference) -> str:
    return f"{_counted(gap.n_pairs, 'pair')} of {_counted(gap.cases, 'case')}"


def _counted(n: int, what: str) -> str:
    return f"{n:,} {what}{'s' if n != 1 else ''}"
