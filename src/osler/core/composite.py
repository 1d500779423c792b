"""Composite players, made of other players: an ensemble, a discussion, a player that thinks twice.

A composite takes a seat like any player, but it asks others before it answers. It never calls them itself:
the table asks them for it and records each answer, so that resuming a composite asks no inner player twice,
be it a model, a built-in player, a person, or another composite.
"""

from __future__ import annotations

from collections.abc import Awaitable, Mapping, Sequence
from typing import NamedTuple, Protocol, TypeGuard, cast

from pydantic import BaseModel

from osler.core.contract import AnyForm, AnyRequest, NoUsableReply, Player, ReplyWithUsage
from osler.core.events import Seat
from osler.core.pace import PACE


class InnerQuestion(NamedTuple):
    """One question of a composite to a player inside it.

    `request` is everything the player sees; a different world (`f"{request.world}/2"`) gives it different
    random numbers. `form` is the required reply type, which may differ from the seat's: a critic may answer
    with a choice.
    """

    player: AnyPlayer
    request: AnyRequest
    form: AnyForm


class Inner(Protocol):
    """The interface through which a composite asks the players inside it while it prepares one reply."""

    async def ask_all(self, asked: Sequence[InnerQuestion]) -> list[BaseModel | NoUsableReply]:
        """Ask independent players concurrently; return their answers in the order asked.

        For a player without a valid reply, `NoUsableReply` is returned, not raised, so that the others still
        count.
        """
        ...

    async def ask_once(self, question: InnerQuestion) -> BaseModel | NoUsableReply:
        """Ask one player once an episode: where it was asked in the same words at an earlier exchange, its
        answer of then is returned, whatever has happened since."""
        ...


class Composite(Protocol):
    """A player that asks others inside it. It takes a seat like any player and is stateless between calls.

    `durable` is true if a reply of any player inside it costs something. The order of its questions must be a
    function of the request and of the answers, because resuming an episode matches the record to it.
    """

    @property
    def name(self) -> str: ...

    @property
    def durable(self) -> bool: ...

    async def compose(self, request: AnyRequest, inner: Inner, /) -> BaseModel | ReplyWithUsage:
        """Answer a request with the seat's reply type, asking others through `inner`."""
        ...


AnyPlayer = Player | Composite
Cast = Mapping[Seat, AnyPlayer]
"""The player in each occupied seat."""


def is_composite(player: AnyPlayer) -> TypeGuard[Composite]:
    """Whether a player is a composite, that is, asks others."""
    return hasattr(player, "compose")


def answer_of(player: AnyPlayer, request: AnyRequest, inner: Inner) -> Awaitable[BaseModel | ReplyWithUsage]:
    """Get a player's own answer, whether it is a composite or not. For simple wrappers that pass it on; the
    call is not recorded as an inner exchange."""
    if is_composite(player):
        return player.compose(request, inner)
    alone, pace = cast(Player, player), PACE.get()
    return alone.reply(request) if pace is None else pace.reply(alone, request)
