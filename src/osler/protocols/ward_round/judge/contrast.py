"""The difference between two gains in the same worlds: second minus first, clustered by case."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from osler.protocols.ward_round.judge.outcomes import Outcomes, Part
from osler.stats.cluster_t import Floats
from osler.stats.paired import Difference, paired_ratio


def gain_difference(first: Sequence[Outcomes], second: Sequence[Outcomes], part: Part) -> Difference:
    """The gain of `second` minus that of `first` over the pairs that both could score."""
    cases = [session.case for session in first]
    return paired_ratio(cases, _parts(first, part), _parts(second, part))


def _parts(sessions: Sequence[Outcomes], part: Part) -> Floats:
    """Each session's gain and possible gain, as columns; NaN if it could not be scored."""
    found = np.full((len(sessions), 2), np.nan)
    for place, session in enumerate(sessions):
        before, after = session.before[part], session.after[part]
        if session.scored and before is not None and after is not None:
            found[place] = after - before, 1 - before
    return found
