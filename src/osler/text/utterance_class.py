"""Classification of a doctor's utterance as a question for a fact or a speech act, by a learned model.

A multinomial logistic regression over words, pairs of words and the mark at the end; the weights are in
knowledge/utterance_class.npz and are made by `benchmarks/reader` from `tests/fixtures`. The few acts
on which safety rests are known by rule as well; see `speech_acts`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache, lru_cache
from importlib import resources
from itertools import pairwise
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from osler.text.spelling import mended
from osler.text.utterance_kind import BEGINS_A_QUESTION

QUESTION: Final = "question"
STATEMENT: Final = "statement"
SUMMARY: Final = "summary"
OFF_TOPIC: Final = "off_topic"
_TOKEN: Final = re.compile(r"[a-z0-9]+(?:'[a-z]+)?|[?!]")
_LONG: Final = 4
_LONGEST: Final = 600


class Classified(NamedTuple):
    """The likeliest class of an utterance, and its probability."""

    name: str
    chance: float


def utterance_tokens(text: str) -> frozenset[str]:
    """The features of an utterance: words, neighbours, beginnings and ends of words, and its last mark."""
    spelt = mended(text[:_LONGEST]).strip()
    asks = spelt.endswith("?")
    if not asks and BEGINS_A_QUESTION.match(spelt):
        spelt, asks = f"{spelt} ?", True  # typed without its mark
    spoken = ["<", *_TOKEN.findall(spelt), ">"]
    found = {f"u:{word}" for word in spoken}
    found.update(f"b:{one} {other}" for one, other in pairwise(spoken))
    found.update(f"s:{one} {other}" for one, other in zip(spoken, spoken[2:], strict=False))
    found.update(f"p:{word[:_LONG]}" for word in spoken if len(word) > _LONG)
    found.update(f"e:{word[-_LONG:]}" for word in spoken if len(word) > _LONG)
    found.add(f"first:{spoken[1]}")
    found.add("asks" if asks else "tells")
    return frozenset(found)


def packed_lines(packed: npt.NDArray[np.uint8]) -> list[str]:
    """The lines of a text that is kept as bytes in an array, for arrays of text cannot be loaded safely."""
    return packed.tobytes().decode().split("\n")


class UtteranceModel:
    """The weights by token and class. `table` has 8-bit integers times `scale`, one row a token."""

    def __init__(self, arrays: Mapping[str, Any]) -> None:
        self.classes: Final = packed_lines(arrays["classes"])
        self.row_of: Final = {token: row for row, token in enumerate(packed_lines(arrays["tokens"]))}
        self.table: Final = arrays["table"]
        self.scale: Final = float(arrays["scale"])

    def chances(self, text: str) -> dict[str, float]:
        """The probability of each class."""
        rows = [self.row_of[token] for token in utterance_tokens(text) if token in self.row_of]
        scores = self.table[rows].astype(np.float32).sum(0) * self.scale / max(1.0, float(len(rows))) ** 0.5
        raised = np.exp(scores - scores.max())
        return dict(zip(self.classes, (raised / raised.sum()).tolist(), strict=True))


@lru_cache(maxsize=8192)
def classified(text: str) -> Classified:
    """The likeliest class of an utterance: a speech act, `question`, `statement`, `summary`, `off_topic`."""
    if not any(map(str.isalpha, text)):
        return Classified(STATEMENT, 0.0)
    chances = _model().chances(text)
    name = max(chances, key=lambda one: chances[one])
    return Classified(name, chances[name])


def chances(text: str) -> dict[str, float]:
    """The probability of each class."""
    return _model().chances(text)


@lru_cache(maxsize=8192)
def chance_of_question(text: str) -> float:
    """The probability that an utterance asks for a fact."""
    return _model().chances(text)[QUESTION]


@cache
def _model() -> UtteranceModel:
    with resources.files("osler.knowledge").joinpath("utterance_class.npz").open("rb") as file:
        return UtteranceModel(dict(np.load(file)))
