"""Players made of players: an ensemble, a discussion, a player that thinks twice.

A composite sits in a seat like any player, but it asks others before it answers. It never calls them itself:
the table asks them for it and records each answer, so a composite too is resumed without asking anybody
twice, whoever sits inside it: a model, a built-in player, a person, or another composite.
"""

from __future__ import annotations

from collections.abc import Awaitable, Sequence
from typing import Any, NamedTuple, Protocol, TypeGuard, cast

from pydantic import BaseModel, TypeAdapter

from osler.seats.contract import Player, Replied, Request, Unanswered


class InnerQuestion(NamedTuple):
    """One question of a composite to a player inside it.

    `request` is all that the player sees; a world of its own (`f"{request.world}/2"`) gives it luck of its
    own. `form` is what its reply must be, which need not be the seat's type: a critic may answer a choice.
    """

    player: AnyPlayer
    request: Request[Any]
    form: TypeAdapter[Any]


class Inner(Protocol):
    """What a composite asks the players inside it through, while it makes up one reply."""

    async def ask_all(self, asked: Sequence[InnerQuestion]) -> list[BaseModel | Unanswered]:
        """Ask players that do not depend on one another at the same time; answers in the order asked.

        Who gives no valid reply is `Unanswered`, which is returned, so that the others still count.
        """
        ...


class Composite(Protocol):
    """Stands in a seat like any player. Holds no state between calls.

    `durable` where a reply of anybody inside cost something. The order of its questions must be a function
    of the request and of the answers: the record is matched to it when an episode is resumed.
    """

    @property
    def name(self) -> str: ...

    @property
    def durable(self) -> bool: ...

    async def compose(self, request: Request[Any], inner: Inner, /) -> BaseModel | Replied:
        """Answer a request with the seat's reply type, asking others through `inner`."""
        ...


AnyPlayer = Player | Composite


def is_composite(player: AnyPlayer) -> TypeGuard[Composite]:
    """Whether a player asks others."""
    return hasattr(player, "compose")


def answer_of(player: AnyPlayer, request: Request[Any], inner: Inner) -> Awaitable[BaseModel | Replied]:
    """A player's own answer, whether it asks others or not: what a mere wrapper passes on, unrecorded."""
    return player.compose(request, inner) if is_composite(player) else cast(Player, player).reply(request)
