"""A small rule language for recognizing acts and utterances: "adrenaline | epinephrine & intramuscular | im".

A rule is a conjunction of groups joined by `&`; a group is a list of alternative wordings joined by `|`; one
that begins with `!` is negated: it must not occur. A wording is one or more words in order, compared by their
stems, so that "apologise" matches "I apologised". A number and its unit are two words: "5mg" equals "5 mg".
An act meets a list of rules if it meets any one of them. Speech must meet a rule within one sentence or two
neighbouring ones, so that a long speech does not match by chance. Person counts: "I", "you", "she" differ.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Final, NamedTuple

from osler.text.phrases import words
from osler.text.tokens import lowered

_KEPT = 8192
_TOKEN = re.compile(r"[a-z0-9]+(?:'[a-z]+)?")
_SHORT: Final = {"m": "am", "re": "are", "ve": "have", "ll": "will", "d": "would"}
_PERSONS: Final = {
    word: line.split()[0]
    for line in ("i me we us", "you u", "they he she him her them patient", "doctor", "note notes")
    for word in line.split()
}
"""Pronouns and nouns that the usual normal form would conflate, which would hide who or what is meant."""
_UNIT = re.compile(r"(?<![a-z0-9])(\d+)(?=[a-z])", re.IGNORECASE)


class _Group(NamedTuple):
    """Alternative wordings of one thing; the one-word ones are kept apart because a set lookup finds them."""

    ways: tuple[tuple[str, ...], ...]
    wanted: bool
    single: frozenset[str]
    longer: tuple[tuple[str, ...], ...]

    def occurs(self, said: Sequence[str], held: frozenset[str]) -> bool:
        """Whether any wording occurs among the stems; `held` is the same stems as a set."""
        if not self.single.isdisjoint(held):
            return True
        return any(held.issuperset(way) and bool(spans(way, said)) for way in self.longer)


class Rule(NamedTuple):
    """A parsed rule."""

    text: str
    groups: tuple[_Group, ...]

    @property
    def wanted(self) -> tuple[tuple[tuple[str, ...], ...], ...]:
        """The wordings of each group that must occur."""
        return tuple(group.ways for group in self.groups if group.wanted)

    @property
    def wanted_text(self) -> str:
        """The groups that must occur, as they were written."""
        return "&".join(part for part in self.text.split("&") if not part.strip().startswith("!"))

    @property
    def words(self) -> frozenset[str]:
        """Every stem in the rule."""
        return frozenset(word for group in self.groups for way in group.ways for word in way)

    def worth(self, said: Sequence[str]) -> int:
        """The specificity of a match: words in the longest matching wording of each group, summed."""
        return sum(max(len(way) for way in ways if _stands(way, said)) for ways in self.wanted)

    def met(self, said: Sequence[str]) -> bool:
        """Whether stems (from `stems`) meet the rule."""
        held = frozenset(said)
        return all(group.occurs(said, held) is group.wanted for group in self.groups)

    def forbids(self, said: Sequence[str]) -> bool:
        """Whether stems hold a wording that must not occur."""
        held = frozenset(said)
        return any(group.occurs(said, held) for group in self.groups if not group.wanted)


@lru_cache(maxsize=_KEPT)
def rule(text: str) -> Rule:
    """Parse a rule. Raises ValueError if a group or a wording is empty, or if every group is negated."""
    groups = []
    for part in text.split("&"):
        part = part.strip()
        wanted = not part.startswith("!")
        ways = tuple(_stems(way) for way in part.removeprefix("!").split("|"))
        if not all(ways):
            raise ValueError(f"the rule {text!r} has an empty group or wording")
        single = frozenset(way[0] for way in ways if len(way) == 1)
        groups.append(_Group(ways, wanted, single, tuple(way for way in ways if len(way) > 1)))
    if not any(group.wanted for group in groups):
        raise ValueError(f"the rule {text!r} requires nothing")
    return Rule(text, tuple(groups))


def stems(text: str) -> tuple[str, ...]:
    """The stems of a text, as `Rule.met` takes them."""
    return _stems(text)


def meets(text: str, rules: Iterable[str]) -> str | None:
    """The first rule that a text meets, or `None`."""
    stems = _stems(text)
    return next((each for each in rules if rule(each).met(stems)), None)


@lru_cache(maxsize=_KEPT)
def _stems(text: str) -> tuple[str, ...]:
    tokens = _TOKEN.findall(lowered(_UNIT.sub(r"\1 ", text)))
    return tuple([form for token in tokens for form in _forms(token)])


@lru_cache(maxsize=_KEPT)
def _forms(token: str) -> tuple[str, ...]:
    """The normal forms of one token: "i'm" gives two words, an article none."""
    if token in _PERSONS:
        return (_PERSONS[token],)
    first, _, rest = token.partition("'")
    if first in _PERSONS and rest in _SHORT:
        return (_PERSONS[first], *words(_SHORT[rest]))
    return words(token)


def word_places(text: str) -> list[tuple[int, int]]:
    """The character span (start, end) of each stem in the text, in the order of `stems`."""
    pairs = []
    for token in _TOKEN.finditer(lowered(text)):
        cuts = [
            token.start(),
            *(token.start() + unit.end() for unit in _UNIT.finditer(token[0])),
            token.end(),
        ]
        pairs += [(a, b) for a, b in pairwise(cuts) for _ in stems(text[a:b])]
    return pairs


def spans(way: tuple[str, ...], said: Sequence[str]) -> list[tuple[int, int]]:
    """The spans at which a wording occurs among stems: (first, one past the last)."""
    length = len(way)
    if not set(way).issubset(said):
        return []
    ends = range(length, len(said) + 1)
    return [(end - length, end) for end in ends if tuple(said[end - length : end]) == way]


def _stands(way: tuple[str, ...], said: Sequence[str]) -> bool:
    return way[0] in said if len(way) == 1 else bool(spans(way, said))
