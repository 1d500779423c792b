"""Several compared runs in order: ranks with intervals, and pass^k where cases were repeated."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from math import isnan
from typing import Any, Final

from osler.core.events import Frozen
from osler.core.measure import Measure
from osler.stats.intervals import pass_power
from osler.stats.paired import Difference
from osler.stats.ranks import ranks

MOST_K: Final = 8
"""pass^k is given up to this k."""


class Ranked(Frozen):
    """A run's rank by the primary score, 1 is best, with its 95 % interval (`osler.stats.ranks`)."""

    run: str
    rank: int | None
    low: int | None
    high: int | None


class PassPower(Frozen):
    """pass^k of a run: the probability that `k` repeats of a case are all right, over `n` cases."""

    run: str
    k: int
    value: float | None
    low: float | None
    high: float | None
    n: int
    unscored: int


def ranked(
    names: Sequence[str], gaps: Mapping[tuple[int, int], Difference], measure: Measure
) -> tuple[Ranked, ...]:
    """Return the rank of each run; none if neither more nor less of the measure is better."""
    if measure.better == "neither":
        return ()
    result = zip(names, ranks(len(names), gaps, measure.better), strict=True)
    return tuple(Ranked(run=name, **one._asdict()) for name, one in result)


def passed(
    name: str,
    values: Mapping[tuple[Any, ...], tuple[float, float]],
    clusters: Mapping[str, str],
    measure: Measure,
) -> tuple[PassPower, ...]:
    """Return pass^k of a run for k = 2, 3, ...; empty unless every score is right or wrong, and some case was
    repeated.

    `values` maps each world, whose first element is the case, to (part, whole); `clusters` maps each case.
    """
    if measure.interval != "proportion" or measure.ratio:
        return ()
    asked = {world: held for world, held in values.items() if not _nothing(*held)}
    tries: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for (case, *_), (part, whole) in asked.items():
        result = tries[case]  # also a case without a scored repeat, which pass_power counts as unscored
        if whole == 1:
            if part not in (0, 1):
                return ()
            result[0] += int(part)
            result[1] += 1
    repeats = max(Counter(world[0] for world in asked).values(), default=0)
    counts = {case: (right, n) for case, (right, n) in tries.items()}
    return tuple(
        PassPower(run=name, k=k, **asdict(pass_power(counts, k, clusters)))
        for k in range(2, min(repeats, MOST_K) + 1)
    )


def _nothing(part: float, whole: float) -> bool:
    return isnan(whole) and not isnan(part)
