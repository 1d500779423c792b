"""Likeness of texts by the runs of words they share: duplicates, near-duplicates, copied passages."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence, Set
from hashlib import blake2b
from math import ceil
from typing import Any, Final, NamedTuple

import numpy as np

WORD: Final = re.compile(r"\w+")
RUN: Final = 8
"""The words of a run that tells where a text comes from."""
_NUMERALS: Final = 2
"""The most numerals in such a run: normal values stand alike in many cases."""
NUMERAL: Final = "#"
_MANY: Final = 100
"""Texts with a common run above which not all of their pairs are counted."""
NEAR: Final = 5
"""The words of a run by which near-duplicates are found."""
Grams = np.ndarray[Any, np.dtype[np.uint64]]


def words(text: str) -> list[str]:
    """The words of a text, in lower case."""
    return WORD.findall(text.casefold())


def normal(text: str) -> str:
    """Return a text's words joined by spaces, the form in which duplicates are looked up."""
    return " ".join(words(text))


def grams(text: str) -> Grams:
    """The runs of a text as sorted hashes; a shorter text is one run."""
    each = words(text)
    parts = [" ".join(each[at : at + NEAR]) for at in range(max(1, len(each) - NEAR + 1))]
    return np.unique(np.array([_hashed(part) for part in parts], dtype=np.uint64))


def runs(texts: Iterable[str], stock: Set[int] = frozenset()) -> frozenset[int]:
    """The runs of eight words in some texts, as hashes, without those made up of numerals and without those
    whose form (`form_hashes`) is in `stock`."""
    result = set[int]()
    for text in texts:
        each = words(text)
        for at, form in enumerate(form_hashes(each)):
            if form is not None and form not in stock:
                result.add(_hashed(" ".join(each[at : at + RUN])))
    return frozenset(result)


def form_hashes(each: Sequence[str]) -> Iterator[int | None]:
    """The hash of the run of eight words that begins at each word, with all numerals alike; `None` for a run
    made up of numerals."""
    blind = [form_of(word) for word in each]
    for at in range(len(each) - RUN + 1):
        part = blind[at : at + RUN]
        yield _hashed(" ".join(part)) if part.count(NUMERAL) <= _NUMERALS else None


def form_of(word: str) -> str:
    """A word, or the one sign that stands for every word with a digit."""
    return NUMERAL if any(char.isdigit() for char in word) else word


def _hashed(text: str) -> int:
    return int.from_bytes(blake2b(text.encode("utf-8", "replace"), digest_size=8).digest())


class _KeptText(NamedTuple):
    name: Hashable
    group: Hashable
    grams: Grams


class Near:
    """Finds, for each text in turn, an earlier one of another group that is nearly the same: at least a share
    `least` of all the runs of both is common to both. Exact: nothing is sampled."""

    def __init__(self, least: float) -> None:
        self._least = least
        self._kept: list[_KeptText] = []
        self._by_gram: dict[int, list[int]] = defaultdict(list)

    def find(self, group: Hashable, found: Grams) -> Hashable | None:
        """The name of an earlier text of another group that this one is nearly the same as, if any."""
        seen = set[int]()
        for gram in self._first(found):
            seen.update(self._by_gram.get(gram, ()))
        for at in sorted(seen):
            one = self._kept[at]
            if one.group != group and likeness(one.grams, found) >= self._least:
                return one.name
        return None

    def add(self, name: Hashable, group: Hashable, found: Grams) -> None:
        """Keep a text, for those that come later."""
        for gram in self._first(found):
            self._by_gram[gram].append(len(self._kept))
        self._kept.append(_KeptText(name, group, found))

    def _first(self, found: Grams) -> list[int]:
        # Two sets so alike share one of their first runs in any fixed order, such as that of the hashes.
        size = len(found)
        return [int(gram) for gram in found[: size - ceil(self._least * size) + 1]]


def likeness(one: Grams, other: Grams) -> float:
    """The share of the runs of both texts that both have (Jaccard)."""
    both = len(np.intersect1d(one, other, assume_unique=True))
    return both / (len(one) + len(other) - both) if both else 0.0


def shared(sets: Iterable[tuple[str, frozenset[int]]]) -> Iterator[tuple[str, str, int]]:
    """Yield (name, name, number of runs that both have), for pairs that share any.

    Of texts that share a run with very many others only neighbours in the order of their names are paired:
    chained, they still lead from each to each, and the number of pairs stays small.
    """
    holding = defaultdict[int, list[str]](list)
    for name, result in sets:
        for run in result:
            holding[run].append(name)
    counts = defaultdict[tuple[str, str], int](int)
    for names in holding.values():
        ordered = sorted(names)
        reach = len(ordered) if len(ordered) <= _MANY else 1
        for at, first in enumerate(ordered):
            for second in ordered[at + 1 : at + 1 + reach]:
                counts[first, second] += 1
    for (first, second), count in sorted(counts.items()):
        yield first, second, count
