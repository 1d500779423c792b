"""Which declared act an order names, where an author gave sentences for it: "Puts him on the monitor".

A logistic regression over a few features of an order and the sentences of an act: how near they lie by the
sentence encoder, the words that they share, weighed by how rare these are among all acts, and by how much the
act is ahead of the next. Its weights were fitted on the single orders and the talk of
tests/fixtures/spoken_orders*.jsonl. With two to four sentences an act, .74 of 427 orders were carried out
exactly in scenarios that the weights had not seen. What an order leaves out, refuses or puts off is for the
caller to find, by rule.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from math import exp, log
from typing import Final, NamedTuple

import numpy as np

from osler.reading.encoder import vector
from osler.text.act_rules import stems
from osler.text.order_synonyms import also_said, in_figures_too

_WEIGHTS: Final = (1.66, 1.1, 5.48, -1.0, -1.24, 6.21, 2.97, 0.73)
_BIAS: Final = -7.32
_SURE: Final = 0.5
_SURE_OF_HARM: Final = 0.7
_MARGIN: Final = 1e-3
"""The lowest chances at which an act is meant, and one that does harm, and by how much the chance must be
above that: another machine may compute a little less."""
_SHARED: Final = 0.7
"""The weight of shared words beside nearness, for the choice of the sentence that an order is most like."""
_LONG: Final = 12


class _Sentence(NamedTuple):
    text: str
    stems: frozenset[str]


class DeclaredActs:
    """The acts of a scenario that are given by sentences; of those that are `harmful` it must be surer."""

    def __init__(self, acts: Mapping[str, Sequence[str]], harmful: Collection[str] = ()) -> None:
        self._harmful: Final = frozenset(harmful)
        self._acts: Final = {
            ident: tuple(_Sentence(text.lower(), _stems(text)) for text in texts)
            for ident, texts in acts.items()
        }
        held = [each.stems for texts in self._acts.values() for each in texts]
        self._held_by: Final = Counter(stem for one in held for stem in one)
        self._size: Final = len(held)

    def meant(self, order: str, likely: Collection[str] = ()) -> str:
        """The id of the act that an order names surely enough, or "". Of two, one that is `likely` now."""
        result = {ident: _chance(values) for ident, values in self.features(order, likely).items()}
        best = max(result, key=lambda ident: result[ident], default="")
        least = _SURE_OF_HARM if best in self._harmful else _SURE
        return best if best and result[best] >= least + _MARGIN else ""

    def features(self, order: str, likely: Collection[str] = ()) -> dict[str, tuple[float, ...]]:
        """The features of each act, for an order."""
        compared = {ident: self._compared(order, texts) for ident, texts in self._acts.items()}
        tops = sorted((one[0] for one in compared.values()), reverse=True)
        length = min(len(_stems(order)), _LONG) / _LONG
        return {
            ident: (
                *values,
                values[0] - (tops[1] if len(tops) > 1 and values[0] == tops[0] else tops[0]),
                float(ident in likely),
                length,
            )
            for ident, values in compared.items()
        }

    def _compared(self, order: str, texts: Iterable[_Sentence]) -> tuple[float, ...]:
        """Return the features of an order's similarity to the most similar sentence of an act."""
        said = _stems(order)
        wider, whole = said | frozenset(also_said(order)), self._weight(said)
        best = (0.0,) * 5
        for each in texts:
            shared, own = self._weight(wider & each.stems), self._weight(each.stems)
            near = _cosine(order.lower(), each.text)
            alike = 2 * shared / (whole + own or 1)
            clash = float(bool(_figures(said)) and bool(_figures(each.stems) - said))
            best = max(best, (near + _SHARED * alike, near, alike, shared / (own or 1), clash))
        return best

    def _weight(self, held: Iterable[str]) -> float:
        """The sum of words, the rarer among all sentences, the more."""
        return sum(log(1 + self._size / (1 + self._held_by[stem])) for stem in sorted(held))


def _chance(values: Iterable[float]) -> float:
    score = _BIAS + sum(weight * value for weight, value in zip(_WEIGHTS, values, strict=True))
    return 1 / (1 + exp(-score))


def _stems(text: str) -> frozenset[str]:
    return frozenset((*stems(text), *in_figures_too(text)))


def _figures(held: Iterable[str]) -> frozenset[str]:
    return frozenset(stem for stem in held if stem.isdigit())


def _cosine(one: str, other: str) -> float:
    a, b = vector(one).astype(np.int64), vector(other).astype(np.int64)
    return float(a @ b) / float(np.sqrt(float(a @ a)) * np.sqrt(float(b @ b)))
