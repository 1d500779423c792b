"""The mean of figures that hang together in two ways, such as by person and by case, and the power it has.

The variance of the mean is

    V = V(first way) + V(second way) - V(left over)

each of the first two from the sums of residuals within that way's clusters; the last, which both contain, is
that of what neither way explains (least squares on both), 0 where nothing is left to tell it by. Degrees of
freedom after Satterthwaite. Sources: Cameron, Gelbach and Miller 2011; Cameron and Miller 2015.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from osler.stats.cluster_t import FEWEST, Floats, Pivot
from osler.stats.distributions import t_quantile

POWER: Final = 0.8
MOST: Final = 10_000
"""The most clusters of a way that are looked for."""
_LEVEL: Final = 0.975
_NO_SPREAD: Final = 1e-12
_ROUNDS: Final = 500
_ADDED: Final = 1.0
"""The weight, in clusters, of the two pairs that are added to right and wrong answers."""

Places = NDArray[np.intp]


class TwoWay(NamedTuple):
    """The variance of a mean over `n` figures in parts: what clusters of the `first` way differ by, those of
    the `second`, and what is `left`; each as it enters the variance. `many` counts the clusters of each way;
    `right_or_wrong` as for `pivot_of`."""

    first: float
    second: float
    left: float
    many: tuple[int, int]
    n: int
    right_or_wrong: bool = False

    @property
    def variance(self) -> float:
        """The variance of the mean."""
        return self.first + self.second + self.left

    @property
    def freedom(self) -> float:
        """The degrees of freedom (Satterthwaite), at least those of the fewer clusters."""
        ways = ((self.first + self.left) ** 2, self.many[0]), ((self.second + self.left) ** 2, self.many[1])
        below = sum(square / (many - 1) for square, many in ways if many > 1)
        least = max(min(self.many) - 1.0, 1.0)
        return max(self.variance**2 / below, least) if below > 0 else least

    def of(self, first: int, second: int) -> TwoWay:
        """The same with other numbers of clusters, each pair of clusters as full as now."""
        wider, taller = self.many[0] / first, self.many[1] / second
        n = round(self.n / wider / taller)
        parts = self.first * wider, self.second * taller, self.left * wider * taller
        return TwoWay(*parts, (first, second), n, self.right_or_wrong)

    def smallest(self, power: float = POWER) -> float:
        """The smallest true difference that such a design shows (5 %, two-sided) with this power."""
        added = _ADDED / min(self.many) ** 2 if self.right_or_wrong else 0.0
        reach = t_quantile(self.freedom, _LEVEL) * np.sqrt(self.variance + added)
        return float(reach + t_quantile(self.freedom, power) * np.sqrt(self.variance))


class Needed(NamedTuple):
    """The numbers of clusters that show a difference: of the first way alone, of the second alone, or of both
    in the proportion they have now; `None` where no number does."""

    first: int | None
    second: int | None
    both: tuple[int, int] | None


def two_way(
    values: Floats, first: Sequence[object], second: Sequence[object], *, right_or_wrong: bool = False
) -> TwoWay:
    """The parts of the variance of the mean of `values`, of which each belongs to a cluster of either way."""
    one, other = _numbered(first), _numbered(second)
    n, many = len(values), (int(one.max(initial=-1)) + 1, int(other.max(initial=-1)) + 1)
    off = values - values.mean() if n else values
    left = _left_over(off, one, other, many)
    by_one, by_other = _between(off, one, many[0]), _between(off, other, many[1])
    # Chance may leave less between clusters than what is left over explains.
    return TwoWay(max(by_one - left, 0.0), max(by_other - left, 0.0), left, many, n, right_or_wrong)


def pivot_of(value: float, found: TwoWay) -> Pivot | None:
    """The pivot of the mean; `None` below `FEWEST` clusters of either way, and without variation.

    If `right_or_wrong`, each figure is the difference of two answers, -1, 0 or 1, and a pair in favour of
    either side is added (Bonett and Price 2012), because a few pairs that all agree do not prove that all do.
    The two weigh as much as one cluster of the way that has fewer: people who meet the same cases share the
    other side's answers, so many people on a dozen cases are a dozen, not hundreds, of those.
    """
    if min(found.many) < FEWEST:
        return None
    error = float(np.sqrt(found.variance))
    if found.right_or_wrong:
        size = min(found.many)
        whole = size + _ADDED
        centre = value * size / whole
        mean_square = (found.variance * size**2 + value**2 * size + _ADDED) / whole
        return Pivot(centre, float(np.sqrt((mean_square - centre**2) / whole)), found.freedom)
    return Pivot(value, error, found.freedom) if error > _NO_SPREAD * max(1.0, abs(value)) else None


def needed(found: TwoWay, difference: float, power: float = POWER) -> Needed:
    """The numbers of clusters with which a true `difference` is shown with this power."""
    first, second = found.many

    def enough(of: Callable[[int], tuple[int, int]], now: int) -> int | None:
        low, high = now - 1, MOST
        if found.of(*of(high)).smallest(power) > difference:
            return None
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (
                (low, middle) if found.of(*of(middle)).smallest(power) <= difference else (middle, high)
            )
        return high

    def together(one: int) -> tuple[int, int]:
        return one, max(round(one * second / first), second)

    both = enough(together, first)
    return Needed(
        enough(lambda one: (one, second), first),
        enough(lambda other: (first, other), second),
        None if both is None else together(both),
    )


def _between(off: Floats, where: Places, many: int) -> float:
    """The variance of the mean by the sums of residuals within clusters."""
    if many < 2:
        return 0.0
    sums = np.bincount(where, off, many)
    return float((sums**2).sum()) * many / (many - 1) / len(off) ** 2


def _left_over(off: Floats, one: Places, other: Places, many: tuple[int, int]) -> float:
    """The variance of the mean by what neither way explains, 0 without degrees of freedom to tell it by."""
    n, free = len(off), len(off) - sum(many) + _parts(one, other, many)
    if free <= 0:
        return 0.0
    left, before = off, float((off**2).sum()) * 2
    for _ in range(_ROUNDS):  # each way's means are taken out in turn, until neither is left
        for where, size in ((one, many[0]), (other, many[1])):
            left = left - (np.bincount(where, left, size) / np.bincount(where, minlength=size))[where]
        now = float((left**2).sum())
        if before - now <= 1e-9 * before:
            break
        before = now
    return float((left**2).sum()) / free / n


def _parts(one: Places, other: Places, many: tuple[int, int]) -> int:
    """The number of parts into which the figures fall that share no cluster of either way."""
    label, joined = np.arange(many[0]), np.arange(many[1])
    while True:
        np.minimum.at(joined, other, label[one])
        before = label.copy()
        np.minimum.at(label, one, joined[other])
        if (label == before).all():
            return len(np.unique(label))
        joined = np.full(many[1], many[0])


def _numbered(names: Sequence[object]) -> Places:
    """The index of each cluster in the order of its first figure."""
    known: dict[object, int] = {}
    return np.array([known.setdefault(name, len(known)) for name in names], np.intp)
