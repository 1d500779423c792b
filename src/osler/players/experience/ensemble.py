"""Several doctors vote: the doctor inside, in as many worlds (`+ensemble:3`)."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

from osler.players.experience.concluding import candidates, conclusion, form, shuffled
from osler.players.experience.voting import majority
from osler.players.wrappers.asking import fingerprint_of, first_reply, thinker_of
from osler.seats.composite import AnyPlayer, Inner
from osler.seats.contract import Request, Unanswered
from osler.seats.doctor import Finalize


class Ensemble:
    """Up to the conclusion one doctor plays. It is the first vote; `n` - 1 others then conclude at once, each
    in a world of its own, from the same encounter and the same candidates in an order of its own.

    Candidates are what the doctor has thought of itself, never the case's. Who gives no valid vote is missing
    from the count. A built-in doctor is the same in every world, so its votes agree.
    """

    def __init__(self, doctor: AnyPlayer, n: int) -> None:
        self._doctor, self._n, self.thinker = doctor, n, thinker_of(doctor)
        self.name, self.durable = f"{doctor.name}+ensemble:{n}", doctor.durable

    @property
    def fingerprint(self) -> str:
        """See `fingerprint_of`."""
        return fingerprint_of(self._doctor, "vote", f"ensemble {self._n}")

    async def compose(self, request: Request[Any], inner: Inner, /) -> BaseModel:
        """The first doctor's move, a conclusion only after the vote."""
        first: BaseModel = await first_reply(self._doctor, request, form(request.view, False), inner)
        if not isinstance(first, Finalize):
            return first
        named = candidates(request, first)
        others = [
            conclusion(
                self._doctor,
                request,
                "vote",
                shuffled(named, request, f"candidates of doctor {number}"),
                number=number,
            )
            for number in range(2, self._n + 1)
        ]
        votes = [vote for vote in await inner.ask_all(others) if not isinstance(vote, Unanswered)]
        return majority([first, *votes], missing=len(others) - len(votes))  # type: ignore[list-item]
