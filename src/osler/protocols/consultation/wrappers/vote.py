"""Ensemble voting: the wrapped doctor, run in several worlds, votes on the conclusion (`+ensemble:3`)."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

from osler.core.composite import AnyPlayer, Inner
from osler.core.contract import Request, Unanswered
from osler.players.wrappers.asking import fingerprint_of, first_reply, thinker_of
from osler.protocols.consultation.seats import Finalize
from osler.protocols.consultation.wrappers.concluding import (
    candidates,
    conclusion,
    form,
    shuffled,
)
from osler.protocols.consultation.wrappers.vote_count import majority


class Ensemble:
    """One doctor plays up to the conclusion, which is the first vote; `n` - 1 others then conclude
    concurrently, each in a different world, from the same encounter and the same candidates, shuffled.

    Candidates are diagnoses the doctor itself has considered, never the case's. Invalid votes are left out of
    the count. A built-in doctor is the same in every world, so its votes agree.
    """

    def __init__(self, doctor: AnyPlayer, n: int) -> None:
        self._doctor, self._n, self.thinker = doctor, n, thinker_of(doctor)
        self.name, self.durable = f"{doctor.name}+ensemble:{n}", doctor.durable

    @property
    def fingerprint(self) -> str:
        """See `fingerprint_of`."""
        return fingerprint_of(self._doctor, "vote", f"ensemble {self._n}")

    async def compose(self, request: Request[Any], inner: Inner, /) -> BaseModel:
        """Return the first doctor's move; a conclusion only after the vote."""
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
