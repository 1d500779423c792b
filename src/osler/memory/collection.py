"""The memory as an immutable value: cards by id, with a capacity. Its hash is the name of its snapshot.

The life cycle of a card: written (utility 0.5), used, judged by the outcome; *retired* if it keeps doing harm
(stored, never returned); *evicted* when the memory is full: retired cards first, then the least useful, then
the oldest.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from types import MappingProxyType

from osler.errors import BadInput
from osler.memory.card import Card, State


@dataclass(frozen=True)
class Memory:
    """The cards by id. `capacity` is their maximum number, `None` for no limit."""

    cards: Mapping[str, Card] = field(default_factory=lambda: MappingProxyType({}))
    capacity: int | None = None

    @cached_property
    def snapshot(self) -> str:
        """The snapshot hash, 32 hex digits, over the cards, their counts and states, independent of order."""
        return snapshot_hash(state_lines(self.cards.values()))

    def with_cards(self, new: Iterable[Card]) -> Memory:
        """A copy with more cards, evicting what exceeds the capacity. A card already present is unchanged."""
        result = dict(self.cards)
        for card in new:
            result.setdefault(card.id, card)
        return Memory(MappingProxyType(_with_room(result, self.capacity)), self.capacity)

    def with_capacity(self, capacity: int | None) -> Memory:
        """A copy with another capacity, evicting what exceeds it. Raises BadInput below 1."""
        if capacity is not None and capacity < 1:
            raise BadInput("a memory has room for one card or more", where="capacity")
        return Memory(MappingProxyType(_with_room(dict(self.cards), capacity)), capacity)

    def after_use(self, used: Iterable[str], helped: bool | None) -> Memory:
        """A copy that counts one use of these cards: helped, harmed, or not judged (`None`).

        Cards no longer present are ignored.
        """
        result = dict(self.cards)
        for name in used:
            if card := result.get(name):
                counts = {
                    "uses": card.uses + 1,
                    "helped": card.helped + (helped is True),
                    "harmed": card.harmed + (helped is False),
                }
                result[name] = card.model_copy(update=counts)
        return Memory(MappingProxyType(result), self.capacity)

    def without_harmful(self, uses: int = 5, below: float = 0.3) -> Memory:
        """A copy that retires the cards judged at least `uses` times whose utility is less than `below`."""
        result = {
            name: card.model_copy(update={"state": "retired"})
            if card.helped + card.harmed >= uses and card.utility < below
            else card
            for name, card in self.cards.items()
        }
        return Memory(MappingProxyType(result), self.capacity)


def memory_of(cards: Iterable[Card], capacity: int | None = None) -> Memory:
    """A memory with these cards, up to the capacity."""
    return Memory().with_capacity(capacity).with_cards(cards)


def state_lines(cards: Iterable[Card]) -> str:
    """The text that a snapshot hashes: one line per card, sorted by id: id, uses, helped, harmed, state."""
    lines = sorted(f"{c.id} {c.uses} {c.helped} {c.harmed} {c.state}" for c in cards)
    return "\n".join(lines)


def snapshot_hash(lines: str) -> str:
    """The snapshot hash: 32 hex digits over `state_lines`."""
    return blake2b(lines.encode(), digest_size=16).hexdigest()


def with_state(card: Card, uses: int, helped: int, harmed: int, state: State) -> Card:
    """A card with the counts and the state it has in a snapshot."""
    return card.model_copy(update={"uses": uses, "helped": helped, "harmed": harmed, "state": state})


def _with_room(cards: dict[str, Card], capacity: int | None) -> dict[str, Card]:
    over = len(cards) - capacity if capacity is not None else 0
    if over <= 0:
        return cards
    worst = sorted(cards.values(), key=_worth)[:over]
    for card in worst:
        del cards[card.id]
    return cards


def _worth(card: Card) -> tuple[bool, float, int, str]:
    return card.state == "active", card.utility, card.origin.position, card.id
