"""Neutral names for what a model chooses among: F01, F02, ... for a case's facts, P01, ... for its people.

They are the same in every case and turn, so a form that lists them never changes. What each means stands in
the messages; only those on offer are accepted.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

MOST_NAMES: Final = 40
"""The most neutral names of one letter in a form."""
_NEUTRAL: Final = re.compile(r"\s*([A-Za-z])0*(\d{1,3})\s*")


def name_of(letter: str, number: int) -> str:
    """The neutral name with this letter and number from 1: "F01"."""
    return f"{letter}{number:02d}"


class Names(NamedTuple):
    """The neutral names of what a view lists, in its order: `ids` are its own ids, `open` those on offer now;
    `None` for all of them. `every`: a list in which each thing has a name of these has one for each."""

    letter: str
    ids: tuple[str, ...]
    open: frozenset[str] | None = None
    every: bool = False

    @classmethod
    def numbered(cls, letter: str, count: int) -> Names:
        """The neutral names of so many things that have no ids but their numbers from 1."""
        return cls(letter, tuple(map(str, range(1, count + 1))))

    @property
    def offered(self) -> list[str]:
        """The neutral names on offer now, in order."""
        return [name_of(self.letter, at) for at, one in enumerate(self.ids, 1) if self._is_open(one)]

    def name(self, item: str) -> str:
        """The neutral name of an id; the id itself if it is not listed."""
        return name_of(self.letter, self.ids.index(item) + 1) if item in self.ids else item

    def is_name(self, text: str) -> bool:
        """Whether a text is a neutral name with this letter, and no words."""
        match = _NEUTRAL.fullmatch(text)
        return match is not None and match[1].upper() == self.letter

    def unprefixed(self, words: object) -> object:
        """Strip a leading neutral name with this letter: `F02 Since Monday.` gives `Since Monday.`."""
        if not isinstance(words, str):
            return words
        first, _, rest = words.strip().partition(" ")
        return rest.lstrip() if rest and self.is_name(first.rstrip(":.-")) else words

    def meant(self, name: object) -> str:
        """The id that a model means by a neutral name, in any letter case, or by the id itself.

        Raises ValueError for one that is not on offer, in the same words whether or not it exists.
        """
        named = str(name)
        result = named if named in self.ids else ""
        if not result and (match := _NEUTRAL.fullmatch(named)) and match[1].upper() == self.letter:
            number = int(match[2])
            result = self.ids[number - 1] if 0 < number <= len(self.ids) else ""
        if not result or not self._is_open(result):
            offered = self.offered
            listed = f"choose among {', '.join(offered[:12])}" if offered else "there is none to choose"
            raise ValueError(f"{named[:40]!r} is not on offer now; {listed}")
        return result

    def all_meant(self, names: object) -> tuple[str, ...]:
        """The ids meant by a list of names, each once. Raises ValueError as `meant` does."""
        given: Sequence[object] = names if isinstance(names, list | tuple) else [names] if names else []
        return tuple(dict.fromkeys(map(self.meant, given)))

    def _is_open(self, item: str) -> bool:
        return self.open is None or item in self.open
