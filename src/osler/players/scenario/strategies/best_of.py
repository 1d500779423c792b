"""Best of several: candidate moves, and a critic who chooses (`+best-of:3`)."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

from osler.players.scenario.strategies.asking import asked, candidates, fingerprint_of, shown, thinker_of
from osler.seats.composite import AnyPlayer, Inner
from osler.seats.contract import Request, luck
from osler.seats.deliberation import Choice, choice_of


class BestOf:
    """`n` candidates at once, each in a world of its own; the examinee inside, as a critic that sees the same
    encounter, chooses among those that differ, in an order drawn anew.

    Without a valid choice the first candidate stands.
    """

    def __init__(self, examinee: AnyPlayer, n: int) -> None:
        self._examinee, self._n, self.thinker = examinee, n, thinker_of(examinee)
        self.name, self.durable = f"{examinee.name}+best-of:{n}", examinee.durable

    @property
    def fingerprint(self) -> str:
        """See `fingerprint_of`."""
        return fingerprint_of(self._examinee, f"best-of {self._n}")

    async def compose(self, request: Request[Any], inner: Inner, /) -> BaseModel:
        """The candidate that the critic chooses."""
        moves = list(dict.fromkeys(await candidates(self._examinee, request, inner, self._n)))
        if len(moves) == 1:
            return moves[0]
        order = list(range(len(moves)))
        luck(request.world, "examinee", f"candidates after {len(request.feed)}").shuffle(order)
        texts = [shown(moves[at]) for at in order]
        question = asked(self.thinker, request, "choose", texts, choice_of(len(moves)))
        (choice,) = await inner.ask_all([question])
        return moves[order[choice.chosen - 1]] if isinstance(choice, Choice) else moves[0]
