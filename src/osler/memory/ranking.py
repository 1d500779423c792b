"""Exact rankings of rows: nearest vectors, BM25, and their fusion. Ties go to the lower row, always.

A row is a card's position in its index, which is sorted by id, so rankings depend on nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from osler.memory.card import Float32
from osler.memory.term_counts import Counted, numbered, words_of

Rows = npt.NDArray[np.int64]
Scores = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]
LEAST: Final = 1e-4
"""A cosine up to this counts as nothing in common."""
_ROUGH: Final = 1e-5  # more than the float32 error of a cosine
_K1, _B = 1.2, 0.75
_FUSION: Final = 60.0


def nearest(vectors: Float32, query: Float32, allowed: Mask, k: int) -> tuple[Rows, Scores]:
    """The k allowed rows of unit vectors (n, d) with the highest cosine to a unit vector (d,), best first.

    Scores in float32, then rescores in float64 all that could be among the best; so the result equals a full
    scan in float64, whatever a library's order of summation.
    """
    rows = np.flatnonzero(allowed)
    # Copying rows out costs three times as much as reading them in place.
    few = 4 * len(rows) < len(allowed)
    rough = _cosines(vectors[rows], query) if few else _cosines(vectors, query)[rows]
    least = LEAST
    if len(rows) > k:
        least = max(least, float(np.partition(rough, len(rows) - k)[len(rows) - k]))
    rows = rows[rough >= least - _ROUGH]
    exact = (vectors[rows].astype(np.float64) * query.astype(np.float64)).sum(axis=1)
    return best(rows[exact > LEAST], exact[exact > LEAST], k)


def _cosines(vectors: Float32, query: Float32) -> Float32:
    # Not `@`: a BLAS hands even small products to its threads, and on a busy machine waiting for them takes
    # ten times as long as the product; on an idle one, both are equally fast.
    result: Float32 = np.einsum("ij,j->i", vectors, query)
    return result


def best(rows: Rows, scores: Scores, k: int) -> tuple[Rows, Scores]:
    """The k highest scores with their rows, best first, ties by row."""
    if len(rows) > k:
        kth = np.partition(scores, len(rows) - k)[len(rows) - k]
        rows, scores = rows[scores >= kth], scores[scores >= kth]
    order = np.lexsort((rows, -scores))[:k]
    return rows[order], scores[order]


class Bm25:
    """BM25 (Robertson and Zaragoza 2009; k1 = 1.2, b = 0.75) over counted texts. The inverse document
    frequency is over all rows, whichever of them a search allows."""

    def __init__(self, counted: Counted) -> None:
        order = np.argsort(counted.columns, kind="stable")
        columns = counted.columns[order]
        self._rows = counted.rows[order]
        self._numbers = numbered(counted.words)
        self._starts = np.searchsorted(columns, np.arange(len(counted.words) + 1))
        self.size = len(counted.lengths)
        held = np.diff(self._starts)
        rarity = np.log1p((self.size - held + 0.5) / (held + 0.5))
        times = counted.times[order].astype(np.float64)
        length = counted.lengths[self._rows] / max(1.0, float(counted.lengths.mean()) if self.size else 1.0)
        weight = times * (_K1 + 1) / (times + _K1 * (1 - _B + _B * length))
        self._weights = (weight * rarity[columns]).astype(np.float32)

    def scores(self, text: str) -> Scores:
        """The scores, shape (rows,); 0 if no word is shared."""
        result = np.zeros(self.size)
        for word in sorted(set(words_of(text)) & self._numbers.keys()):
            at = self._numbers[word]
            part = slice(self._starts[at], self._starts[at + 1])
            result[self._rows[part]] += self._weights[part]
        return result

    def search(self, text: str, allowed: Mask, k: int) -> tuple[Rows, Scores]:
        """The k allowed rows with the highest scores above 0, best first."""
        scores = self.scores(text)
        rows = np.flatnonzero(allowed & (scores > 0))
        return best(rows, scores[rows], k)


def fused(rankings: Iterable[tuple[Sequence[int], float]], k: int) -> list[tuple[int, float]]:
    """Reciprocal rank fusion (Cormack et al. 2009): (row, score), the score a sum of weight / (60 + rank)."""
    result: dict[int, float] = {}
    for ranking, weight in rankings:
        for rank, row in enumerate(ranking, 1):
            result[row] = result.get(row, 0.0) + weight / (_FUSION + rank)
    return sorted(result.items(), key=lambda each: (-each[1], each[0]))[:k]
