"""How near words come to wordings of tests and examinations, by the sentence encoder and by words."""

from __future__ import annotations

from collections.abc import Sequence
from math import log, sqrt
from typing import Final

import numpy as np
import numpy.typing as npt

from osler.knowledge.order_names import FILLER, words

Array = npt.NDArray[np.float32]


class Bank:
    """Wordings with the tests that they mean; `vectors` are the encoder's, one row a wording."""

    def __init__(self, texts: Sequence[str], meant: Sequence[str], vectors: npt.NDArray[np.int8]) -> None:
        self.names: Final = tuple(sorted(set(meant)))
        row = {name: at for at, name in enumerate(self.names)}
        self._meant: Final = np.array([row[name] for name in meant])
        self._unit: Final = units(vectors)
        heard = [_content(text) for text in texts]
        spread: dict[str, list[int]] = {}
        for at, said in enumerate(heard):
            for word in said:
                spread.setdefault(word, []).append(at)
        self._rarity: Final = {word: log(len(texts) / len(rows)) for word, rows in spread.items()}
        self._rows: Final = {word: np.array(rows) for word, rows in spread.items()}
        self._length: Final = np.array(
            [sqrt(sum(self._rarity[word] ** 2 for word in said)) or 1.0 for said in heard], dtype=np.float32
        )

    def near(self, vector: npt.NDArray[np.int8], without: npt.NDArray[np.bool_] | None = None) -> Array:
        """The cosine of a vector with the nearest wording of each name."""
        return self._best(self._unit @ units(vector[None])[0], without)

    def alike(self, text: str, without: npt.NDArray[np.bool_] | None = None) -> Array:
        """The cosine of a text's words, weighed by rarity, with the likest wording of each name."""
        content = _content(text)
        shared = np.zeros(len(self._length), dtype=np.float32)
        unknown = log(len(self._length) + 1)
        for word in content & self._rows.keys():
            shared[self._rows[word]] += self._rarity[word] ** 2
        length = sqrt(sum(self._rarity.get(word, unknown) ** 2 for word in content)) or 1.0
        return self._best(shared / (self._length * np.float32(length)), without)

    def _best(self, values: Array, without: npt.NDArray[np.bool_] | None) -> Array:
        if without is not None:
            values = np.where(without, np.float32(0), values)
        best = np.zeros(len(self.names), dtype=np.float32)
        np.maximum.at(best, self._meant, values)
        return best


def units(vectors: npt.NDArray[np.int8]) -> Array:
    """The rows as vectors of length 1."""
    rows = vectors.astype(np.float32)
    result: Array = rows / np.maximum(np.sqrt((rows * rows).sum(1, keepdims=True)), 1)
    return result


def _content(text: str) -> frozenset[str]:
    return frozenset(words(text)) - FILLER
