"""A memory as a value: cards by id with a capacity. Every change makes a new one; its hash is a snapshot's
name.

A card's life: written (utility 0.5), used, judged by what came of it; *retired* when it keeps doing harm
(kept, never returned); *evicted* when there is no room: retired cards first, then the least useful, then the
oldest.
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
    """Cards by id. `capacity` is the most there may be, `None` without limit."""

    cards: Mapping[str, Card] = field(default_factory=lambda: MappingProxyType({}))
    capacity: int | None = None

    @cached_property
    def snapshot(self) -> str:
        """32 hex digits over the cards, their counts and states, in whatever order they came."""
        return snapshot_hash(state_lines(self.cards.values()))

    def with_cards(self, new: Iterable[Card]) -> Memory:
        """With more cards, and without what then finds no room. A card that is here already stays as it
        is."""
        found = dict(self.cards)
        for card in new:
            found.setdefault(card.id, card)
        return Memory(MappingProxyType(_with_room(found, self.capacity)), self.capacity)

    def with_capacity(self, capacity: int | None) -> Memory:
        """With another capacity, and without what then finds no room. Raises BadInput below 1."""
        if capacity is not None and capacity < 1:
            raise BadInput("a memory has room for one card or more", where="capacity")
        return Memory(MappingProxyType(_with_room(dict(self.cards), capacity)), capacity)

    def after_use(self, used: Iterable[str], helped: bool | None) -> Memory:
        """With these cards' uses counted: one that helped, one that harmed, or (`None`) one nobody judged.

        Cards that are no longer here are passed over.
        """
        found = dict(self.cards)
        for name in used:
            if card := found.get(name):
                counts = {
                    "uses": card.uses + 1,
                    "helped": card.helped + (helped is True),
                    "harmed": card.harmed + (helped is False),
                }
                found[name] = card.model_copy(update=counts)
        return Memory(MappingProxyType(found), self.capacity)

    def without_harmful(self, uses: int = 5, below: float = 0.3) -> Memory:
        """With those cards retired that were judged at least `uses` times and are less useful than
        `below`."""
        found = {
            name: card.model_copy(update={"state": "retired"})
            if card.helped + card.harmed >= uses and card.utility < below
            else card
            for name, card in self.cards.items()
        }
        return Memory(MappingProxyType(found), self.capacity)


def memory_of(cards: Iterable[Card], capacity: int | None = None) -> Memory:
    """A memory with these cards, as far as there is room."""
    return Memory().with_capacity(capacity).with_cards(cards)


def state_lines(cards: Iterable[Card]) -> str:
    """One line a card, in order of ids: id, uses, helped, harmed, state. What a snapshot's hash is taken
    of."""
    lines = sorted(f"{c.id} {c.uses} {c.helped} {c.harmed} {c.state}" for c in cards)
    return "\n".join(lines)


def snapshot_hash(lines: str) -> str:
    """The name of a snapshot: 32 hex digits over `state_lines`."""
    return blake2b(lines.encode(), digest_size=16).hexdigest()


def with_state(card: Card, uses: int, helped: int, harmed: int, state: State) -> Card:
    """A card as a snapshot has it."""
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
