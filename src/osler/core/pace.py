"""The pace of an encounter: how a program that plays many at once lets each of them compute in its turn.

Nothing here decides what is played: without a pace, and with any, the record is the same.
"""

from __future__ import annotations

from contextvars import ContextVar
from typing import Any, Final, Protocol

from pydantic import BaseModel

from osler.core.contract import Player, ReplyWithUsage, Request


class Pace(Protocol):
    """The pace that the encounters begun in a context keep."""

    async def reply(self, player: Player, request: Request[Any], /) -> BaseModel | ReplyWithUsage:
        """Return the reply of a player, inside a composite or not, once it is this encounter's turn."""
        ...

    async def replayed(self) -> None:
        """Let others go on before an exchange is answered from the record."""
        ...


PACE: Final[ContextVar[Pace | None]] = ContextVar("PACE", default=None)
"""The pace of the encounters that are begun in this context."""
