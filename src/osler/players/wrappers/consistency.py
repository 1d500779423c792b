"""Self-consistency: the candidate reply that most of the others agree with (`+self-consistency:5`)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from pydantic import BaseModel

from osler.players.wrappers.asking import Replies, candidates, fingerprint_of, thinker_of
from osler.seats.composite import AnyPlayer, Inner
from osler.seats.contract import Request

R = TypeVar("R")


class SelfConsistency:
    """`n` candidates at once, each in a world of its own; no more is asked.

    Between candidates that as many agree with, the one that is most like all others stands, then the
    earliest. What agreeing is, the seat's replies say.
    """

    def __init__(self, player: AnyPlayer, n: int, replies: Replies) -> None:
        self._player, self._n, self._replies, self.thinker = player, n, replies, thinker_of(player)
        self.name, self.durable = f"{player.name}+self-consistency:{n}", player.durable

    @property
    def fingerprint(self) -> str:
        """See `fingerprint_of`."""
        return fingerprint_of(self._player, "choose", f"self-consistency {self._n} {self._replies.limits}")

    async def compose(self, request: Request[Any], inner: Inner, /) -> BaseModel:
        """The candidate that most agree with."""
        form = self._replies.form(request.view, False)
        found: list[BaseModel] = await candidates(self._player, request, form, inner, self._n)
        return most_agreed(found, self._replies.alike)


def most_agreed(replies: Sequence[R], alike: Callable[[R, R], tuple[bool, float]]) -> R:
    """The reply that most of the others agree with; see `SelfConsistency`."""

    def support(at: int) -> tuple[int, float]:
        found = [alike(replies[at], reply) for other, reply in enumerate(replies) if other != at]
        return sum(agree for agree, _ in found), sum(share for _, share in found)

    return replies[max(range(len(replies)), key=support)]  # of equals, the earliest
