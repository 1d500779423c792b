"""Interventions on a doctor: given words at one point of a branch, and the lesson of a first attempt.

After a mistake the wrapped doctor gets the lesson first and then plays as usual. A model reflects by itself;
its prompt asks it to. A built-in doctor cannot, so a rule applies: it concludes with the right answer if the
lesson gives it, else with the best of its own differential other than the wrong answer of the first attempt.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from pydantic import BaseModel

from osler.core.composite import AnyPlayer, Inner, answer_of
from osler.core.contract import Contract, NoUsableReply, OwnReply, ReplyWithUsage, Request
from osler.core.events import Event, TurnBegan
from osler.core.wrapper_events import Corrected
from osler.knowledge.conditions import name_key
from osler.players.model.event_text import SECOND_ATTEMPT
from osler.players.wrappers.asking import fingerprint_around
from osler.prompts import prompt
from osler.protocols.consultation.replies import form
from osler.protocols.consultation.seats import Ask, Finalize


class SaysNext:
    """A wrapper that says `words` to the patient after the first `after` moves; all other moves are
    `doctor`'s.

    The number of the move is counted from the request, so it is stateless.
    """

    def __init__(self, doctor: AnyPlayer, words: str, after: int) -> None:
        self._doctor, self._words, self._after = doctor, words, after
        self.name, self.durable = doctor.name, doctor.durable

    @property
    def fingerprint(self) -> str:
        """16 hex digits over the words, their position, and the doctor's own fingerprint."""
        return fingerprint_around(self._doctor, str(self._after), self._words)

    async def compose(self, request: Request[Any], inner: Inner, /) -> BaseModel | ReplyWithUsage:
        """Say the words if it is their turn, else return the doctor's own reply."""
        if sum(isinstance(item, OwnReply) for item in request.feed) == self._after:
            return Ask(question=self._words)
        return await answer_of(self._doctor, request, inner)


class Lesson(NamedTuple):
    """The feedback on the first attempt, the episode with key `episode`. `right` is empty if not disclosed.
    `record` is all that the doctor was told and said in it, to be thought over; `None` if it consults
    anew."""

    episode: str
    wrong: str
    right: str = ""
    record: tuple[Event | OwnReply, ...] | None = None


class SecondAttempt:
    """A wrapper that puts the lesson at the start of the feed of `doctor` and passes its replies on; or,
    where the record of the first attempt is thought over, puts it after that and takes only a conclusion."""

    def __init__(self, doctor: AnyPlayer, lesson: Lesson) -> None:
        self._doctor, self._lesson = doctor, lesson
        self.name, self.durable = f"{doctor.name}+again", doctor.durable

    @property
    def fingerprint(self) -> str:
        """16 hex digits over the lesson, including its episode, the prompt, and the wrapped doctor."""
        how = () if self._lesson.record is None else ("record",)
        return fingerprint_around(self._doctor, prompt(SECOND_ATTEMPT).hash, *self._lesson[:3], *how)

    async def compose(self, request: Request[Any], inner: Inner, /) -> BaseModel | ReplyWithUsage:
        """Return the doctor's own reply; a built-in doctor's conclusion follows the rule above. Raises
        NoUsableReply for anything but a conclusion where only that is possible."""
        said = await answer_of(self._doctor, self._asked(request), inner)
        reply = said.reply if isinstance(said, ReplyWithUsage) else said
        if self._lesson.record is not None and not isinstance(reply, Finalize):
            noted = said._asdict() if isinstance(said, ReplyWithUsage) else {}
            noted.pop("reply", None)
            raise NoUsableReply(
                "the consultation is over: conclude (FINALIZE)", by="rule", cause="rule", **noted
            )
        if self.durable or not isinstance(reply, Finalize) or request.view.task.options:
            return said
        corrected = reply.model_copy(update={"diagnosis": self._second_thought(reply)})
        return said._replace(reply=corrected) if isinstance(said, ReplyWithUsage) else corrected

    def _asked(self, request: Request[Any]) -> Request[Any]:
        """The request as the doctor sees it."""
        wrong, right, record = self._lesson[1:]
        anew = record is None
        told = Corrected(minute=0, to=("doctor",), wrong=wrong, right=right, anew=anew)
        if record is None:
            return request._replace(feed=(told, *request.feed))
        # This encounter has nothing to tell but what was refused.
        since = (item for item in request.feed if not isinstance(item, TurnBegan))
        only: Contract[Any, Any] = Contract("doctor", type(request.view), form(request.view, True))
        return request._replace(feed=(*record, told, *since), contract=only)

    def _second_thought(self, reply: Finalize) -> str:
        if self._lesson.right:
            return self._lesson.right
        named = (reply.diagnosis, *(line.name for line in reply.working_diagnoses))
        wrong = name_key(self._lesson.wrong)
        return next((name for name in named if name_key(name) != wrong), reply.diagnosis)
