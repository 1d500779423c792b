"""Rank intervals: which places several runs may truly hold, from all pairwise differences together.

A run's true rank is 1 + the number of runs that are truly better, so ties share the better rank. From
pairwise tests whose family-wise error is at most 5 %: a run comes after each run shown to be better, and
before each shown to be worse. All intervals together then hold the true ranks with at least 95 % probability,
ties included, which a bootstrap of the ranks themselves does not achieve where runs are close.
Source: Mogstad, Romano, Shaikh and Wilhelm 2024, Inference for ranks. Mohamad, van Zwet, Solari and Goeman
2022 use Tukey's test for the same, which assumes equal variances. Here the tests are adjusted after Holm.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, NamedTuple

from osler.stats.paired import Difference

LEVEL: Final = 0.05
"""The family-wise error of the pairwise tests."""


class Rank(NamedTuple):
    """The rank by the differences observed (1 is best, ties share it), and its 95 % interval, jointly with
    those of the others. All `None` for a run that has no difference from any other."""

    rank: int | None
    low: int | None
    high: int | None


def told_apart(gap: Difference) -> bool:
    """Whether the two differ at 5 %, after Holm's adjustment where `gap` belongs to a family; never if more
    than 5 % of its pairs are unscored."""
    p = gap.p if gap.p_holm is None else gap.p_holm
    return p is not None and p < LEVEL and gap.bounds is None


def ranks(
    count: int, gaps: Mapping[tuple[int, int], Difference], better: Literal["more", "less"] = "more"
) -> list[Rank]:
    """Return the ranks of `count` runs; `gaps[i, j]` is run j minus run i, given once for each pair."""
    ahead, surely_ahead, surely_behind = [0] * count, [0] * count, [0] * count
    met = [False] * count
    for (first, second), gap in gaps.items():
        if gap.value is None:
            continue
        met[first] = met[second] = True
        if gap.value == 0:
            continue
        winner, loser = (second, first) if (gap.value > 0) == (better == "more") else (first, second)
        ahead[loser] += 1
        if told_apart(gap):
            surely_ahead[loser] += 1
            surely_behind[winner] += 1
    return [
        Rank(1 + ahead[n], 1 + surely_ahead[n], count - surely_behind[n])
        if met[n]
        else Rank(None, None, None)
        for n in range(count)
    ]
