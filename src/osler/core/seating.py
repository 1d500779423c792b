"""The players beside the built-in ones that a configuration may name: models, people, whoever is outside."""

from __future__ import annotations

from osler.core.factory import Asked, Factory
from osler.core.role import Seating
from osler.players.external import EXTERNAL, PERSON, Desk, External
from osler.seats.composite import AnyPlayer


def players_of(seating: Seating) -> dict[str, Factory]:
    """The players `person`, `model:NAME` and, where the channel is a desk, `external` of every seat. A
    model's are built once."""
    protocol, channel = seating.config.plays, seating.channel
    built: dict[tuple[str, str], AnyPlayer] = {}

    def model(asked: Asked) -> AnyPlayer:
        key = (asked.seat, asked.argument)
        if key not in built:
            built[key] = protocol.built("model", asked, seating)
        return built[key]

    found: dict[str, Factory] = {PERSON: lambda asked: protocol.built("person", asked, seating)}
    if seating.models is not None:
        found["model"] = model
    if isinstance(channel, Desk):
        found[EXTERNAL] = lambda asked: External(channel)
    return found
