"""Best-of-n sampling: candidate replies, and a critic who chooses among them (`+best-of:3`)."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

from osler.core.composite import AnyPlayer, Inner
from osler.core.contract import Request, luck
from osler.core.deliberation import Choice, choice_of
from osler.players.wrappers.asking import (
    MOST_SHOWN,
    Replies,
    as_json,
    asked,
    candidates,
    fingerprint_of,
    thinker_of,
)


class BestOf:
    """`n` candidates sampled concurrently, each in a different world; the wrapped player, as a critic that
    sees the same encounter, chooses among the distinct ones, shown in random order.

    Without a valid choice the first candidate is taken.
    """

    def __init__(self, player: AnyPlayer, n: int, replies: Replies) -> None:
        self._player, self._n, self._replies, self.thinker = player, n, replies, thinker_of(player)
        self.name, self.durable = f"{player.name}+best-of:{n}", player.durable

    @property
    def fingerprint(self) -> str:
        """See `fingerprint_of`."""
        return fingerprint_of(self._player, "choose", f"best-of {self._n}")

    async def compose(self, request: Request[Any], inner: Inner, /) -> BaseModel:
        """Return the candidate that the critic chooses."""
        replies, form = self._replies, self._replies.form(request.view, False)
        found = await candidates(self._player, request, form, inner, self._n)
        moves: list[BaseModel] = list({(type(one), as_json(one)): one for one in found}.values())
        if len(moves) == 1:
            return moves[0]
        order = list(range(len(moves)))
        luck(request.world, replies.seat, f"candidates after {len(request.feed)}").shuffle(order)
        texts = [replies.shown(moves[at])[:MOST_SHOWN] for at in order]
        question = asked(self.thinker, request, replies.seat, "choose", texts, choice_of(len(moves)))
        (choice,) = await inner.ask_all([question])
        return moves[order[choice.chosen - 1]] if isinstance(choice, Choice) else moves[0]
