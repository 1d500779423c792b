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
    """The inputs of a factory: the seat to fill, the case, and the text after the colon of the player's name.

    Only the oracle, built-in students, the strict supervisor and a memory's exclusion look at `case`: the
    first three are privileged, the last is part of the study and not of the player. `argument` is the text
    after the colon; `inside` is the player to wrap, if any.

        >>> request = osler.PlayerRequest("doctor", osler.open_cases().get(0), "notes.json")
        >>> request.seat, request.argument
        ('doctor', 'notes.json')
    """

    seat: Seat
    case: CaseT
    argument: str
    inside: AnyPlayer | None = None


Factory = Callable[[PlayerRequest], AnyPlayer]


def always(player: AnyPlayer) -> Factory:
    """Return a factory that gives the same player for every episode, which is safe: players are stateless.

    >>> player = osler.built_in("silent", lambda request: osler.Frozen())(None)
    >>> osler.always(player)(osler.PlayerRequest("doctor", None, "")) is player
    True
    """
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
    """Return the factory of a built-in player whose reply is a pure function of the request.

    Casts and reports call it `name`.

        >>> from osler.protocols.consultation.seats import Finalize
        >>> guesser = osler.built_in("guesser", lambda request: Finalize(diagnosis="migraine"))
        >>> osler.run(seats={"doctor": guesser}, limit=1).totals.ended
        {'completed': 1}
    """
    return always(_BuiltIn(name, reply))
