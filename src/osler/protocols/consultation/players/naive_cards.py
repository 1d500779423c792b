"""Case-based reasoning over memory cards: the diagnoses they support, and the tests worth ordering.

A card's similarity to this patient is the share of common findings, weighted by their rarity among the cards,
less the findings that one has and the other denies, plus a little for shared words, which are all there is if
a text names no finding. The support of a diagnosis is the sum of squared similarities over its cards, so that
one close match beats many faint ones.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from math import fsum, log
from typing import Final, NamedTuple

from osler.core.wrapper_events import Hint
from osler.knowledge.conditions import name_key
from osler.text.findings_in_text import mentions
from osler.text.phrases import words

_DENIED: Final = 0.5
_WORDS: Final = 0.1
_LEAST: Final = 0.02
_QUOTES: Final = 5
_SMALL: Final = frozenset(
    words("I a an and the is are was were has have had been of in on at it to for with my no")
)


class Story(NamedTuple):
    """The findings affirmed and denied, and the words of the texts that affirm them."""

    present: frozenset[str]
    absent: frozenset[str]
    words: frozenset[str]


class Experience:
    """A patient's story compared with the cards given. Cards without a diagnosis are ignored."""

    def __init__(self, story: Story, hints: Sequence[Hint]) -> None:
        self._story = story
        self._hints = [hint for hint in hints if hint.diagnosis.strip()]
        self._stories = [_story_of_hint(hint) for hint in self._hints]
        self._rarity = _rarity(other.present for other in self._stories)
        self._rare_words = _rarity(other.words for other in self._stories)
        self._support = [self._likeness(other) for other in self._stories]

    def ranked(self) -> list[tuple[str, float]]:
        """The diagnoses with their support, best first; empty if no card supports one."""
        support: dict[str, float] = {}
        names: dict[str, str] = {}
        for hint, weight in zip(self._hints, self._support, strict=True):
            if weight >= _LEAST:
                key = _key(hint.diagnosis)
                names.setdefault(key, hint.diagnosis)
                support[key] = support.get(key, 0.0) + weight * weight
        best = sorted(support, key=lambda key: (-support[key], key))
        return [(names[key], support[key]) for key in best]

    def telling(self, had: Mapping[str, str], most: int) -> list[str]:
        """The names of results not known yet that were abnormal in the cards most similar to this patient, by
        descending weight."""
        weights: dict[str, float] = {}
        for hint, weight in zip(self._hints, self._support, strict=True):
            for name in _abnormal(hint.found) if weight >= _LEAST else ():
                if name not in had:
                    weights[name] = weights.get(name, 0.0) + weight
        return sorted(weights, key=lambda name: (-weights[name], name))[:most]

    def option(self, options: Mapping[str, str]) -> str:
        """The key of the option that shares the most words with the supported diagnoses; else the first."""
        pairs = [(frozenset(name_key(name).split()), support) for name, support in self.ranked()]

        def likeness(key: str) -> float:
            mine = frozenset(name_key(options[key]).split())
            shared = (s * len(mine & theirs) / len(mine | theirs) for theirs, s in pairs if theirs)
            return max(shared, default=0.0)

        return max(sorted(options), key=likeness)

    def evidence(self, told: Iterable[str], found: Mapping[str, str]) -> tuple[str, ...]:
        """The statements and results that share a finding with a card of the best diagnosis."""
        best = self.ranked()[:1]
        shared = frozenset[str]().union(
            *(
                other.present
                for hint, other in zip(self._hints, self._stories, strict=True)
                if best and _key(hint.diagnosis) == _key(best[0][0])
            )
        )
        texts = [*told, *_lines(found)]
        return tuple(text[:400] for text in texts if _read(text).present & shared)[:_QUOTES]

    def _likeness(self, other: Story) -> float:
        """The similarity to a card, from 0 to 1.1: a rarity-weighted Jaccard index less contradictions, plus
        up to 0.1 for shared words."""
        # Sums are exact (fsum), because the order of a set differs between processes.
        mine, theirs, rarity = self._story.present, other.present, self._rarity
        usual = log(2.0)
        both = fsum([rarity[name] for name in mine & theirs])
        denied = [rarity[name] for name in theirs & self._story.absent]
        against = fsum([*denied, *(rarity.get(name, usual) for name in mine & other.absent)])
        either = both + fsum([rarity.get(name, usual) for name in mine ^ theirs])
        alike = max(0.0, (both - _DENIED * against) / either) if either else 0.0
        return alike + _WORDS * self._words(other)

    def _words(self, other: Story) -> float:
        weights = self._rare_words
        whole = fsum([weights[word] for word in other.words])
        return fsum([weights[word] for word in self._story.words & other.words]) / whole if whole else 0.0


def story_of(told: Iterable[str], found: Mapping[str, str]) -> Story:
    """Build the story of a patient from the statements and the results by name."""
    return _joined([_read(text) for text in (*told, *_lines(found))])


def _lines(found: Mapping[str, str]) -> list[str]:
    return [f"{name}: {text}" for name, text in found.items()]


def _key(diagnosis: str) -> str:
    return name_key(diagnosis) or diagnosis.lower()


def _rarity(held: Iterable[frozenset[str]]) -> dict[str, float]:
    """The rarity weight of each name: the fewer cards have it, the higher (as in inverse document
    frequency)."""
    sets = list(held)
    spread = Counter[str]()
    for each in sets:
        spread.update(each)
    return {name: log(1 + len(sets) / count) for name, count in spread.items()}


@lru_cache(maxsize=50_000)
def _read(text: str) -> Story:
    result = mentions(text)
    present = frozenset(name for name, there in result.items() if there)
    absent = frozenset(result) - present
    said = frozenset(words(text)) - _SMALL if present or not absent else frozenset[str]()
    return Story(present, absent, said)


def _joined(stories: Iterable[Story]) -> Story:
    held = list(stories)
    present, absent, said = (frozenset[str]().union(*parts) for parts in zip(*held, strict=True))
    return Story(present, absent - present, said)


@lru_cache(maxsize=20_000)
def _story_of_hint(hint: Hint) -> Story:
    return _joined([_read(hint.told), *(_read(line) for line in hint.found.split("\n"))])


@lru_cache(maxsize=20_000)
def _abnormal(found: str) -> tuple[str, ...]:
    """The names of a card's results that affirm a finding. The text has one result a line, "name: text"."""
    lines = (line.partition(": ") for line in found.split("\n"))
    return tuple(name for name, _, text in lines if text and _read(f"{name}: {text}").present)
