"""Player factories, and the request a factory builds a player from."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, NamedTuple

from pydantic import BaseModel

from osler.core.composite import AnyPlayer
from osler.core.contract import Request, V
from osler.core.events import Seat
from osler.core.source import CaseT


class PlayerRequest(NamedTuple, Generic[CaseT]):
    """The inputs of a factory. Only the oracle, built-in students, the strict supervisor and a memory's
    exclusion look at `case`: the first three are privileged, the last is part of the study and not of the
    player. `argument` is the text after the colon of a name; `inside` is the player to wrap."""

    seat: Seat
    case: CaseT
    argument: str
    inside: AnyPlayer | None = None


Factory = Callable[[PlayerRequest], AnyPlayer]


def always(player: AnyPlayer) -> Factory:
    """The factory that returns the same player for every episode, which is safe because players are
    stateless."""
    return lambda asked: player


class _BuiltIn(Generic[V]):
    """A player that is a plain function of the request."""

    durable = False

    def __init__(self, name: str, reply: Callable[[Request[V]], BaseModel]) -> None:
        self.name, self._reply = name, reply

    async def reply(self, request: Request[V], /) -> BaseModel:
        """Return the function's reply."""
        return self._reply(request)


def built_in(name: str, reply: Callable[[Request[V]], BaseModel]) -> Factory:
    """The factory of a built-in player whose reply is a pure function of the request. Casts and reports call
    it `name`."""
    return always(_BuiltIn(name, reply))
