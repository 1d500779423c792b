"""A doctor who thinks twice: about to conclude, it goes through everything again step by step (`+cot`)."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

from osler.players.experience.concluding import asked_again, fingerprint_of, first_move
from osler.seats.composite import AnyPlayer, Inner
from osler.seats.contract import Own, Request, Unanswered
from osler.seats.doctor import Finalize


class StepByStep:
    """MedAgentSim's replay phase for one doctor. The second conclusion stands; without a valid one the first.

    A built-in doctor has weighed everything already and comes to the same end.
    """

    def __init__(self, doctor: AnyPlayer) -> None:
        self._doctor = doctor
        self.name, self.durable = f"{doctor.name}+cot", doctor.durable

    @property
    def fingerprint(self) -> str:
        """See `fingerprint_of`."""
        return fingerprint_of(self._doctor, "cot")

    async def compose(self, request: Request[Any], inner: Inner, /) -> BaseModel:
        """The doctor's move, a conclusion only after the second look."""
        first = await first_move(self._doctor, request, inner)
        if not isinstance(first, Finalize):
            return first
        question = asked_again(self._doctor, request, "step by step", before=(Own(first),))
        (second,) = await inner.ask_all([question])
        return first if isinstance(second, Unanswered) else second
