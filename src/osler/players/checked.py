"""The check of a player whose words are read: what it claims of itself is believed nowhere.

It goes around players that are neither built in nor people (`Role.check`). A seat's own part is a pure
function of the request and the reply, which returns the reply as it is read.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar

from pydantic import BaseModel

from osler.core.composite import AnyPlayer, Inner, answer_of
from osler.core.contract import Contract, NoUsableReply, ReplyWithUsage, Request
from osler.core.events import View, json_of

V = TypeVar("V", bound=View)
R = TypeVar("R", bound=BaseModel)
Reader = Callable[[Request[V], R], R]
"""Returns a reply as it is read. Raises ValueError, saying what is wrong, for one that cannot stand."""


class Checked(Generic[V, R]):
    """A player of a seat whose replies are read before they count:

    Role(name="patient", check=lambda player: Checked(player, PATIENT, as_read), ...)
    """

    def __init__(self, inner: AnyPlayer, contract: Contract[V, R], read: Reader[V, R]) -> None:
        self._inner, self._contract, self._read = inner, contract, read

    @property
    def name(self) -> str:
        """The inner player's name."""
        return self._inner.name

    @property
    def durable(self) -> bool:
        """Whether replies must be stored at once: as for the inner player."""
        return self._inner.durable

    @property
    def fingerprint(self) -> str:
        """The inner player's mark among others of its name; "" if it has none."""
        return str(getattr(self._inner, "fingerprint", ""))

    @property
    def thinker(self) -> AnyPlayer:
        """The player inside, whose opinions are no replies of its seat and are not checked."""
        inside: AnyPlayer = getattr(self._inner, "thinker", self._inner)
        return inside

    @property
    def from_outside(self) -> bool:
        """Whether the inner player answers from outside."""
        return bool(getattr(self._inner, "from_outside", False))

    async def compose(self, request: Request[Any], inner: Inner, /) -> ReplyWithUsage:
        """The inner player's reply as it is read.

        Raises NoUsableReply for one that cannot stand: the table asks again, and says what was wrong.
        """
        answered = await answer_of(self._inner, request, inner)
        replied = answered if isinstance(answered, ReplyWithUsage) else ReplyWithUsage(answered)
        reply = self._contract.reply.validate_python(replied.reply)
        try:
            return replied._replace(reply=self._read(request, reply))
        except ValueError as error:
            raise NoUsableReply(
                str(error),
                by="grounding",
                cause="grounding",
                said=json_of(reply),
                noted=replied.noted,
                used=replied.used,
                calls=replied.calls,
            ) from None
