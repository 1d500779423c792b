"""The weights of the conditional logit, fitted on lines that the encoder and the bank have not seen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

import numpy as np
from scipy.optimize import minimize

from osler.protocols.shared.players.answer_features import Candidates, candidates_by
from osler.protocols.shared.players.confidence import probabilities
from osler.protocols.shared.players.question_bank import Bank
from reader.lines import Cases, Line, fifth
from reader.questions import Question

RIDGE: Final = 3.0
_FOLDS: Final = 5


class Instance(NamedTuple):
    """A question before a case: the features of its candidates, and the rows of the right ones."""

    line: Line
    candidates: Candidates
    right: frozenset[int]

    @property
    def rows(self) -> tuple[Mapping[str, float], ...]:
        """The features of each fact, then those of none."""
        return (*self.candidates.facts, self.candidates.none)

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
        candidates = candidates_by(by, one.heard, facts, one.leans)
        found.append(Instance(one.line, candidates, right or frozenset({len(facts)})))
    return found


def fitted(found: Sequence[Instance]) -> dict[str, float]:
    """The weights by penalised maximum likelihood."""
    names = sorted({name for one in found for row in one.rows for name in row})
    column = {name: at for at, name in enumerate(names)}
    most = max(len(one.rows) for one in found)
    table = np.zeros((len(found), most, len(names)), dtype=np.float32)
    there = np.zeros((len(found), most), dtype=bool)
    right = np.zeros((len(found), most), dtype=np.float32)
    for n, one in enumerate(found):
        for m, row in enumerate(one.rows):
            there[n, m] = True
            right[n, m] = m in one.right
            for name, value in row.items():
                table[n, m, column[name]] = value
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

    best = minimize(loss, np.zeros(len(names)), jac=True, method="L-BFGS-B", options={"maxiter": 400}).x
    return {name: round(float(best[column[name]] / spread[column[name]]), 4) for name in names}


class Guess(NamedTuple):
    """The likeliest fact of a question: its probability, whether it is right, and whether any fact is."""

    chance: float
    right: bool
    held: bool


def guesses(found: Sequence[Instance]) -> list[Guess]:
    """The likeliest facts by weights of other folds."""
    ahead = [fitted([one for one in found if one.fold != fold]) for fold in range(_FOLDS)]
    chances = [probabilities(one.candidates, ahead[one.fold]) for one in found]
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
