"""The kinship of models: seats that share a model or a family of models. A judge tends to favour its own."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Final, Literal, NamedTuple

_SERIES: Final = re.compile(r"[a-z]+")
_OTHER_NAMES: Final = {"chatgpt": "gpt", "o": "gpt", "text": "gpt", "meta": "llama", "mixtral": "mistral"}
_MAKERS: Final = frozenset({"models", "hf", "the", "instruct", "base"})


class Kinship(NamedTuple):
    """Two seats whose players share a model (`by` "model") or a family of models, named `shared`."""

    one: str
    other: str
    by: Literal["model", "family"]
    shared: str

    @property
    def words(self) -> str:
        """The kinship as a sentence."""
        what = "the model" if self.by == "model" else "models of one family,"
        return f"{self.one} and {self.other} share {what} {self.shared}"


def family(model: str) -> str:
    """The family that a model's name begins with: "llama" for "meta-llama/Llama-3.1-8B-Instruct".

    A guess from the name alone: a model that was renamed, or tuned from another, is not recognized.
    """
    name = model.rsplit("/", 1)[-1].rsplit("\\", 1)[-1].lower()
    words = [word for word in _SERIES.findall(name) if word not in _MAKERS]
    return _OTHER_NAMES.get(words[0], words[0]) if words else name


def kinships(models: Mapping[str, Sequence[str]]) -> Iterator[Kinship]:
    """Yield the kinships among the models by seat (or judge), each pair of seats once, the closest first.

    >>> [kin.words for kin in kinships({"doctor": ["gpt-4o"], "judge": ["gpt-4o-mini"]})]
    ['doctor and judge share models of one family, gpt']
    """
    for one, other in combinations(models, 2):
        if same := sorted(set(models[one]) & set(models[other])):
            yield Kinship(one, other, "model", same[0])
        elif alike := sorted(set(map(family, models[one])) & set(map(family, models[other]))):
            yield Kinship(one, other, "family", alike[0])
