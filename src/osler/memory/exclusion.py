"""Which cards an episode must not see, and the proof afterwards that it saw none of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import NamedTuple

from osler.memory.card import Card, Source
from osler.memory.scrub import identified
from osler.memory.sketch import THRESHOLD, alike
from osler.seats.events import Frozen


class Excluded(Frozen):
    """The case being played and the held-out set. A card is excluded that comes from one of them, from a case
    of the same cluster, or from a case whose text is a near-duplicate (`osler.memory.sketch`)."""

    playing: Source
    held_out: tuple[Source, ...] = ()
    threshold: float = THRESHOLD

    @cached_property
    def sources(self) -> tuple[Source, ...]:
        """Both, the case being played first."""
        return tuple(dict.fromkeys((self.playing, *self.held_out)))

    def why(self, card: Source) -> str | None:
        """Why a card of this origin is excluded; `None` where it is not."""
        for source in self.sources:
            whose = "the case being played" if source.case == self.playing.case else "a held-out case"
            if card.case == source.case:
                return f"it comes from {whose}"
            if card.cluster == source.cluster:
                return f"it comes from a twin of {whose}"
            if (share := alike(card.sketch, source.sketch)) >= self.threshold:
                return f"it comes from a near-duplicate ({share:.2f}) of {whose}"
        return None


class Retrieval(NamedTuple):
    """The cards, by id, that an episode was given. `position` is the episode's place in its stream; cards
    written there or later could not have been known."""

    episode: str
    snapshot: str
    position: int
    cards: tuple[str, ...]


class Violation(NamedTuple):
    """A card that an episode must not have been given, and why. `card` is empty where the episode is at
    fault."""

    episode: str
    card: str
    why: str


class Audit(NamedTuple):
    """What an audit found, over `cards` cards given in `retrievals` retrievals; none looked at proves
    nothing."""

    retrievals: int
    cards: int
    violations: tuple[Violation, ...]

    @property
    def clean(self) -> bool:
        """Whether no card was given that must not have been."""
        return not self.violations


def audit(
    retrievals: Iterable[Retrieval], exclusions: Mapping[str, Excluded], cards: Mapping[str, Card]
) -> Audit:
    """Look at every retrieved card again, by its own origin and text and not by the index that returned it.

    `exclusions` are by episode and `cards` by id. What cannot be looked at is a violation.
    """
    found: list[Violation] = []
    looked = given = 0
    for looked, retrieval in enumerate(retrievals, 1):  # noqa: B007 - the count of all is wanted
        given += len(retrieval.cards)
        excluded = exclusions.get(retrieval.episode)
        if excluded is None:
            found.append(Violation(retrieval.episode, "", "nobody said what it must not see"))
            continue
        for name in retrieval.cards:
            reason = _wrong(cards.get(name), name, retrieval, excluded)
            if reason:
                found.append(Violation(retrieval.episode, name, reason))
    return Audit(looked, given, tuple(found))


def _wrong(card: Card | None, name: str, retrieval: Retrieval, excluded: Excluded) -> str | None:
    if card is None:
        return "there is no such card"
    if card.id != name:
        return "its content is not what its id says"
    if card.origin.position >= retrieval.position:
        return "it was written later than the episode began"
    if identified(card.content):
        return "an identifier stands in it"
    return excluded.why(card.origin)
