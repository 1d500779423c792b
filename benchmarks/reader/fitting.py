"""The weights of the conditional logit, fitted on lines that the encoder and the bank have not seen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from osler.reading.meanings import NAMES, Bank, Table, features, probabilities
from reader.lines import Cases, Line, fifth
from reader.questions import Question

RIDGE: Final = 3.0
_FOLDS: Final = 5


class Instance(NamedTuple):
    """A question before a case: the features of its facts and of none, and the rows of the right ones."""

    line: Line
    table: Table
    right: frozenset[int]

    @property
    def fold(self) -> int:
        """The fold of its case."""
        return fifth(f"fold {self.line.case}")


def instances(asked: Sequence[Question], cases: Cases, by: Bank) -> list[Instance]:
    """The questions as they stand before a bank."""
    found = []
    for one in asked:
        facts = cases[one.line.case]
        right = frozenset(at for at, fact in enumerate(facts) if fact.id in one.line.answers)
        found.append(Instance(one.line, features(by, one.heard, facts), right or frozenset({len(facts)})))
    return found


def fitted(found: Sequence[Instance]) -> Table:
    """The weights by penalised maximum likelihood, in the order of `NAMES`."""
    most = max(len(one.table) for one in found)
    table = np.zeros((len(found), most, len(NAMES)), dtype=np.float32)
    there = np.zeros((len(found), most), dtype=bool)
    right = np.zeros((len(found), most), dtype=np.float32)
    for n, one in enumerate(found):
        table[n, : len(one.table)] = one.table
        there[n, : len(one.table)] = True
        right[n, list(one.right)] = 1.0
    spread = table[there].std(0) + 1e-3
    table /= spread

    def loss(weights: np.ndarray) -> tuple[float, np.ndarray]:
        scores = np.where(there, table @ weights.astype(np.float32), -1e9)
        scores -= scores.max(1, keepdims=True)
        chance = np.exp(scores)
        chance /= chance.sum(1, keepdims=True)
        hit = chance * right
        total = hit.sum(1, keepdims=True) + 1e-12
        slope = np.einsum("nm,nmf->f", chance - hit / total, table)
        value = float(-np.log(total).sum() + RIDGE / 2 * (weights @ weights))
        return value, slope.astype(float) + RIDGE * weights

    best = minimize(loss, np.zeros(len(NAMES)), jac=True, method="L-BFGS-B", options={"maxiter": 400}).x
    weights: NDArray[np.float64] = np.round(best / spread, 4)
    return weights


class Guess(NamedTuple):
    """The likeliest fact of a question: its probability, whether it is right, and whether any fact is."""

    chance: float
    right: bool
    held: bool


def guesses(found: Sequence[Instance]) -> list[Guess]:
    """The likeliest facts by weights of other folds."""
    ahead = [fitted([one for one in found if one.fold != fold]) for fold in range(_FOLDS)]
    chances = [probabilities(one.table, ahead[one.fold]) for one in found]
    return [
        Guess(max(each), each.index(max(each)) in one.right, bool(one.line.answers))
        for each, one in zip(chances, found, strict=True)
    ]


def right_at(given: Sequence[Guess], wrong: float) -> tuple[float, float]:
    """The share of questions that the case answers which get a right fact where at most the share `wrong` of
    all get a wrong one, and the least probability at which that is so."""
    held = sum(one.held for one in given) or 1
    best, least = 0.0, 1.0
    hits = misses = 0
    for one in sorted(given, key=lambda one: -one.chance):
        hits, misses = hits + one.right, misses + (not one.right)
        if misses > wrong * len(given):
            break
        best, least = hits / held, one.chance
    return best, least
