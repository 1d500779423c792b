"""A TF-IDF index over short sentences: the cosine similarity of one sentence to all others at once."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from math import log, sqrt
from typing import Final

import numpy as np
import numpy.typing as npt

# The inverse document frequency of a token that no sentence has.
_UNSEEN: Final = 8.0
_PREFIX: Final = 4

Vector = npt.NDArray[np.float64]


def word_tokens(words: Sequence[str]) -> Counter[str]:
    """The tokens of a sentence in normal form: words, neighbours, beginnings of long words."""
    found = Counter(f"u:{word}" for word in words)
    found.update(f"b:{one} {other}" for one, other in pairwise(words))
    found.update(f"p:{word[:_PREFIX]}" for word in words if len(word) > _PREFIX)
    return found


class SentenceIndex:
    """An inverted index with TF-IDF weights, each sentence of length 1.

    `sentences` are lists of words in normal form.
    """

    def __init__(self, sentences: Iterable[Sequence[str]]) -> None:
        counted = [word_tokens(words) for words in sentences]
        spread = Counter(token for tokens in counted for token in tokens)
        self.size: Final = len(counted)
        self._rarity: Final = {token: log((self.size + 1) / (count + 0.5)) for token, count in spread.items()}
        postings: dict[str, list[tuple[int, float]]] = defaultdict(list)
        for row, tokens in enumerate(counted):
            for token, weight in self._weights(tokens).items():
                postings[token].append((row, weight))
        self._postings: Final = {
            token: (np.array([row for row, _ in found]), np.array([weight for _, weight in found]))
            for token, found in postings.items()
        }

    def similarities(self, words: Sequence[str]) -> Vector:
        """The cosine similarity of a sentence to each of the index, by row, from 0 to 1."""
        found = np.zeros(self.size)
        for token, weight in self._weights(word_tokens(words)).items():
            posting = self._postings.get(token)
            if posting is not None:
                found[posting[0]] += weight * posting[1]
        return found

    def _weights(self, tokens: Mapping[str, int]) -> dict[str, float]:
        weights = {
            token: (1 + log(count)) * self._rarity.get(token, _UNSEEN) for token, count in tokens.items()
        }
        length = sqrt(sum(weight * weight for weight in weights.values())) or 1.0
        return {token: weight / length for token, weight in weights.items()}
