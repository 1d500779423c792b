"""Lay and clinical words for the same bodily function: "peeing" and "dysuria" are both about urination."""

from __future__ import annotations

from functools import cache, lru_cache
from importlib import resources
from typing import Final

import yaml

from osler.text.phrases import Phrases, words

_NOTHING: Final = "nothing"


@lru_cache(maxsize=20_000)
def workings(text: str) -> frozenset[str]:
    """The bodily functions mentioned in `text`, by their keys in lay.yaml."""
    return frozenset[str]().union(*(match.label for match in _lexicon().find(words(text))))


@cache
def _lexicon() -> Phrases[frozenset[str]]:
    text = resources.files("osler.knowledge").joinpath("lay.yaml").read_text(encoding="utf-8")
    source: dict[str, str] = yaml.safe_load(text)
    pairs = (
        (phrase, frozenset({key} - {_NOTHING}))
        for key, phrases in source.items()
        for phrase in phrases.split(",")
    )
    return Phrases(pairs, merge=frozenset.union)
