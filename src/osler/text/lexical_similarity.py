"""Lexical similarity of texts by shared stems, for judges without a model.

Words are stemmed and stop words dropped; a number in words equals the number in digits. Negation is ignored;
see `osler.text.findings_in_text` for that.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

_WORD: Final = re.compile(r"\d{1,3}(?:,\d{3})+(?![\d.])|[^\W_]+(?:[.,]\d+)?")
_THOUSANDS: Final = re.compile(r"\d{1,3}(?:,\d{3})+")
_BOUND: Final = re.compile(r"[<>≤≥]\s*=?\s*\d+(?:[.,]\d+)*")
_AND_A_HALF: Final = re.compile(r"\b(\w+) and a half\b")
_SMALL: Final = frozenset(
    "a about above after again all also am an and any are as at be because been before being below both"
    " but by can could did do does doing down during each few for from further get had has have having he"
    " her here him his how i if in into is it its just last like me more most my no none nor not now of"
    " off on once only or other our out over own per put same she since so some such than that the their"
    " them then there these they this those through to too under until up upon us very was we were what"
    " when where which while who why will with without would you your patient says said reports denies"
    " history".split()
)
_NUMBERS: Final = {
    word: str(number)
    for number, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen"
        " fifteen sixteen seventeen eighteen nineteen twenty".split()
    )
} | {"thirty": "30", "forty": "40", "fifty": "50", "sixty": "60", "seventy": "70", "eighty": "80"}
_ENDINGS: Final = ("iness", "ness", "less", "ingly", "ing", "ies", "ed", "es", "ly", "s", "y", "e")
_ROOT: Final = 4


@lru_cache(maxsize=4096)
def stems(text: str) -> frozenset[str]:
    """The stems of the content words of a text; numbers are kept whole."""
    low = _AND_A_HALF.sub(lambda match: f"{_NUMBERS.get(match[1], match[1])}.5", text.lower())
    return frozenset(_root(word) for word in _WORD.findall(low) if word not in _SMALL)


def numbers(text: str) -> frozenset[str]:
    """The numbers stated in a text, in digits: "11", "38.5". A bound ("< 60") does not count."""
    return frozenset(word for word in stems(_BOUND.sub(" ", text)) if word[0].isdigit())


def _number(word: str) -> str:
    """A number in canonical form: without thousands separators and trailing zeros."""
    plain = word.replace(",", "") if _THOUSANDS.fullmatch(word) else word.replace(",", ".")
    whole, point, fraction = plain.partition(".")
    return f"{whole}.{fraction.rstrip('0')}".rstrip(".") if point else whole


@lru_cache(maxsize=16_384)
def _root(word: str) -> str:
    if word[0].isdigit():
        return _number(word)
    if word in _NUMBERS:
        return _NUMBERS[word]
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _ROOT:
            return word[: -len(ending)]
    return word
