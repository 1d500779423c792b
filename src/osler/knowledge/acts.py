"""Recognizing an act or an utterance by a rule in words: "adrenaline | epinephrine & intramuscular | im".

A rule is groups joined by `&`; each group is ways to say one thing, joined by `|`; a group that begins with
`!` must not occur. A way is one or more words in their order; words are compared by their stems, so that
"apologise" is found in "I apologised". A text meets several rules if it meets one of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

from osler.knowledge.phrases import words

_KEPT = 8192


class _Group(NamedTuple):
    ways: tuple[tuple[str, ...], ...]
    wanted: bool


class Rule(NamedTuple):
    """A parsed rule."""

    text: str
    groups: tuple[_Group, ...]

    def met(self, said: Sequence[str]) -> bool:
        """Whether stems, as `stems` gives them, meet the rule."""
        return all(any(_stands(way, said) for way in ways) is wanted for ways, wanted in self.groups)


@lru_cache(maxsize=_KEPT)
def rule(text: str) -> Rule:
    """Parse a rule. Raises ValueError where a group or a way is empty, or nothing is wanted."""
    groups = []
    for part in text.split("&"):
        part = part.strip()
        wanted = not part.startswith("!")
        ways = tuple(words(way) for way in part.removeprefix("!").split("|"))
        if not all(ways):
            raise ValueError(f"the rule {text!r} has an empty group or way")
        groups.append(_Group(ways, wanted))
    if not any(group.wanted for group in groups):
        raise ValueError(f"the rule {text!r} wants nothing")
    return Rule(text, tuple(groups))


def stems(text: str) -> tuple[str, ...]:
    """The stems of a text, for `Rule.met`."""
    return _stems(text)


def meets(text: str, rules: Iterable[str]) -> str | None:
    """The first rule that a text meets, or `None`."""
    said = _stems(text)
    return next((each for each in rules if rule(each).met(said)), None)


@lru_cache(maxsize=_KEPT)
def _stems(text: str) -> tuple[str, ...]:
    return words(text)


def _stands(way: tuple[str, ...], said: Sequence[str]) -> bool:
    length = len(way)
    if length == 1:
        return way[0] in said
    return any(tuple(said[at : at + length]) == way for at in range(len(said) - length + 1))
