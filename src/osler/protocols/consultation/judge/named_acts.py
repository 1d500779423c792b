"""Term matching: acts named in what a doctor wrote or said, by whole words, with quotes, unless negated.

"Give aspirin" names aspirin; "avoid aspirin", "aspirin is contraindicated" and "no aspirin or nitrates" do
not; see `osler.text.refusal`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final

from osler.judging.scores import QUOTE
from osler.text.refusal import refused

_LONGEST: Final = 20_000
_MOST_SEEN: Final = 256
_WORD: Final = re.compile(r"[^\W_]+")


class Terms:
    """A matcher for the terms of several labels, compiled once; `named` finds labels in texts, with quotes.

    Results for short texts are cached: orders and plans repeat from episode to episode.
    """

    def __init__(self, labels: Mapping[str, Iterable[str]]) -> None:
        owners: dict[str, set[str]] = {}
        for label, terms in labels.items():
            for term in terms:
                if words := " ".join(_WORD.findall(term.lower())):
                    owners.setdefault(words, set()).add(label)
        self._owners = {
            term: sorted({o for other, names in owners.items() if f" {other} " in f" {term} " for o in names})
            for term in owners
        }
        longest = sorted(owners, key=lambda term: (-len(term), term))
        alternatives = "|".join(r"[\W_]{1,3}".join(map(re.escape, term.split())) for term in longest)
        self._starts = tuple({term.split()[0] for term in owners})
        self._pattern = re.compile(rf"(?<!\w)({alternatives})(?:e?s)?(?!\w)")
        self._seen: dict[str, dict[str, str]] = {}

    def named(self, texts: Iterable[str]) -> dict[str, str]:
        """The labels named in any of the texts, each with its first quote."""
        found: dict[str, str] = {}
        for text in texts:
            names = self._seen.get(text)
            if names is None:
                names = self._in_one(text[:_LONGEST])
                if len(text) <= QUOTE:
                    if len(self._seen) >= _MOST_SEEN:
                        self._seen.clear()
                    self._seen[text] = names
            for label, quote in names.items():
                found.setdefault(label, quote)
        return found

    def _in_one(self, text: str) -> dict[str, str]:
        low = text.lower()
        found: dict[str, str] = {}
        if not any(start in low for start in self._starts):
            return found
        for match in self._pattern.finditer(low):
            new = [o for o in self._owners[" ".join(_WORD.findall(match[1]))] if o not in found]
            if new and not refused(low, match.start(), match.end()):
                found.update(dict.fromkeys(new, _around(text, match.start(), match.end())))
        return found


def _around(text: str, start: int, end: int) -> str:
    """The part of the text around a match, at most the length of a quote."""
    if len(text) <= QUOTE:
        return text
    room = (QUOTE - (end - start)) // 2
    first = max(0, start - room)
    return text[first : first + QUOTE]
