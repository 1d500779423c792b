"""Build knowledge/utterance_class.npz: the classes of utterances, from labelled lines.

`python -m reader.utterances [WRITER ...]` needs scipy; with writers' names it leaves out
their lines and prints how many of them are read right instead (and keeps that model with `--keep`).
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
from scipy.optimize import minimize
from scipy.sparse import csr_matrix

from osler.text.utterance_class import QUESTION, UtteranceModel, utterance_tokens

ROOT: Final = Path(__file__).parents[2]
RIDGE: Final = 0.01
QUESTION_WEIGHT: Final = 0.3
LEAST: Final = 2


def labelled() -> list[tuple[str, str, str]]:
    """Every labelled utterance: words, class, writer."""
    found = []
    for line in (ROOT / "tests/fixtures/speech_acts/acts.jsonl").read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        found.append((record["say"], record["act"], record["by"]))
    for file in sorted((ROOT / "tests/fixtures/patient_lines").glob("*.jsonl")):
        for line in file.read_text(encoding="utf-8").splitlines():
            record = json.loads(line)
            if record["expect"] != "other":
                found.append((record["say"], QUESTION, file.stem))
    return found


def trained(given: Sequence[tuple[str, str, str]]) -> dict[str, Any]:
    """The arrays of an `UtteranceModel`."""
    classes = sorted({name for _, name, _ in given})
    seen = [utterance_tokens(text) for text, *_ in given]
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
    right = np.array([classes.index(name) for _, name, _ in given])
    weight = np.array([QUESTION_WEIGHT if name == QUESTION else 1.0 for _, name, _ in given])
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
    every = labelled()
    left_out = set(sys.argv[1:])
    arrays = trained([one for one in every if one[2] not in left_out])
    if not left_out:
        np.savez_compressed(ROOT / "src/osler/knowledge/utterance_class.npz", **arrays)
        return
    if "--keep" in left_out:
        np.savez_compressed(ROOT / "src/osler/knowledge/utterance_class.npz", **arrays)
    model = UtteranceModel(arrays)
    counted: Counter[tuple[str, str]] = Counter()
    for text, name, writer in every:
        if writer in left_out:
            chances = model.chances(text)
            best = max(chances, key=lambda one: chances[one])
            what = "right" if best == name else "as a question" if best == QUESTION else "as another"
            counted[what, "sure" if chances[best] >= 0.6 else "unsure"] += 1
    print(dict(counted))


if __name__ == "__main__":
    main()
