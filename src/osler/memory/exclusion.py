"""Leak prevention: the cards an episode must not see, and the audit afterwards that it saw none of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import NamedTuple

from osler.core.events import Frozen
from osler.memory.card import Card, Source
from osler.memory.deidentify import identified
from osler.memory.near_duplicates import most_alike
from osler.memory.settings import THRESHOLD


class Excluded(Frozen):
    """The case being played and the held-out set. A card is excluded if it comes from one of them, from a
    case of the same cluster, or from a case whose text is a near-duplicate
    (`osler.memory.near_duplicates`)."""

    playing: Source
    held_out: tuple[Source, ...] = ()
    threshold: float = THRESHOLD

    @cached_property
    def sources(self) -> tuple[Source, ...]:
        """All excluded cases, the one being played first."""
        return tuple(dict.fromkeys((self.playing, *self.held_out)))

    def why(self, card: Source) -> str | None:
        """The reason why a card of this origin is excluded, or `None`."""
        return self.why_playing(card) or self.why_held_out(card)

    def why_playing(self, card: Source) -> str | None:
        """The reason why the case being played excludes it, or `None`."""
        return self._why(card, (self.playing,), "the case being played")

    def why_held_out(self, card: Source) -> str | None:
        """The reason why the held-out cases exclude it, or `None`; the same for every case played."""
        return self._why(card, self.held_out, "a held-out case")

    def _why(self, card: Source, sources: Sequence[Source], whose: str) -> str | None:
        if any(card.case == source.case for source in sources):
            return f"it comes from {whose}"
        if any(card.cluster == source.cluster for source in sources):
            return f"it comes from a twin of {whose}"
        share = most_alike(card.sketch, tuple(source.sketch for source in sources))
        return f"it comes from a near-duplicate ({share:.2f}) of {whose}" if share >= self.threshold else None


class Retrieval(NamedTuple):
    """The ids of the cards that an episode was given. `position` is the episode's index in its stream; cards
    written there or later could not have been known."""

    episode: str
    snapshot: str
    position: int
    cards: tuple[str, ...]


class Violation(NamedTuple):
    """A card that an episode should not have been given, and why. `card` is empty if the episode itself is at
    fault."""

    episode: str
    card: str
    why: str


class Audit(NamedTuple):
    """The result of an audit of `cards` cards given in `retrievals` retrievals; auditing none proves
    nothing."""

    retrievals: int
    cards: int
    violations: tuple[Violation, ...]

    @property
    def clean(self) -> bool:
        """Whether no excluded card was given."""
        return not self.violations


def audit(
    retrievals: Iterable[Retrieval], exclusions: Mapping[str, Excluded], cards: Mapping[str, Card]
) -> Audit:
    """Check every retrieved card again, by its own origin and text rather than the index that returned it.

    `exclusions` are by episode and `cards` by id. Anything that cannot be checked is a violation.
    """
    violations: list[Violation] = []
    looked = given = 0
    wrong = _Wrong(cards)
    for looked, retrieval in enumerate(retrievals, 1):  # noqa: B007 - the count of all is wanted
        given += len(retrieval.cards)
        excluded = exclusions.get(retrieval.episode)
        if excluded is None:
            violations.append(Violation(retrieval.episode, "", "no exclusions were declared for it"))
            continue
        for name in retrieval.cards:
            if reason := wrong.why(name, retrieval, excluded):
                violations.append(Violation(retrieval.episode, name, reason))
    return Audit(looked, given, tuple(violations))


class _Wrong:
    """The reasons why cards should not have been given. Whatever does not depend on the case being played is
    computed once per card and held-out set."""

    def __init__(self, cards: Mapping[str, Card]) -> None:
        self._cards = cards
        self._of_cards: dict[str, str | None] = {}
        self._held_out: dict[tuple[str, int, float], str | None] = {}
        self._sets: list[tuple[Source, ...]] = []  # kept alive, so that no other tuple gets the same id()

    def why(self, name: str, retrieval: Retrieval, excluded: Excluded) -> str | None:
        """The reason, or `None`."""
        card = self._cards.get(name)
        if card is None:
            return "there is no such card"
        if card.origin.position >= retrieval.position:
            return "it was written later than the episode began"
        if name not in self._of_cards:
            self._of_cards[name] = _wrong_in_itself(card, name)
        return self._of_cards[name] or excluded.why_playing(card.origin) or self._why_held_out(card, excluded)

    def _why_held_out(self, card: Card, excluded: Excluded) -> str | None:
        key = (card.id, id(excluded.held_out), excluded.threshold)
        if key not in self._held_out:
            self._sets.append(excluded.held_out)
            self._held_out[key] = excluded.why_held_out(card.origin)
        return self._held_out[key]


def _wrong_in_itself(card: Card, name: str) -> str | None:
    if card.id != name:
        return "its content is not what its id says"
    return "it contains an identifier" if _identified(card.content) else None


_identified = lru_cache(maxsize=20_000)(identified)
