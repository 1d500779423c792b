"""Self-consistency: sample candidates and take the one most others agree with (`+self-consistency:5`)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from pydantic import BaseModel

from osler.core.composite import AnyPlayer, Inner
from osler.core.contract import Request
from osler.players.wrappers.asking import Replies, candidates, fingerprint_of, thinker_of

R = TypeVar("R")


class SelfConsistency:
    """`n` candidates sampled concurrently, each in a different world, without further questions.

    Ties go to the candidate most similar to all others, then to the earliest. Agreement is defined by the
    seat's `Replies`.
    """

    def __init__(self, player: AnyPlayer, n: int, replies: Replies) -> None:
        self._player, self._n, self._replies, self.thinker = player, n, replies, thinker_of(player)
        self.name, self.durable = f"{player.name}+self-consistency:{n}", player.durable

    @property
    def fingerprint(self) -> str:
        """See `fingerprint_of`."""
        return fingerprint_of(self._player, "choose", f"self-consistency {self._n} {self._replies.limits}")

    async def compose(self, request: Request[Any], inner: Inner, /) -> BaseModel:
        """Return the candidate that most others agree with."""
        form = self._replies.form(request.view, False)
        found: list[BaseModel] = await candidates(self._player, request, form, inner, self._n)
        return most_agreed(found, self._replies.alike)


def most_agreed(replies: Sequence[R], alike: Callable[[R, R], tuple[bool, float]]) -> R:
    """Return the reply that most of the others agree with; see `SelfConsistency`."""

    def support(at: int) -> tuple[int, float]:
        found = [alike(replies[at], reply) for other, reply in enumerate(replies) if other != at]
        return sum(agree for agree, _ in found), sum(share for _, share in found)

    return replies[max(range(len(replies)), key=support)]  # of equals, the earliest
