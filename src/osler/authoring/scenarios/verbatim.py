"""Verbatim lookup of words in a text, ignoring Markdown markup, spacing and case."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator
from functools import cached_property
from typing import Final, NamedTuple

from osler.authoring.scenarios.markdown import Unit, plain_line, units

# Punctuation counts, because "<90" is not ">90"; a star may mark a critical item or be Markdown markup.
_TOKEN: Final = re.compile(r"[^\W_]+|[^\w\s*]")
_SAME: Final = str.maketrans("‘’‚‛´`“”„‟–—‐‑‒−…", "''''''\"\"\"\"------.")
_ENDS: Final = frozenset(".!?;:,")
# A whole item may be followed by its points, but by nothing that could change its meaning.
_POINTS: Final = re.compile(
    r"\W{0,5}[(\[]\s*[+-]?\d{1,3}(?:[./]\d{1,3})?\s*(?:points?|pts?\.?|marks?)?\s*[)\]]\W*\Z|\W*\Z",
    re.IGNORECASE,
)
_BREAK: Final = "\x1f"


class Standing(NamedTuple):
    """A match: `text` as it is written there, and whether it consists of whole units or sentences.

    `unit` is the index of the unit in which it begins, `first` and `last` are word indexes.
    """

    text: str
    whole: bool
    unit: int
    first: int
    last: int


class Words(NamedTuple):
    """A word as it is compared, and its position: its unit, start and end."""

    plain: str
    unit: int
    start: int
    end: int


def words(text: str) -> list[str]:
    """The words and punctuation of a text as they are compared."""
    return [word.plain for unit in units(text) if not unit.merged for word in _words(unit, 0)]


class Document:
    """A text indexed for lookup."""

    def __init__(self, text: str) -> None:
        self.units: tuple[Unit, ...] = tuple(unit for unit in units(text) if not unit.merged)
        self._words = [word for number, unit in enumerate(self.units) for word in _words(unit, number)]

    @cached_property
    def _joined(self) -> str:
        return _BREAK + _BREAK.join(word.plain for word in self._words) + _BREAK

    @cached_property
    def _starts(self) -> list[int]:
        starts, at = [], 0
        for word in self._words:
            starts.append(at)
            at += len(word.plain) + 1
        return starts

    def find(self, text: str) -> Standing | None:
        """The first match of a text, preferring a whole one; `None` where there is no match."""
        wanted = words(text)
        while wanted and wanted[-1] in _ENDS:
            wanted.pop()
        if not any(word[0].isalnum() for word in wanted):
            return None
        first: Standing | None = None
        for place in self._places(wanted):
            result = self._standing(place, place + len(wanted) - 1)
            if result.whole:
                return result
            first = first or result
        return first

    def _places(self, wanted: list[str]) -> Iterator[int]:
        sought = _BREAK + _BREAK.join(wanted) + _BREAK
        at = self._joined.find(sought)
        while at >= 0:
            yield bisect_right(self._starts, at) - 1
            at = self._joined.find(sought, at + 1)

    def _standing(self, first: int, last: int) -> Standing:
        begin, end = self._words[first], self._words[last]
        before, after = self.units[begin.unit].text[: begin.start], self.units[end.unit].text[end.end :]
        begins = not before.strip(" \"'([*") or before.rstrip(" \"'*")[-1:] in _ENDS
        closes = _POINTS.match(after) is not None
        ends = closes or after.lstrip(" \"')*")[:1] in {*".!?;"}
        stop = len(self.units[end.unit].text) if closes else self._end(end)
        text = ""
        for number in range(begin.unit, end.unit + 1):
            unit = self.units[number]
            piece = unit.text[
                begin.start if number == begin.unit else 0 : stop if number == end.unit else None
            ]
            # List entries keep their own lines; lines of prose and cells are joined.
            text += piece if not text else f"{chr(10) if unit.kind in ('entry', 'box') else ' '}{piece}"
        return Standing(text.strip(), begins and ends, begin.unit, first, last)

    def _end(self, word: Words) -> int:
        """The end of a word, including the punctuation and stars that belong to it."""
        text, at = self.units[word.unit].text, word.end
        while at < len(text) and text[at] in "*.!?":
            at += 1
        return at


def _words(unit: Unit, number: int) -> Iterator[Words]:
    for match in _TOKEN.finditer(unit.text):
        plain = unicodedata.normalize("NFKC", match[0].translate(_SAME)).casefold().replace(_BREAK, "")
        if plain.strip():
            yield Words(plain, number, match.start(), match.end())


def says_nothing(text: str) -> bool:
    """Whether a text contains no letter."""
    return not any(c.isalpha() for c in plain_line(text))
