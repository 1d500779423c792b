"""Build knowledge/utterance_class.npz: the classes of utterances, from labelled lines.

`python -m reader.utterances --osce DIR --imported DIR` needs scipy; with --measure it learns from four fifths
of the cases and writers, and prints how the sentences of the others are read instead.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from scipy.optimize import minimize
from scipy.sparse import csr_matrix

from osler.text.tokens import fluent, sentences
from osler.text.utterance_kind import QUESTION, STATEMENT, UtteranceModel, utterance_tokens
from reader.lines import FIXTURES, Line, fifth, labelled

MODEL: Final = Path(__file__).parents[2] / "src/osler/knowledge/utterance_class.npz"
RIDGE: Final = 0.01
QUESTION_WEIGHT: Final = 0.3
LEAST: Final = 2
SURE: Final = 0.6


class Said(NamedTuple):
    """A labelled sentence; of one of five cases, it is left out where the model is measured."""

    text: str
    name: str
    left_out: bool
    source: str


def said_in(lines: Sequence[Line]) -> Iterator[Said]:
    """The utterances labelled by their act, and the sentences of patients' lines: what asks for a fact, and
    what wants no more than to be acknowledged."""
    for line in (FIXTURES / "speech_acts/acts.jsonl").read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        left_out = fifth(record["by"]) == 0
        yield Said(record["say"], record["act"], left_out, source="acts")
    for one in lines:
        parts = sentences(fluent(one.said))
        left_out = one.split == "new_case"
        if one.asks:
            asking = [part for part in parts if part.endswith("?")] or parts[-1:]
            yield from (Said(part, QUESTION, left_out, one.source) for part in asking)
        elif one.kinds == ("acknowledge",) and one.source == "osce":
            telling = [part for part in parts if not part.endswith("?")]
            yield from (Said(part, STATEMENT, left_out, one.source) for part in telling)


def trained(given: Sequence[Said]) -> dict[str, Any]:
    """The arrays of an `UtteranceModel`."""
    classes = sorted({one.name for one in given})
    seen = [utterance_tokens(one.text) for one in given]
    spread = Counter(token for tokens in seen for token in tokens)
    vocabulary = sorted(token for token, count in spread.items() if count >= LEAST)
    column = {token: at for at, token in enumerate(vocabulary)}
    at: list[int] = []
    ends = [0]
    values: list[float] = []
    for tokens in seen:
        known = [column[token] for token in tokens if token in column]
        at += known
        values += [1 / max(1, len(known)) ** 0.5] * len(known)
        ends.append(len(at))
    table = csr_matrix((values, at, ends), shape=(len(seen), len(vocabulary)))
    right = np.array([classes.index(one.name) for one in given])
    weight = np.array([QUESTION_WEIGHT if one.name == QUESTION else 1.0 for one in given])
    one_hot = np.eye(len(classes))[right]

    def loss(flat: np.ndarray) -> tuple[float, np.ndarray]:
        weights = flat.reshape(len(vocabulary), len(classes))
        scores = table @ weights
        scores -= scores.max(1, keepdims=True)
        chance = np.exp(scores)
        chance /= chance.sum(1, keepdims=True)
        missed = -(weight * np.log(chance[np.arange(len(right)), right] + 1e-12)).sum()
        slope = table.T @ ((chance - one_hot) * weight[:, None]) + RIDGE * weights
        return float(missed + RIDGE / 2 * (weights**2).sum()), np.asarray(slope).ravel()

    start = np.zeros(len(vocabulary) * len(classes))
    best = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 120}).x
    weights = best.reshape(len(vocabulary), len(classes))
    kept = np.abs(weights).max(1) > 0.15
    scale = np.abs(weights).max() / 127
    return {
        "classes": np.frombuffer("\n".join(classes).encode(), dtype=np.uint8),
        "tokens": np.frombuffer(
            "\n".join(token for token, keep in zip(vocabulary, kept, strict=True) if keep).encode(),
            dtype=np.uint8,
        ),
        "table": np.round(weights[kept] / scale).astype(np.int8),
        "scale": np.float32(scale),
    }


def main() -> None:
    """Build the model, or measure it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--osce", type=Path)
    parser.add_argument("--imported", type=Path)
    parser.add_argument("--measure", action="store_true")
    given = parser.parse_args()
    every = list(said_in(labelled(given.osce, given.imported).lines))
    if not given.measure:
        np.savez_compressed(MODEL, **trained(every))
        return
    model = UtteranceModel(trained([one for one in every if not one.left_out]))
    counted: Counter[tuple[str, str, str]] = Counter()
    for one in every:
        if one.left_out:
            chances = model.chances(one.text)
            best = max(chances, key=lambda name: chances[name])
            sure = "sure" if chances[best] >= SURE else "unsure"
            counted[one.source, one.name, f"{'right' if best == one.name else 'wrong'}, {sure}"] += 1
    for key, number in sorted(counted.items()):
        print(*key, number)


if __name__ == "__main__":
    main()
