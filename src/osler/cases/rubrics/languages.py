"""Whether a rubric is in another language than English, whose words its traits are inferred by."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

_WORD: Final = re.compile(r"[^\W\d_]+")
_LATIN: Final = re.compile(r"[a-z\u00c0-\u024f]", re.IGNORECASE)
_ENGLISH: Final = frozenset(
    "the a an of and to in for with is are was by on at or not that this from as patient asks about".split()
)
_OTHERS: Final = frozenset(
    "el la los las un una de del y en con por para que se al lo su le les des du et est dans pour une "
    "au aux sur avec der das und dem ein eine einer nach mit von zu ist auf bei über il gli di che della "
    "sono alla os um uma da dos das em ao pelo het een van voor op naar och att som av är på til og det "
    "med er oraz nie jest się na bir ve için ile".split()
)
_FEWEST: Final = 3


def other_language(texts: Iterable[str]) -> str:
    """Why texts do not seem to be English; empty where they do. Pure."""
    words = [word.casefold() for text in texts for word in _WORD.findall(text)]
    letters = "".join(words)
    latin = len(_LATIN.findall(letters))
    if letters and latin < len(letters) / 2:
        return "most of its letters are of another script than English"
    english, others = sum(word in _ENGLISH for word in words), sum(word in _OTHERS for word in words)
    if others >= _FEWEST and others > english:
        return f"{others} of its words are small words of other languages, {english} of English"
    return ""
