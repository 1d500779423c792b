"""Sentence templates: `[this|that]` is a choice, `{slot}` is filled in, `{Slot}` also capitalized."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from random import Random
from typing import Final

_CHOICE: Final = re.compile(r"\[([^\[\]]*)\]")
_SLOT: Final = re.compile(r"\{(\w+)\}")
_TRIES: Final = 8


class Writer:
    """Draws templates and fillings evenly, as from shuffled decks, and avoids repeating a sentence."""

    def __init__(self, luck: Random) -> None:
        self._luck = luck
        self._decks: dict[str, list[str]] = {}
        self._last: dict[str, str] = {}
        self._written: Counter[str] = Counter()

    def draw(self, deck: str, cards: Sequence[str]) -> str:
        """The next card of a deck, which is reshuffled once empty, never repeating a card immediately."""
        left = self._decks.get(deck)
        if not left:
            left = self._decks[deck] = self._luck.sample(cards, len(cards))
            if left[-1] == self._last.get(deck):
                left.reverse()
        card = self._last[deck] = left.pop()
        return card

    def sentence(self, deck: str, frames: Sequence[str], **slots: str) -> str:
        """A sentence from the next template of a deck, in the wording least used so far."""
        frame = self.draw(deck, frames)
        drafts = [self._filled(frame, slots) for _ in range(_TRIES)]
        chosen = min(drafts, key=lambda draft: self._written[draft])
        self._written[chosen] += 1
        return chosen

    def _filled(self, frame: str, slots: dict[str, str]) -> str:
        worded = _CHOICE.sub(lambda found: self._luck.choice(found[1].split("|")), frame)
        filled = _SLOT.sub(lambda found: _slot(found[1], slots), worded)
        return capital(filled)


def capital(text: str) -> str:
    """Capitalize the first letter of a text, skipping a leading quotation mark."""
    start = 1 if text[:1] in "'\"" else 0
    return text[:start] + text[start : start + 1].upper() + text[start + 1 :]


def with_article(noun: str) -> str:
    """A noun with "a" or "an"."""
    an = noun[:1] in "aeiou" and not noun.startswith("uni")
    return f"{'an' if an else 'a'} {noun}"


def _slot(name: str, slots: dict[str, str]) -> str:
    value = slots[name.lower()]
    return capital(value) if name[:1].isupper() else value
