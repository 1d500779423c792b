"""The difference of two gains on the same worlds: second minus first, clustered by case.

A gain is a ratio of sums, so the error of a difference is that of its linearization: each case adds
(after - before) - gain x room on either side, over that side's room (Taylor; Cameron and Miller 2015).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np

from osler.judging.pairing import Difference
from osler.judging.pivot import Floats, Pivot, residuals
from osler.judging.teaching.outcomes import Outcomes, Part


def gain_difference(first: Sequence[Outcomes], second: Sequence[Outcomes], part: Part) -> Difference:
    """The gain of `second` minus that of `first` over the cases both could score.

    `n_pairs` is the number of sessions on the smaller side, `unscored` those left out on either.
    """
    one, other = _sums(first, part), _sums(second, part)
    both = sorted(one.keys() & other.keys())
    sessions = min(len(first), len(second))
    scored = min(sum(one[case][2] for case in both), sum(other[case][2] for case in both)) if both else 0
    found = Difference(n_pairs=int(scored), cases=len(both), unscored=sessions - int(scored))
    if not both:
        return found
    a, b = (np.array([side[case] for case in both]) for side in (one, other))
    if a[:, 1].sum() <= 0 or b[:, 1].sum() <= 0:
        return found
    gains = [float(side[:, 0].sum() / side[:, 1].sum()) for side in (a, b)]
    found = found._replace(
        value=round(gains[1] - gains[0], 6), first=round(gains[0], 6), second=round(gains[1], 6)
    )
    left: Floats = _left(b) - _left(a)
    size = len(left)
    error = float(np.sqrt((left**2).sum() * size / (size - 1))) if size > 1 else 0.0
    if error < 1e-12:
        return found
    pivot = Pivot(gains[1] - gains[0], error, size - 1)
    low, high = pivot.interval()
    return found._replace(low=round(low, 6), high=round(high, 6), p=pivot.p())


def _left(side: Floats) -> Floats:
    found: Floats = residuals(side[:, 0], side[:, 1]) / side[:, 1].sum()
    return found


def _sums(sessions: Sequence[Outcomes], part: Part) -> dict[str, tuple[float, float, float]]:
    """For each case what was gained, what there was to gain, and how many sessions could be scored."""
    found: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0, 0.0])
    for session in sessions:
        before, after = session.before[part], session.after[part]
        if session.scored and before is not None and after is not None:
            sums = found[session.case]
            sums[0] += after - before
            sums[1] += 1 - before
            sums[2] += 1
    return {case: (sums[0], sums[1], sums[2]) for case, sums in found.items()}
