"""Drawing of personas' parts by chance, evenly: traits, first names, and sentences.

Traits are balanced by minimization, so that none is confounded with sex, age, work or another trait. The
method is that of clinical trials (Taves 1974; Pocock and Simon 1975): one person after another, in random
order, gets the level that is rarest so far among people who share each of their traits. Names are dealt
blindly: only the sex decides which list a name comes from. In a sentence template, `[this|that]` is a choice,
`{slot}` is filled in, and `{Slot}` also capitalized.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Final

from osler.cases.personas.traits import names

Row = dict[str, str]


def assign(
    rows: Sequence[Row],
    factor: str,
    allowed: Callable[[Mapping[str, str]], Sequence[str]],
    rng: Random,
) -> None:
    """Write a level of `factor` into each row, balanced against every trait the rows already have.

    `allowed` gives the levels that a row may have, at least one; rows with the fewest choices come first. A
    trait with many values weighs more, since fewer people share each of them.
    """
    levels = [list(allowed(row)) for row in rows]
    kinds = Counter(trait for trait, _ in {pair for row in rows for pair in row.items()})
    crowd: Counter[tuple[str, str, str]] = Counter()
    order = list(range(len(rows)))
    rng.shuffle(order)
    order.sort(key=lambda place: len(levels[place]))
    for place in order:
        traits = [("", ""), *rows[place].items()]
        weights = [(trait, value, kinds[trait] or 1) for trait, value in traits]
        scored = [
            (
                sum(weight * crowd[trait, value, level] for trait, value, weight in weights),
                rng.random(),
                level,
            )
            for level in levels[place]
        ]
        chosen = min(scored)[2]
        crowd.update((trait, value, chosen) for trait, value in traits)
        rows[place][factor] = chosen


def deal_names(sexes: Sequence[str], rng: Random) -> list[str]:
    """Deal each person a different first name; once all are used, names repeat with an initial."""
    dealt: dict[str, list[str]] = {}
    for sex in sorted(set(sexes)):
        pool = [name for place in names().values() for name in place[sex]]
        result: list[str] = []
        for round_ in range(-(-sexes.count(sex) // len(pool))):
            initial = f" {chr(ord('A') + round_ - 1)}." if round_ else ""
            result += [f"{name}{initial}" for name in rng.sample(pool, len(pool))]
        dealt[sex] = result[::-1]
    return [dealt[sex].pop() for sex in sexes]


_CHOICE: Final = re.compile(r"\[([^\[\]]*)\]")
_SLOT: Final = re.compile(r"\{(\w+)\}")
_TRIES: Final = 8


class Writer:
    """Draws templates and fillings evenly, as from shuffled decks, and avoids repeating a sentence."""

    def __init__(self, rng: Random) -> None:
        self._rng = rng
        self._decks: dict[str, list[str]] = {}
        self._last: dict[str, str] = {}
        self._written: Counter[str] = Counter()

    def draw(self, deck: str, cards: Sequence[str]) -> str:
        """The next card of a deck, which is reshuffled once empty, never repeating a card immediately."""
        left = self._decks.get(deck)
        if not left:
            left = self._decks[deck] = self._rng.sample(cards, len(cards))
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
        worded = _CHOICE.sub(lambda match: self._rng.choice(match[1].split("|")), frame)
        filled = _SLOT.sub(lambda match: _slot(match[1], slots), worded)
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
