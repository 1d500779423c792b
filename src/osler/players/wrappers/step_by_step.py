"""Chain-of-thought reconsideration: before a reply becomes final, the player goes through everything again
(`+cot`)."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

from osler.core.composite import AnyPlayer, Inner
from osler.core.contract import Own, Request, Unanswered
from osler.players.wrappers.asking import (
    Replies,
    asked,
    fingerprint_of,
    first_reply,
    thinker_of,
)


class StepByStep:
    """MedAgentSim's replay phase for one player. The second reply is final, or the first without a valid
    second.

    The seat's `Replies` decide which replies are reconsidered: a doctor's conclusion, every turn of a tutor.
    """

    def __init__(self, player: AnyPlayer, replies: Replies) -> None:
        self._player, self._replies, self.thinker = player, replies, thinker_of(player)
        self.name, self.durable = f"{player.name}+cot", player.durable

    @property
    def fingerprint(self) -> str:
        """See `fingerprint_of`."""
        return fingerprint_of(self._player, self._replies.again, "cot")

    async def compose(self, request: Request[Any], inner: Inner, /) -> BaseModel:
        """Return the player's reply, reconsidered if the seat's `Replies` ask for that."""
        replies, view = self._replies, request.view
        first: BaseModel = await first_reply(self._player, request, replies.form(view, False), inner)
        if not replies.weighty(first):
            return first
        form = replies.form(view, True)
        question = asked(self._player, request, replies.seat, replies.again, (), form, before=(Own(first),))
        (second,) = await inner.ask_all([question])
        return first if isinstance(second, Unanswered) else second
