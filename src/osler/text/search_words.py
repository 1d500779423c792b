"""Words and "quoted phrases" to search texts for: read from a query, and marked where a text holds them.

A word is whole, without case and accents; in scripts that write no spaces each character is one. Queries and
texts are read by the same rule, so that every database finds the same, and a query has no syntax that a
database could stumble over.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

LONGEST_WORD: Final = 64
"""Characters of a word that are compared."""
SHOWN: Final = 240
"""The length of a passage in characters, about."""
_BEFORE: Final = SHOWN // 4
_CUT: Final = "..."
_UNSPACED: Final = "\u0e00-\u0e7f\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"  # Thai, kana, Han
_WORD: Final = re.compile(rf"[{_UNSPACED}]|(?:(?![{_UNSPACED}])[^\W_]|[\u0300-\u036f])+")
_PART: Final = re.compile(r'"([^"]*)(?:"|\Z)|[^\s"]+')
_QUOTES: Final = str.maketrans(dict.fromkeys("“”„«»", '"'))


class Word(NamedTuple):
    """A word of a text as it is compared, and where it stands there."""

    plain: str
    start: int
    end: int


class Piece(NamedTuple):
    """A part of a passage; `marked` if it was searched for."""

    text: str
    marked: bool


Phrase = tuple[str, ...]
"""Words that follow each other."""


def words_of(text: str) -> Iterator[Word]:
    """Yield the words of a text.

    >>> [word.plain for word in words_of("Naïve X-ray, 12 µg!")]
    ['naive', 'x', 'ray', '12', 'μg']
    """
    for match in _WORD.finditer(text):
        if plain := _plain(match[0]):
            yield Word(plain, match.start(), match.end())


def phrases_of(query: str) -> tuple[Phrase, ...]:
    """Read a query: each phrase once, in order. A word that is several by our rule is a phrase. Never raises.

    >>> phrases_of('fever "night sweats" x-ray fever')
    (('fever',), ('night', 'sweats'), ('x', 'ray'))
    """
    parts = (match[1] or match[0] for match in _PART.finditer(query.translate(_QUOTES)))
    phrases = (tuple(word.plain for word in words_of(part)) for part in parts)
    return tuple(dict.fromkeys(phrase for phrase in phrases if phrase))


def passage(text: str, phrases: Sequence[Phrase]) -> tuple[Piece, ...]:
    """The passage of a text around the first phrase, every phrase in it marked; empty if the text lacks one
    of them."""
    words = list(words_of(text))
    plain = [word.plain for word in words]
    spans = list[tuple[int, int]]()
    for phrase in phrases:
        places = [at for at, word in enumerate(plain) if word == phrase[0] and _stands(phrase, plain, at)]
        if not places:
            return ()
        spans += [(words[at].start, words[at + len(phrase) - 1].end) for at in places]
    if not spans:
        return ()
    spans = _joined(spans)
    first, last = _window(text, words, spans[0])
    return tuple(_pieces(text, [span for span in spans if first <= span[0] and span[1] <= last], first, last))


@lru_cache(4096)
def _plain(word: str) -> str:
    whole = unicodedata.normalize("NFKD", word).casefold()
    return "".join(letter for letter in whole if letter.isalnum())[:LONGEST_WORD]


def _stands(phrase: Phrase, plain: Sequence[str], at: int) -> bool:
    return tuple(plain[at : at + len(phrase)]) == phrase


def _joined(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Spans in order, those that overlap as one."""
    result = list[tuple[int, int]]()
    for start, end in sorted(spans):
        if result and start < result[-1][1]:
            result[-1] = (result[-1][0], max(end, result[-1][1]))
        else:
            result.append((start, end))
    return result


def _window(text: str, words: Sequence[Word], span: tuple[int, int]) -> tuple[int, int]:
    """The characters to show around a span, cut between words."""
    if len(text) <= SHOWN:
        return 0, len(text)
    least, most = span[0] - _BEFORE, max(span[1], span[0] - _BEFORE + SHOWN)
    first = 0 if least <= 0 else min(span[0], next(word.start for word in words if word.start >= least))
    last = len(text) if most >= len(text) else max(word.end for word in words if word.end <= most)
    return first, max(last, span[1])


def _pieces(text: str, spans: Sequence[tuple[int, int]], first: int, last: int) -> Iterator[Piece]:
    at, before = first, f"{_CUT} " if first else ""
    for start, end in spans:
        if before or at < start:
            yield Piece(before + text[at:start], marked=False)
        yield Piece(text[start:end], marked=True)
        at, before = end, ""
    rest = text[at:last] + (f" {_CUT}" if last < len(text) else "")
    if rest:
        yield Piece(rest, marked=False)
