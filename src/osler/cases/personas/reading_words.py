"""Extracting what a sentence about a person states: ages, and years of work, in figures or words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

_ONES: Final = "one two three four five six seven eight nine ten eleven twelve".split()
_TENS: Final = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_NUMBER: Final = {word: place for place, word in enumerate(_ONES, 1)} | {
    word: 10 * place for place, word in enumerate(_TENS, 2)
}
_NUMBER_WORDS: Final = "|".join((*_ONES, *_TENS))
_SPAN: Final = re.compile(
    rf"\b(\d{{1,3}}|(?:{_NUMBER_WORDS})(?:-(?:{'|'.join(_ONES[:9])}))?)\s+(year|decade)s\b", re.I
)
_WORK: Final = re.compile(
    r"\b(?:taught|teach\w*|work\w*|career|serv\w+|employ\w*|drove|driv\w+|earned|experience|profession\w*|"
    r"job|started as|was an?|has been an?|is an?|spent)\b",
    re.I,
)
_AGE: Final = re.compile(
    r"\b(\d{1,3})[- ]years?[- ]old\b(?!\s+(?:son|daughter|grand\w+|twins|niece|nephew|dog|cat))", re.I
)


def matches(pattern: str, text: str) -> str | None:
    """The first match of a pattern on whole words of a text, case-insensitive."""
    found = re.search(rf"(?<!\w)(?:{pattern})(?!\w)", text, re.I)
    return found[0] if found else None


def stated_ages(text: str) -> Iterator[int]:
    """The ages that a text states as "61-year-old" or "61 years old"."""
    yield from (int(found[1]) for found in _AGE.finditer(text))


def years_of_work(text: str) -> Iterator[float]:
    """The years of work that a text states, from each clause about work."""
    for clause in re.split(r"[.,;!?]\s+", text):
        if _WORK.search(clause):
            for found in _SPAN.finditer(clause):
                yield _number(found[1]) * (10 if found[2].lower() == "decade" else 1)


def _number(word: str) -> float:
    if word.isdigit():
        return float(word)
    return float(sum(_NUMBER[part] for part in word.lower().split("-")))
