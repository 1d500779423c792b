"""Players for tests: they know nothing, so whatever stands in a request was put there by the protocol."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel

from osler.core.contract import OwnReply, Player, ReplyWithUsage, Request
from osler.core.events import Seat
from osler.protocols.ward_round.events import Claimed, RoundLine
from osler.protocols.ward_round.monologue import Thought, render_thought
from osler.protocols.ward_round.seats import (
    Action,
    Analysis,
    ExamReply,
    Explanation,
    Explanations,
    FactCheck,
    Guidance,
    SafetyCheck,
    exam_now,
    wanted,
)

Say = Callable[[Request[Any]], str]


def thought(request: Request[Any], words: str = "Nothing yet.") -> str:
    """A monologue that keeps the contract."""
    view = request.view
    students = tuple((name, words) for name in view.students)
    return render_thought(Thought(words, words, students, words, words if view.images else None))


@dataclass
class PlainTutor:
    """Says the same each time; `covers` names the steps covered by the k-th guidance asked for."""

    words: str = "What do you make of this?"
    covers: tuple[tuple[int, ...], ...] = ()
    private: str = "Nothing yet."
    name: str = "plain"
    durable: bool = False

    async def reply(self, request: Request[Any]) -> Guidance:
        k = sum(type(item) is OwnReply for item in request.feed)
        monologue = thought(request, self.private) if request.view.private_thought else ""
        covered = self.covers[k] if k < len(self.covers) else ()
        return Guidance(internal_monologue=monologue, guidance=self.words, covered_steps=covered)


@dataclass
class PlainStudent:
    """Answers each act with what it was given."""

    analysis: str = "I am thinking."
    to_patient: str | None = "When did it start?"
    to_expert: str | None = None
    answer: str = "I do not know."
    name: str = "plain"
    durable: bool = False

    async def reply(self, request: Request[Any]) -> BaseModel:
        match wanted(request):
            case "analyse":
                return Analysis(analysis_for_teacher=self.analysis)
            case "act":
                return Action(query_for_patient=self.to_patient, query_for_expert=self.to_expert)
        items = exam_now(request).items
        return ExamReply(answers={i.id: min(i.options) if i.options else self.answer for i in items})


@dataclass
class Reviewer:
    """Rejects the first `rejects` drafts it sees, with `feedback`; a specialist may confirm all claims."""

    seat: Seat
    rejects: int = 0
    feedback: str = "Say it otherwise."
    confirms: bool = False
    name: str = "reviewer"
    durable: bool = False

    async def reply(self, request: Request[Any]) -> BaseModel:
        drafts = sum(type(item) is RoundLine and item.part == "draft" for item in request.feed)
        fine = drafts > self.rejects
        if self.seat == "specialist":
            claimed = [step.number for item in request.feed if type(item) is Claimed for step in item.steps]
            return FactCheck(
                is_correct=fine,
                feedback="" if fine else self.feedback,
                covered_steps=tuple(claimed) if self.confirms else (),
            )
        issue = None if fine else "tone"
        return SafetyCheck.model_validate(
            {
                "is_safe": fine,
                "issue_category": issue,
                "feedback_and_suggestion": "" if fine else self.feedback,
            }
        )


@dataclass
class PlainExpert:
    words: str = "That is general knowledge."
    name: str = "plain"
    durable: bool = False

    async def reply(self, request: Request[Any]) -> Explanations:
        queries = 0
        for item in request.feed:
            if type(item) is OwnReply:
                queries = 0
            elif type(item) is RoundLine and item.part == "query":
                queries += 1
        one = Explanation(answer_provided=True, explanation=self.words)
        return Explanations(explanations=(one,) * queries)


@dataclass
class Failing:
    """Never answers; its error is not for anybody's ears."""

    error: str = "zq-secret-qz"
    name: str = "failing"
    durable: bool = False

    async def reply(self, request: Request[Any]) -> BaseModel:
        raise ValueError(self.error)


@dataclass
class Slow:
    """Answers after `seconds` of its loop's time, or after some turns of the loop drawn from the request."""

    inner: Player
    seconds: float = 0.0
    turns: int = 0
    asked: list[str] = field(default_factory=list)
    durable: bool = False

    @property
    def name(self) -> str:
        return self.inner.name

    @property
    def fingerprint(self) -> str:
        return str(getattr(self.inner, "fingerprint", ""))

    async def reply(self, request: Request[Any]) -> BaseModel | ReplyWithUsage:
        if self.seconds:
            await asyncio.sleep(self.seconds)
        for _ in range(self.turns and hash((len(request.feed), self.turns)) % self.turns):
            await asyncio.sleep(0)
        return await self.inner.reply(request)


class ClockLoop(asyncio.SelectorEventLoop):
    """An event loop whose time passes only when everybody waits: a second costs nothing."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0

    def time(self) -> float:
        return self.now

    def _run_once(self) -> None:
        if not self._ready and self._scheduled:  # type: ignore[attr-defined]  # what the base class runs on
            self.now = max(self.now, self._scheduled[0]._when)  # type: ignore[attr-defined]
        super()._run_once()  # type: ignore[misc]


def everybody(cast: Mapping[Seat, Player], wrap: Callable[[Player], Player]) -> dict[Seat, Player]:
    """The same cast, each player wrapped."""
    return {seat: wrap(player) for seat, player in cast.items()}
