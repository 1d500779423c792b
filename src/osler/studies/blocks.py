"""Blocks of a run's episodes, so that processes sharing a run lease many episodes at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from osler.store.rows import Ordinals

BLOCKS: Final = 16
"""The number of blocks of a small run: enough to share it out, and a lease costs next to nothing."""
MOST: Final = 256  # episodes in a block of a large run


class Blocks:
    """The blocks of a run, the same in every process; each search continues where the last one succeeded."""

    def __init__(self, stretches: Sequence[range]) -> None:
        """Cut `stretches`, which hold the ordinals of all episodes in ascending order, into blocks."""
        size = min(MOST, max(1, sum(map(len, stretches)) // BLOCKS))
        self._blocks = [
            (first, min(first + size, stretch.stop) - 1)
            for stretch in stretches
            for first in range(stretch.start, stretch.stop, size)
        ]
        self._next = 0

    def not_done(self, done: Ordinals) -> Iterator[tuple[int, int]]:
        """Yield (first, last) of each block that is not entirely done, from the last one yielded on."""
        begin = self._next
        for step in range(len(self._blocks)):
            at = (begin + step) % len(self._blocks)
            first, last = self._blocks[at]
            if not done.holds(first, last):
                self._next = at + 1
                yield first, last
