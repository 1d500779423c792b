"""A language model or a person as the candidate; a separate module, as a client imports slowly."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from osler.core.contract import NoUsableReply, OwnReply, Player, ReplyWithUsage, Request
from osler.core.events import Event
from osler.core.factory import PlayerRequest
from osler.core.role import Seating
from osler.errors import BadInput
from osler.models.types import Message
from osler.players.external import Pending
from osler.players.model.player import ModelPlayer, seated
from osler.players.model.seat import ModelSeat
from osler.players.person import Form, Forms, Talk, common_lines, person_at
from osler.protocols.vqa.events import QuestionAsked
from osler.protocols.vqa.seats import CANDIDATE, Answer, CandidateView
from osler.text.hostile import block

_CUT: Final = "length"


def question_block(event: QuestionAsked) -> str:
    """The question and its options as the text of a prompt: data, each in a block."""
    options = (block("option", f"{letter}: {text}") for letter, text in event.options.items())
    return "\n".join((block("question", event.question), *options))


class ModelCandidate(ModelPlayer[CandidateView, Answer]):
    """A model as the candidate: one call for each asking, answered in plain words."""

    seat = CANDIDATE.seat
    reads = ModelSeat(
        template="osler.protocols.vqa:prompts/question.jinja",
        lines={QuestionAsked: question_block},
        pictures=lambda view: view.pictures,
    )

    async def reply(self, request: Request[CandidateView]) -> ReplyWithUsage:
        """Return the answer. One that was cut at its length limit is none: it may have gone on otherwise."""
        reply = await super().reply(request)
        if isinstance(reply.reply, Answer) and reply.calls[-1]["finish_reason"] == _CUT:
            raise NoUsableReply(
                "it was cut at the length limit",
                by="model",
                cause="truncated",
                said=reply.reply.text,
                used=reply.used,
                calls=reply.calls,
            )
        return reply

    def check_eyes(self, pictured: bool) -> None:
        """Raise BadInput for a model that is not declared to see, where there are pictures."""
        if pictured and not self._eyes:
            raise BadInput(
                f"{self._endpoint} is not declared to see, and questions have pictures",
                where="--candidate",
                hint=f"if it does: images = true in [endpoints.{self._endpoint}.capabilities]",
            )

    def _messages(self, request: Request[CandidateView]) -> tuple[Message, ...]:
        self.check_eyes(bool(request.view.pictures))
        return super()._messages(request)

    def _read(self, request: Request[CandidateView], value: Any, /) -> Answer:
        return Answer(text=value)


def model_player(asked: PlayerRequest, seating: Seating) -> Player:
    """Return the player `model:NAME`. Raises BadInput for a model without eyes where the question has
    pictures."""
    player = seated(ModelCandidate, asked, seating, pictures=True)
    player.check_eyes(bool(asked.case.pictures))
    return player


def _lines(item: Event | OwnReply) -> Iterator[str]:
    if isinstance(item, QuestionAsked):
        yield item.question
        yield from (f"  {letter}  {text}" for letter, text in item.options.items())
    elif isinstance(item, OwnReply) and isinstance(item.reply, Answer):
        yield f"You: {item.reply.text}"
    else:
        yield from common_lines(item)


def _briefing(view: CandidateView) -> list[str]:
    return [f"The question comes with {view.withheld} pictures that are not shown."] if view.withheld else []


async def _answer(pending: Pending, talk: Talk) -> Answer:
    return Answer(text=await talk.said("answer> ", needed=True))


FORMS: Final[Forms] = {
    CandidateView: Form(
        help="Answer with the letter of one option. /quit stops here; the run can be resumed.",
        briefing=_briefing,
        words=_lines,
        read=_answer,
        pictures=lambda view: ((f"Picture {at}", one) for at, one in enumerate(view.pictures, 1)),
    )
}


def person(asked: PlayerRequest, seating: Seating) -> Player:
    """Return a person as the candidate."""
    return person_at(seating.channel, FORMS)
