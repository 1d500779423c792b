"""Learning over time, from R matrices: `R[i][j]` is the score on block j after stage i, rows and columns
from 0.

An unscored cell is `None` and left out; every figure reports how many terms it averages and how many were
left out. Without terms, such as without any block, there is no value. Sources: Lopez-Paz and Ranzato 2017
(backward and forward transfer), Chaudhry et al. 2018, 2019 (forgetting, intransigence, learning-curve area),
De Lange et al. 2023 (worst case).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from osler.errors import BadInput

Cell = float | None
Matrix = Sequence[Sequence[Cell]]


class Figure(NamedTuple):
    """A mean over `n` terms; `unscored` terms could not be computed."""

    value: float | None
    n: int
    unscored: int = 0


def final_accuracy(r: Matrix) -> Figure:
    """ACC: the mean score over blocks after the last stage."""
    rows = _square(r)
    return _mean(rows[-1] if rows else ())


def backward_transfer(r: Matrix) -> Figure:
    """BWT: the score after the last stage minus that just after learning, over all blocks but the last."""
    rows = _square(r)
    return _mean(_minus(rows[-1][j], rows[j][j]) for j in range(len(rows) - 1))


def forward_transfer(r: Matrix, none: Sequence[Cell]) -> Figure:
    """FWT: a block's score just before learning it minus that without memory (`none`, by block), over all
    blocks but the first."""
    rows = _square(r)
    if len(none) != len(rows):
        raise BadInput(f"{len(none)} scores without memory for {len(rows)} blocks")
    return _mean(_minus(rows[j - 1][j], none[j]) for j in range(1, len(rows)))


def forgetting(r: Matrix) -> Figure:
    """F: the best score at any stage before the last minus that at the last, over all blocks but the last.

    A block with a missing score at any of these stages is left out: its best is unknown.
    """
    rows = _square(r)
    columns = ([row[j] for row in rows] for j in range(len(rows) - 1))
    return _mean(_minus(_extreme(column[:-1], max), column[-1]) for column in columns)


def intransigence(r: Matrix, joint: Sequence[Cell]) -> list[Cell]:
    """I_k by block: the score with all there is to learn (`joint`: oracle or joint memory) - `R[k][k]`."""
    rows = _square(r)
    if len(joint) != len(rows):
        raise BadInput(f"{len(joint)} joint scores for {len(rows)} blocks")
    return [_minus(joint[k], rows[k][k]) for k in range(len(rows))]


def anytime_accuracy(r: Matrix) -> Figure:
    """The mean over stages of the mean over the blocks seen by then. A stage with a missing cell is left
    out."""
    return _mean(_full_mean(row[: k + 1]) for k, row in enumerate(_square(r)))


def learning_curve_area(curves: Matrix) -> Figure:
    """LCA_B of curves[block][b], the score after b cases of the block, b = 0..B: the mean of Z_b over b.

    Z_b is the mean over blocks; a b at which a block was not scored is left out.
    """
    if any(len(curve) != len(curves[0]) for curve in curves):
        raise BadInput("learning curves must all have the same points")
    points = len(curves[0]) if curves else 0
    return _mean(_full_mean([curve[b] for curve in curves]) for b in range(points))


def worst_case_accuracy(r: Matrix, stage: int | None = None) -> Cell:
    """WC-ACC after a stage (default: the last): R[k][k] / k + (1 - 1/k) x min-ACC, for k blocks learnt.

    min-ACC is the mean, over blocks learnt before, of their lowest score at any stage since. `None` if a
    cell it needs is missing.
    """
    rows = _square(r)
    if not rows and stage is None:
        return None
    at = len(rows) - 1 if stage is None else stage
    if not 0 <= at < len(rows):
        raise BadInput(f"there is no stage {at}", hint=f"stages are 0 to {len(rows) - 1}")
    now = rows[at][at]
    lowest = _full_mean([_extreme([rows[s][j] for s in range(j + 1, at + 1)], min) for j in range(at)])
    if now is None or (at and lowest is None):
        return None
    return now / (at + 1) + (at / (at + 1)) * (lowest or 0.0)


def _square(r: Matrix) -> Matrix:
    if any(len(row) != len(r) for row in r):
        raise BadInput("an R matrix has as many stages as blocks")
    return r


def _minus(one: Cell, other: Cell) -> Cell:
    return None if one is None or other is None else one - other


def _extreme(cells: Sequence[Cell], pick: Callable[[list[float]], float]) -> Cell:
    held = [cell for cell in cells if cell is not None]
    return pick(held) if held and len(held) == len(cells) else None


def _full_mean(cells: Sequence[Cell]) -> Cell:
    held = [cell for cell in cells if cell is not None]
    return sum(held) / len(held) if held and len(held) == len(cells) else None


def _mean(terms: Iterable[Cell]) -> Figure:
    held = list(terms)
    scored = [term for term in held if term is not None]
    value = sum(scored) / len(scored) if scored else None
    return Figure(value, len(scored), len(held) - len(scored))
