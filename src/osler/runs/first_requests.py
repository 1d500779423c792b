"""The first request that each seat of a protocol gets when built-in players play its first case."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any, NamedTuple

from pydantic import BaseModel

from osler.core.composite import AnyPlayer, Inner, answer_of
from osler.core.config import Config
from osler.core.contract import ReplyWithUsage, Request
from osler.core.episode import Episode
from osler.core.events import Seat
from osler.core.factory import Factory
from osler.core.trace import Trace
from osler.players.casting import casting_of


class FirstRequests(NamedTuple):
    """An encounter of built-in players: each seat's first request by role, with the seat; and the whole."""

    requests: dict[str, tuple[Seat, Request[Any]]]
    case: Any
    episode: Episode
    trace: Trace


class _Listening:
    """A player that keeps its first request and passes every request on."""

    def __init__(self, inner: AnyPlayer) -> None:
        self._inner, self.name, self.durable = inner, inner.name, False
        self.first: Request[Any] | None = None

    async def compose(self, request: Request[Any], inner: Inner, /) -> BaseModel | ReplyWithUsage:
        """Return the inner player's reply."""
        self.first = self.first or request
        return await answer_of(self._inner, request, inner)


def play_first(config: Config, more: Mapping[str, Factory] | None = None) -> FirstRequests:
    """Play the configuration's first case; `more` are players beside the built-in ones.

    Raises BadInput if its cases or players cannot be used.
    """
    source = config.opened()
    episode = config.episode(0, config.ready(next(iter(source))), source)
    cast = {seat: _Listening(player) for seat, player in casting_of(config, more).cast(episode.case).items()}
    trace = asyncio.run(episode.play(cast))
    requests: dict[str, tuple[Seat, Request[Any]]] = {}
    for seat, player in cast.items():
        if player.first is not None:
            requests.setdefault(config.plays.role(seat).name, (seat, player.first))
    return FirstRequests(requests, episode.case, episode, trace)
