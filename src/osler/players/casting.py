"""Casting: build the players of each episode from the names given for the seats."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from osler.core.composite import AnyPlayer
from osler.core.events import Seat
from osler.core.factory import Asked, Factory
from osler.core.names import Named
from osler.core.protocol import Protocol
from osler.core.role import Role, Seating
from osler.players.by_name import checked_name
from osler.players.external import EXTERNAL, PERSON, Desk, External


class _Chosen(NamedTuple):
    seat: Seat
    role: Role
    named: Named
    factory: Factory


class Casting:
    """Builds the cast of each episode of a run. `more` adds player factories by name, such as `model` or
    `person`, and wrappers by suffix ("+memory").

    Raises BadInput for an unknown name, listing the known ones.
    """

    def __init__(
        self, protocol: Protocol, players: Mapping[Seat, str], more: Mapping[str, Factory] | None = None
    ) -> None:
        self.names = dict(players)
        self._more = more or {}
        self._chosen = []
        for seat, name in players.items():
            role = protocol.role(seat)
            self._chosen.append(_Chosen(seat, role, *checked_name(role, name, self._more, protocol.name)))

    def cast(self, case: Any) -> dict[Seat, AnyPlayer]:
        """Build the players of one episode."""
        return {one.seat: self._built(one, case) for one in self._chosen}

    def within(self, seat: Seat, player: AnyPlayer, case: Any) -> AnyPlayer:
        """Return the innermost player as the protocol wants it, before any wrapper is applied. A hook for
        protocols to override."""
        return player

    def _built(self, one: _Chosen, case: Any) -> AnyPlayer:
        player = self.within(one.seat, one.factory(Asked(one.seat, case, one.named.argument)), case)
        wrappers = {wrapper.name: wrapper for wrapper in one.role.wrappers}
        for ending, argument in one.named.around:
            if ending in self._more:
                player = self._more[ending](Asked(one.seat, case, argument, player))
            else:
                player = wrappers[ending].build(player, int(argument or 0))
        return player


def players_of(seating: Seating) -> dict[str, Factory]:
    """The factories of `person`, `model:NAME` and, if the channel is a desk, `external`, for every seat. A
    model's player is built once per seat."""
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
