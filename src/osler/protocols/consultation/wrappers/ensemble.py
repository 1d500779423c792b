"""Several doctors conclude: an ensemble votes (`+ensemble:3`), a discussion revises first (`+discuss:3`).

The others are as many of the same doctor, in other worlds, or the doctors named in the number's place.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from pydantic import BaseModel

from osler.core.composite import AnyPlayer, Inner
from osler.core.contract import NoUsableReply, OwnReply, Request
from osler.core.episode import identity
from osler.core.names import AND
from osler.players.wrappers.asking import fingerprint_of, first_reply, thinker_of
from osler.protocols.consultation.replies import (
    because,
    conclusion,
    diagnoses_considered,
    form,
    majority,
    shuffled,
    sides,
)
from osler.protocols.consultation.seats import Finalize

ROUNDS: Final = 2
_MOST_SHOWN: Final = 1200


class _Team:
    """The doctors of a composite: as many of the first as a number says, or the first and those named."""

    def __init__(self, first: AnyPlayer, others: int | Sequence[AnyPlayer]) -> None:
        self.mixed = () if isinstance(others, int) else tuple(others)
        alike = others - 1 if isinstance(others, int) else 0
        self.players = (first, *self.mixed, *[first] * alike)
        self.named = AND.join(one.name for one in self.mixed) or str(len(self.players))
        self.durable = any(one.durable for one in self.players)
        self.fingerprints = tuple(map(identity, self.mixed))


class Ensemble:
    """One doctor plays up to the conclusion, which is the first vote; `n` - 1 others then conclude
    concurrently, each in a different world, from the same encounter and the same candidates, shuffled.

    Candidates are diagnoses the doctor itself has considered, never the case's. Invalid votes are left out of
    the count. A built-in doctor is the same in every world, so its votes agree.
    """

    def __init__(self, doctor: AnyPlayer, others: int | Sequence[AnyPlayer]) -> None:
        self._team, self.thinker = _Team(doctor, others), thinker_of(doctor)
        self._doctor, self._n = doctor, len(self._team.players)
        self.name = f"{doctor.name}+ensemble:{self._team.named}"
        self.durable = self._team.durable

    @property
    def fingerprint(self) -> str:
        """See `fingerprint_of`."""
        return fingerprint_of(self._doctor, "vote", f"ensemble {self._n}", *self._team.fingerprints)

    async def compose(self, request: Request[Any], inner: Inner, /) -> BaseModel:
        """Return the first doctor's move; a conclusion only after the vote."""
        first: BaseModel = await first_reply(self._doctor, request, form(request.view, False), inner)
        if not isinstance(first, Finalize):
            return first
        named = diagnoses_considered(request, first)
        others = [
            conclusion(
                doctor,
                request,
                "vote",
                shuffled(named, request, f"candidates of doctor {number}"),
                number=number,
            )
            for number, doctor in enumerate(self._team.players[1:], start=2)
        ]
        votes = [vote for vote in await inner.ask_all(others) if not isinstance(vote, NoUsableReply)]
        return majority([first, *votes], missing=len(others) - len(votes))  # type: ignore[list-item]


class Discussion:
    """One doctor plays up to the conclusion; then `n` of them conclude independently and discuss until they
    agree, for at most `ROUNDS` rounds; if they still differ, the majority decides.

    A doctor without a valid revision keeps its opinion; one without any valid conclusion takes no part.
    """

    def __init__(self, doctor: AnyPlayer, others: int | Sequence[AnyPlayer]) -> None:
        self._team, self.thinker = _Team(doctor, others), thinker_of(doctor)
        self._doctor, self._n = doctor, len(self._team.players)
        self.name = f"{doctor.name}+discuss:{self._team.named}"
        self.durable = self._team.durable

    @property
    def fingerprint(self) -> str:
        """See `fingerprint_of`."""
        return fingerprint_of(
            self._doctor, "discuss", f"discuss {self._n} {ROUNDS}", *self._team.fingerprints
        )

    async def compose(self, request: Request[Any], inner: Inner, /) -> BaseModel:
        """Return the first doctor's move; a conclusion only after the discussion."""
        first: BaseModel = await first_reply(self._doctor, request, form(request.view, False), inner)
        if not isinstance(first, Finalize):
            return first
        talks: dict[int, list[Any]] = {1: [OwnReply(first)]}
        opinions: dict[int, Finalize] = {1: first}
        others = [
            conclusion(doctor, request, "conclude", number=number)
            for number, doctor in enumerate(self._team.players[1:], start=2)
        ]
        for number, (question, said) in enumerate(
            zip(others, await inner.ask_all(others), strict=True), start=2
        ):
            if isinstance(said, Finalize):
                opinions[number] = said
                talks[number] = [*question.request.feed[len(request.feed) :], OwnReply(said)]
        missing = self._n - len(opinions)
        for rounds in range(ROUNDS + 1):
            if len(sides(list(opinions.values()))) == 1:
                agreed = f"{len(opinions)} of {self._n} doctors agree after {rounds} rounds of discussion."
                return because(opinions[1], agreed)
            if rounds < ROUNDS:
                await self._revise(request, inner, talks, opinions, rounds)
        return majority(list(opinions.values()), missing)

    async def _revise(
        self,
        request: Request[Any],
        inner: Inner,
        talks: dict[int, list[Any]],
        opinions: dict[int, Finalize],
        rounds: int,
    ) -> None:
        """Run one round, in which each doctor reads the others' opinions of the round before."""
        asked = []
        for number, talk in talks.items():
            theirs = [_said(opinion) for other, opinion in opinions.items() if other != number]
            order = shuffled(theirs, request, f"round {rounds}, doctor {number}")
            doctor = self._team.players[number - 1]
            asked.append(conclusion(doctor, request, "discuss", order, before=talk, number=number))
        said: Sequence[BaseModel | NoUsableReply] = await inner.ask_all(asked)
        for number, question, opinion in zip(list(talks), asked, said, strict=True):
            if isinstance(opinion, Finalize):
                opinions[number] = opinion
                talks[number] = [*question.request.feed[len(request.feed) :], OwnReply(opinion)]


def _said(opinion: Finalize) -> str:
    """A conclusion as text for the other doctors."""
    answer = f" (answer {opinion.answer})" if opinion.answer else ""
    sure = "" if opinion.confidence is None else f", confidence {opinion.confidence:g}"
    reasons = " ".join((*opinion.rationale, *opinion.evidence))
    return f"{opinion.diagnosis}{answer}{sure}. {reasons}"[:_MOST_SHOWN]
