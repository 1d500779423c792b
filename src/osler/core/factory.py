"""What builds a player, and what it may use for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from pydantic import BaseModel

from osler.seats.composite import AnyPlayer
from osler.seats.contract import Request
from osler.seats.events import Seat


class Asked(NamedTuple):
    """What a factory may use. Only the oracle, built-in students and a memory's exclusion look at `case`: the
    former are privileged, the latter is part of the study and not of the player. `argument` is what stands
    after the colon of a name; `inside` is the player that another one is to be built around."""

    seat: Seat
    case: Any
    argument: str
    inside: AnyPlayer | None = None


Factory = Callable[[Asked], AnyPlayer]


def always(player: AnyPlayer) -> Factory:
    """The factory of a player that is the same in every episode: players hold no state."""
    return lambda asked: player


class _BuiltIn:
    """A player that is no more than a function of the request."""

    durable = False

    def __init__(self, name: str, reply: Callable[[Any], BaseModel]) -> None:
        self.name, self._reply = name, reply

    async def reply(self, request: Request[Any], /) -> BaseModel:
        """What the function says."""
        return self._reply(request)


def built_in(name: str, reply: Callable[[Any], BaseModel]) -> Factory:
    """The factory of a built-in player whose reply is a function of the request. It is called `name` in casts
    and reports."""
    return always(_BuiltIn(name, reply))
