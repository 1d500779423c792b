"""Metrics of one row of means: the matrix `R`, flattened by stage and block, then the values it is compared
with.

A row is the mean of one resample of streams and cases (`osler.stats.two_way_clustering`), so every metric of
`osler.stats.learning_over_time` gets its interval the same way.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from osler.stats import learning_over_time as over_time
from osler.stats.learning_over_time import Cell, Figure, Matrix
from osler.stats.two_way_clustering import Floats

Metric = Callable[[Floats, int], Cell]


def cells(row: Floats) -> list[Cell]:
    """Convert a row to scores, `None` for NaN."""
    return [None if value != value else value for value in row.tolist()]


def square(row: Floats, size: int) -> Matrix:
    """Return the R matrix of `size` blocks at the start of a row."""
    held = cells(row[: size * size])
    return [held[at * size : (at + 1) * size] for at in range(size)]


def only(row: Floats, size: int = 0) -> Cell:
    """Return the only number of a row."""
    return cells(row)[0]


def mean_of(held: Sequence[Cell]) -> Cell:
    """Return the mean of the scored values."""
    scored = [cell for cell in held if cell is not None]
    return sum(scored) / len(scored) if scored else None


def kept(distance: int) -> Metric:
    """Return the metric: the mean score on blocks learnt `distance` stages ago."""

    def metric(row: Floats, size: int) -> Cell:
        r = square(row, size)
        return mean_of([r[at + distance][at] for at in range(size - distance)])

    return metric


def _of(metric: Callable[[Matrix], Figure | Cell]) -> Metric:
    def of_row(row: Floats, size: int) -> Cell:
        result = metric(square(row, size))
        return result.value if isinstance(result, Figure) else result

    return of_row


def _forward(row: Floats, size: int) -> Cell:
    return over_time.forward_transfer(square(row, size), cells(row[size * size :])[:size]).value


def _curve_area(row: Floats, size: int) -> Cell:
    """LCA: of every block, the score before its first case, at the points within, and after its last."""
    r, rest = square(row, size), cells(row[size * size :])
    none, inner = rest[:size], [rest[at : at + size] for at in range(size, len(rest), size)]
    before = [none[0], *(r[at - 1][at] for at in range(1, size))]
    curves = [[before[at], *(point[at] for point in inner), r[at][at]] for at in range(size)]
    return over_time.learning_curve_area(curves).value


def _intransigence(row: Floats, size: int) -> Cell:
    r, oracle = square(row, size), square(row[size * size :], size)
    return mean_of(over_time.intransigence(r, [oracle[at][at] for at in range(size)]))


METRICS: Final[dict[str, Metric]] = {
    "acc": _of(over_time.final_accuracy),
    "bwt": _of(over_time.backward_transfer),
    "forgetting": _of(over_time.forgetting),
    "anytime": _of(over_time.anytime_accuracy),
    "worst_case": _of(over_time.worst_case_accuracy),
}
BESIDE_NONE: Final[dict[str, Metric]] = {"fwt": _forward, "lca": _curve_area}
"""The metrics that need the scores without memory after R in the row, and then those within blocks."""
BESIDE_ORACLE: Final[dict[str, Metric]] = {"intransigence": _intransigence}
"""The metric that needs the oracle's R after R in the row."""
