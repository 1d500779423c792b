"""A run's episodes cut into blocks, so that processes that share it ask for many at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from osler.store.rows import Ordinals

BLOCKS: Final = 16
"""Into how many a small run is cut: enough to share it out, and a lease costs next to nothing."""
MOST: Final = 256  # episodes in a block of a large one


class Blocks:
    """The same blocks in every process of a run; each search goes on where the last one was successful."""

    def __init__(self, stretches: Sequence[range]) -> None:
        """`stretches` hold the ordinals of all episodes, ascending."""
        size = min(MOST, max(1, sum(map(len, stretches)) // BLOCKS))
        self._blocks = [
            (first, min(first + size, stretch.stop) - 1)
            for stretch in stretches
            for first in range(stretch.start, stretch.stop, size)
        ]
        self._next = 0

    def not_done(self, done: Ordinals) -> Iterator[tuple[int, int]]:
        """(first, last) of each block with an episode that is not done; none after it need be asked for."""
        begin = self._next
        for step in range(len(self._blocks)):
            at = (begin + step) % len(self._blocks)
            first, last = self._blocks[at]
            if not done.holds(first, last):
                self._next = at + 1
                yield first, last
