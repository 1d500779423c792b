"""Term counts of texts as a sparse matrix, computed once for all rankings: (text, word, times) arrays.

Words are compared case-insensitively and without a plural s, stop words are dropped; Chinese, which has no
spaces, is split into character bigrams.
"""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

Int32 = npt.NDArray[np.int32]
_WORD: Final = re.compile(r"[\u3400-\u9fff]+|[^\W_\u3400-\u9fff]+(?:[.,]\d+)*")
_SMALL: Final = frozenset(
    "a about after all also am an and any are as at be been but by can could did do does for from had has"
    " have he her him his how i if in into is it its just like me my no not now of off on one or our out she"
    " so some such than that the their them then there these they this to up was we were what when where"
    " which while who will with would you your".split()
)


class Counted(NamedTuple):
    """A sparse term-count matrix: text `rows[i]` contains word `columns[i]` `times[i]` times. `words` are in
    column order; `lengths` counts the words of each text without stop words."""

    words: list[str]
    rows: Int32
    columns: Int32
    times: Int32
    lengths: Int32


def words_of(text: str) -> list[str]:
    """The content words of a text, in order."""
    words: list[str] = []
    for piece in _WORD.findall(text.lower()):
        if "\u3400" <= piece[0] <= "\u9fff":
            words += [piece[at : at + 2] for at in range(max(1, len(piece) - 1))]
        elif piece not in _SMALL:
            words.append(_singular(piece))
    return words


def count(texts: Iterable[str]) -> Counted:
    """Count the words of every text."""
    numbers: dict[str, int] = {}
    rows, columns, times, lengths = (array("i") for _ in range(4))  # a tenth of a list's memory
    for row, text in enumerate(texts):
        words, many = _counted(text)
        lengths.append(sum(many))
        rows.extend([row] * len(words))
        columns.extend(numbers.setdefault(word, len(numbers)) for word in words)
        times.extend(many)
    arrays = (np.array(each, np.int32) for each in (rows, columns, times, lengths))
    return Counted(list(numbers), *arrays)


def numbered(words: Sequence[str]) -> Mapping[str, int]:
    """The column of each word."""
    return {word: number for number, word in enumerate(words)}


@lru_cache(maxsize=16_384)
def _counted(text: str) -> tuple[tuple[str, ...], tuple[int, ...]]:
    # A memory is indexed again for every snapshot, and most of its cards were in the one before.
    counts = Counter(words_of(text))
    return tuple(counts), tuple(counts.values())


@lru_cache(maxsize=65_536)
def _singular(word: str) -> str:
    return (
        word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")) else word
    )
