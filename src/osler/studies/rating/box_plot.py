"""The box plot of one rater's or judge's levels on an item."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from osler.reports.rating_boxes import Box
from osler.stats.intervals import mean_interval
from osler.studies.rating.scales import Item


def box(
    item: Item, by: str, judge: bool, marks: bool, cases: Sequence[str], levels: Sequence[float | None]
) -> Box | None:
    """Return the box of one rater or judge; a level is `None` for an unscored episode. `marks` are levels
    counted from 1. Returns `None` if nothing was scored."""
    scored = [(case, level) for case, level in zip(cases, levels, strict=True) if level is not None]
    if not scored:
        return None
    first = 1 if marks else 0
    by_case: dict[str, list[float]] = {}
    for case, level in scored:
        by_case.setdefault(case, []).append(level + first)
    values = [level + first for _, level in scored]
    least, lower, middle, upper, most = np.percentile(values, [0, 25, 50, 75, 100]).tolist()
    mean = mean_interval(by_case, len(levels) - len(scored))
    last = item.top + first
    return Box(
        item=item.id,
        by=by,
        judge=judge,
        first=first,
        last=last,
        least=least,
        lower=lower,
        middle=middle,
        upper=upper,
        most=most,
        mean=mean.within(float(first), float(last)),
    )
