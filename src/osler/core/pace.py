"""The pace of an encounter: how a program that plays many at once lets each of them compute in its turn.

Nothing here decides what is played: without a pace, and with any, the record is the same.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from typing import Final, Protocol, TypeVar

from pydantic import BaseModel

from osler.core.contract import AnyRequest, Player, ReplyWithUsage

T = TypeVar("T")


class Pace(Protocol):
    """The pace that the encounters begun in a context keep."""

    async def reply(self, player: Player, request: AnyRequest, /) -> BaseModel | ReplyWithUsage:
        """Return the reply of a player, inside a composite or not, once it is this encounter's turn."""
        ...

    async def work(self, work: Callable[[], T], /) -> T:
        """Return what `work` returns, which computes for long and waits for nobody, in this encounter's turn.
        A caller that is cancelled still waits for the end of what has begun."""
        ...

    async def replayed(self) -> None:
        """Let other tasks run before an exchange is answered from the record."""
        ...


PACE: Final[ContextVar[Pace | None]] = ContextVar("PACE", default=None)
"""The pace of the encounters that are begun in this context."""
