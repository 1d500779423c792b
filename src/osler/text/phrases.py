"""Phrase matching with stemming: words are reduced to a normal form, then a trie takes the longest match.

Two phrases are equal if they differ only in inflection, in person (you, he, she) or in stop words (the, your,
please). Longest match means that "birth control" is never also "birth".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import product
from typing import Final, Generic, NamedTuple, TypeVar

from osler.text.tokens import lowered

L = TypeVar("L")

_TOKEN: Final = re.compile(r"[a-z0-9]+(?:'[a-z]+)?")
_CARRY_NOTHING: Final = """
    a an the your his my our their its any some ever also just please currently recently really actually
    sir madam ma'am miss mister doctor still exactly usually
"""
_EMPTY: Final = frozenset(_CARRY_NOTHING.split())
# The first word of each line replaces the others.
_SAME: Final = {
    word: line.split()[0]
    for line in """
    you he she they him her them i me we us you're u patient
    do does did doing done
    be is are was were been being am
    have has had having i've you've got gotten get gets getting
    father father's dad dad's daddy
    mother mother's mom mom's mum mum's mummy
    start began begun begins beginning begin started starts starting
    take takes taking took taken
    make makes making made
    go goes going went gone
    bring brings bringing brought
    feel felt feels feeling feelings
    drink drank drunk drinks drinking drinkers drinker
    smoke smokes smoking smoked smoker smokers
    eat ate eaten eats eating
    sleep slept sleeps sleeping
    hurt hurts hurting
    think thinks thinking thought thoughts
    woman women woman's
    man men man's
    child children child's kids kid kid's
    plane planes
    bite bites biting bitten
    bleed bleeds bleeding bled
    wine wines
    cane canes
    scare scared scary scares
    anyone everybody somebody someone anybody everyone
    """.strip().splitlines()
    for word in line.split()
}


@lru_cache(maxsize=20_000)
def _form(token: str) -> str:
    """The normal form of a lower-case token; empty for a stop word."""
    if token in _EMPTY:
        return ""
    if token in _SAME:
        return _SAME[token]
    return stem(token.removesuffix("'s"))


@lru_cache(maxsize=20_000)
def stem(token: str) -> str:
    """A light stemmer: cuts plural, -ing, -ed and a final e. Not linguistics, but the same on both sides."""
    if len(token) > 4 and token.endswith("ies"):
        token = token[:-3] + "y"
    elif len(token) > 3 and token.endswith("s") and not token.endswith(("ss", "us", "is")):
        token = token[:-1]
    for ending in ("ing", "ed"):
        if len(token) >= len(ending) + 3 and token.endswith(ending):
            token = token[: -len(ending)]
            if len(token) > 3 and token[-1] == token[-2] and token[-1] not in "ls":
                token = token[:-1]
            break
    return token[:-1] if len(token) > 3 and token.endswith("e") else token


@lru_cache(maxsize=20_000)
def words(text: str) -> tuple[str, ...]:
    """The words of `text` in normal form, in order."""
    return tuple([form for token in _TOKEN.findall(lowered(text)) if (form := _form(token))])


class Match(NamedTuple, Generic[L]):
    """A phrase found at words [`start`, `end`)."""

    start: int
    end: int
    label: L


class _Node(Generic[L]):
    __slots__ = ("label", "next")

    def __init__(self) -> None:
        self.next: dict[str, _Node[L]] = {}
        self.label: L | None = None


class Phrases(Generic[L]):
    """A trie of labelled phrases. `a|b` inside a phrase means either word.

    If a phrase is given twice, its labels are merged by `merge`; without one, it is an error. The words of
    `light` (in normal form) are left out of the phrases.
    """

    def __init__(
        self,
        phrases: Iterable[tuple[str, L]],
        merge: Callable[[L, L], L] | None = None,
        light: frozenset[str] = frozenset(),
    ) -> None:
        self._root: _Node[L] = _Node()
        self._merge = merge
        self._light = light
        for phrase, label in phrases:
            for spelled in product(*(part.split("|") for part in phrase.split())):
                self._add(" ".join(spelled), label)

    def _add(self, phrase: str, label: L) -> None:
        node = self._root
        for word in words(phrase):
            if word in self._light:
                continue
            node = node.next.setdefault(word, _Node())
        if node.label is not None and node.label != label:
            if self._merge is None:
                raise ValueError(f"the phrase {phrase!r} has two labels")
            label = self._merge(node.label, label)
        if node is self._root:
            raise ValueError(f"nothing is left of the phrase {phrase!r}")
        node.label = label

    def find(self, text: Sequence[str]) -> list[Match[L]]:
        """The longest matches in `text` (words in normal form), left to right, without overlap."""
        matches: list[Match[L]] = []
        first, start, size = self._root.next, 0, len(text)
        while start < size:
            node = first.get(text[start])
            best, end = None, start + 1
            at = start
            while node is not None:
                at += 1
                if node.label is not None:
                    best, end = node.label, at
                node = node.next.get(text[at]) if at < size else None
            if best is not None:
                matches.append(Match(start, end, best))
            start = end
        return matches

    def every(self, text: Sequence[str]) -> list[Match[L]]:
        """All matches in `text` (words in normal form), overlapping ones and shorter ones included."""
        matches: list[Match[L]] = []
        for start in range(len(text)):
            node: _Node[L] | None = self._root
            for end in range(start, len(text)):
                node = node.next.get(text[end]) if node is not None else None
                if node is None:
                    break
                if node.label is not None:
                    matches.append(Match(start, end + 1, node.label))
        return matches
