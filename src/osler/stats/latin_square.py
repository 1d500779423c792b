"""Latin squares: orders in which groups meet the same conditions, each once, balanced over positions.

With an even number of conditions the square is Williams' (1949): each condition also comes right after each
other one exactly once, so what one leaves behind is balanced too. An odd number would need twice the rows for
that, and has a cyclic square.
"""

from __future__ import annotations

from random import Random


def latin_square(size: int, seed: str) -> tuple[tuple[int, ...], ...]:
    """Rows of the numbers 0 to `size` - 1: each once in every row and in every column. The seed decides which
    condition has which number, and the order of the rows; the same seed gives the same square."""
    first = _zigzag(size) if size % 2 == 0 else tuple(range(size))
    drawn = Random(f"latin square {size} {seed}")  # noqa: S311
    names, rows = list(range(size)), list(range(size))
    drawn.shuffle(names)
    drawn.shuffle(rows)
    return tuple(tuple(names[(at + row) % size] for at in first) for row in rows)


def _zigzag(size: int) -> tuple[int, ...]:
    """0, 1, n-1, 2, n-2, ...: all differences between neighbours differ, so its shifts are balanced."""
    return tuple((at + 1) // 2 if at % 2 else (size - at // 2) % size for at in range(size))
