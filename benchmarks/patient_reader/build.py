"""Build knowledge/question_bank.npz and confidence.yaml from the labelled lines.

`pip install torch scipy`, then `PYTHONPATH=src:benchmarks python -m
patient_reader.build`. It takes about ten minutes (`--bank` builds the bank alone, with the weights as they
are). The features that the weights are fitted on come from banks that have not seen the writer's
lines for that case, so that they are those of an unseen writer; the weights for cases that are not in the
bank come from banks that have not seen the case at all.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
import yaml
from scipy.optimize import minimize

from osler.protocols.shared.players.answer_features import Candidates, candidates_by
from osler.protocols.shared.players.confidence import probabilities
from osler.protocols.shared.players.question_bank import Bank
from osler.protocols.shared.players.weighing import Known
from patient_reader.lines import FOLDS, Line, known_of, library, lines
from patient_reader.towers import trained

KNOWLEDGE: Final = Path(__file__).parents[2] / "src/osler/knowledge"
RIDGE: Final = 3.0


def fitted(found: Sequence[Instance]) -> dict[str, float]:
    """The weights of a conditional logit by penalised maximum likelihood."""
    names = sorted({name for one in found for row in _rows(one) for name in row})
    column = {name: at for at, name in enumerate(names)}
    most = max(len(_rows(one)) for one in found)
    table = np.zeros((len(found), most, len(names)), dtype=np.float32)
    there = np.zeros((len(found), most), dtype=bool)
    right = np.zeros((len(found), most), dtype=np.float32)
    for n, one in enumerate(found):
        for m, row in enumerate(_rows(one)):
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


def _rows(one: Instance) -> tuple[Mapping[str, float], ...]:
    return (*one.candidates.facts, one.candidates.none)


def right_rows(line: Line, names: Sequence[str]) -> frozenset[int]:
    """The rows of the right candidates: the facts that answer, else none."""
    rows = frozenset(at for at, name in enumerate(names) if name in line.answers)
    return rows or frozenset({len(names)})


def main() -> None:
    views = library()
    cases = {case: known_of(view) for case, view in views.items()}
    every = list(lines(views))
    print(f"{len(every)} questions", flush=True)
    if "--bank" in sys.argv:
        np.savez_compressed(KNOWLEDGE / "question_bank.npz", **trained(every, cases, seed=0))
        return
    seen = instances(every, cases, lambda line: line.fold, whole=True)
    unseen = instances(every, cases, lambda line: int(line.case.encode().hex(), 16) % FOLDS, whole=False)
    for name, found in (("an unseen writer", seen), ("an unseen case", unseen)):
        print(name)
        report(found)
    model = yaml.safe_load((KNOWLEDGE / "confidence.yaml").read_text(encoding="utf-8"))
    weights = {"weights": fitted(seen), "weights_of_other_cases": fitted(unseen)}
    (KNOWLEDGE / "confidence.yaml").write_text(written(model, weights), encoding="utf-8")
    np.savez_compressed(KNOWLEDGE / "question_bank.npz", **trained(every, cases, seed=0))


class Instance(NamedTuple):
    """A question before a case: the features of its candidates, the rows of the right ones, and its fold."""

    candidates: Candidates
    right: frozenset[int]
    line: Line
    fold: int


def instances(
    every: Sequence[Line],
    cases: Mapping[str, tuple[Known, ...]],
    fold_of: Callable[[Line], int],
    *,
    whole: bool,
) -> list[Instance]:
    """The lines of each fold before a bank that has not seen the fold; unless `whole`, nor its cases."""
    found: list[Instance] = []
    for fold in range(FOLDS):
        learned = [line for line in every if fold_of(line) != fold]
        known_cases = {line.case for line in learned}
        by = Bank(trained(learned, {c: f for c, f in cases.items() if whole or c in known_cases}, seed=fold))
        for line in every:
            if fold_of(line) == fold:
                facts = cases[line.case]
                features = candidates_by(by, line.heard, facts, line.leans)
                found.append(Instance(features, right_rows(line, [fact.id for fact in facts]), line, fold))
        print(f"fold {fold}", flush=True)
    return found


def report(found: Sequence[Instance]) -> None:
    """Print how many are answered right and wrong at each least probability, by weights of other folds."""
    ahead = [fitted([one for one in found if one.fold != fold]) for fold in range(FOLDS)]
    chances = [probabilities(one.candidates, ahead[one.fold]) for one in found]
    held = sum(one.line.held for one in found)
    print(f"held {held}, not held {len(found) - held}")
    for least in (0.4, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9):
        told = [
            (each.index(max(each)) in one.right, one.line)
            for each, one in zip(chances, found, strict=True)
            if max(each) >= least
        ]
        right = sum(fits for fits, _ in told)
        wrong_held = sum(not fits and line.held for fits, line in told)
        wrong_not = sum(not line.held for _, line in told)
        print(
            f"{least:.2f} right {right / held:.3f} wrong {wrong_held / held:.3f}"
            f" not held, answered {wrong_not / (len(found) - held):.3f}"
            f" wrong of all {(wrong_held + wrong_not) / len(found):.3f}"
        )


def written(model: Mapping[str, Any], weights: Mapping[str, Mapping[str, float]]) -> str:
    """The YAML of the model: its comment and thresholds as they are, and the weights."""
    head = (KNOWLEDGE / "confidence.yaml").read_text(encoding="utf-8")
    comment = "".join(line + "\n" for line in head.splitlines() if line.startswith("#"))
    thresholds = {name: value for name, value in model.items() if name not in weights}
    return comment + yaml.safe_dump({**thresholds, **weights}, sort_keys=False)


if __name__ == "__main__":
    main()
