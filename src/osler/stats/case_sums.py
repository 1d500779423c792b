"""Sums by case: all that an interval clustered by case needs of any number of episodes.

Of each figure and case: how many episodes were scored, the sum of their parts, and of their wholes (a plain
figure is a ratio whose whole is 1 in each episode). Sums of squares and cross products over cases, which the
intervals are made of, follow from these. The sums of two sets of episodes add up to those of both. Memory
grows with different cases only: 12 bytes a figure and case, 20 where it is a ratio.
"""

from __future__ import annotations

from typing import Final, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from osler.stats.cluster_t import Floats

Places = NDArray[np.intp]
Counts = NDArray[np.int32]
N = TypeVar("N", np.int32, np.float64)
_FIRST: Final = 64
_GROWTH: Final = 1.5


class ByCase(NamedTuple):
    """One figure's sums by case: arrays of one length, in the order of the sorted cases; a case without a
    scored episode is left out."""

    parts: Floats
    wholes: Floats
    counts: Counts


class CaseSums:
    """An accumulator of `columns` figures, to which batches of episodes are added column by column."""

    def __init__(self, columns: int) -> None:
        self._index: dict[str, int] = {}
        self._columns = [_Column() for _ in range(columns)]

    @property
    def cases(self) -> int:
        """The number of different cases."""
        return len(self._index)

    @property
    def nbytes(self) -> int:
        """The bytes of all sums, without the index of cases."""
        return sum(column.nbytes for column in self._columns)

    def place(self, case: str) -> int:
        """The place of a case, which is new if it is the first episode of that case."""
        return self._index.setdefault(case, len(self._index))

    def add(self, column: int, places: Places, parts: Floats, wholes: Floats | None = None) -> None:
        """Add scored episodes of one column, each at the place of its case. Without `wholes` each is 1."""
        self._columns[column].add(len(self._index), places, parts, wholes)

    def join(self, other: CaseSums) -> None:
        """Add the sums of other episodes, of the same columns."""
        places = np.array([self.place(case) for case in other._index], np.intp)
        for mine, theirs in zip(self._columns, other._columns, strict=True):
            mine.join(len(self._index), places, theirs)

    def order(self) -> Places:
        """The places of the sorted cases."""
        return np.array([self._index[case] for case in sorted(self._index)], np.intp)

    def column(self, column: int, order: Places) -> ByCase:
        """The sums of one column; `order` is that of `order`, computed once for all columns."""
        return self._columns[column].in_order(order)


class _Column:
    def __init__(self) -> None:
        self._counts: Counts = np.zeros(0, np.int32)
        self._parts: Floats = np.zeros(0)
        self._wholes: Floats | None = None
        """Until a whole other than 1 comes, it is the count."""

    @property
    def nbytes(self) -> int:
        whole = 0 if self._wholes is None else self._wholes.nbytes
        return self._counts.nbytes + self._parts.nbytes + whole

    def add(self, cases: int, places: Places, parts: Floats, wholes: Floats | None) -> None:
        self._grow(cases)
        if wholes is not None and self._wholes is None:
            self._wholes = self._counts.astype(np.float64)
        # Unbuffered and in order, so that the digits are those of adding one episode after the other.
        np.add.at(self._counts, places, np.int32(1))
        np.add.at(self._parts, places, parts)
        if self._wholes is not None:
            np.add.at(self._wholes, places, 1.0 if wholes is None else wholes)

    def join(self, cases: int, places: Places, other: _Column) -> None:
        self._grow(cases)
        held = len(other._counts[: len(places)])  # the other's last cases may have no sum yet
        where = places[:held]
        if other._wholes is not None and self._wholes is None:
            self._wholes = self._counts.astype(np.float64)
        self._counts[where] += other._counts[:held]
        self._parts[where] += other._parts[:held]
        if self._wholes is not None:
            theirs = other._counts if other._wholes is None else other._wholes
            self._wholes[where] += theirs[:held]

    def in_order(self, order: Places) -> ByCase:
        self._grow(len(order))
        counts = self._counts[order]
        kept = counts > 0
        there, counts = order[kept], counts[kept]
        wholes = counts.astype(np.float64) if self._wholes is None else self._wholes[there]
        return ByCase(self._parts[there], wholes, counts)

    def _grow(self, cases: int) -> None:
        if cases > len(self._counts):
            size = max(_FIRST, cases, int(len(self._counts) * _GROWTH))
            self._counts = _longer(self._counts, size)
            self._parts = _longer(self._parts, size)
            self._wholes = None if self._wholes is None else _longer(self._wholes, size)


def _longer(held: NDArray[N], size: int) -> NDArray[N]:
    result = np.zeros(size, held.dtype)
    result[: len(held)] = held
    return result
