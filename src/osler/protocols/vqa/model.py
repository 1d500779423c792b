"""A language model as the candidate; a separate module, as a client imports slowly."""

from __future__ import annotations

from typing import Any, Final, Self

from osler.core.contract import NoUsableReply, ReplyWithUsage, Request
from osler.core.factory import PlayerRequest
from osler.core.role import Seating
from osler.errors import BadInput
from osler.models.types import Message
from osler.players.model.player import ModelPlayer
from osler.players.model.seat import ModelSeat
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

    @classmethod
    def built(cls, asked: PlayerRequest, seating: Seating, **more: Any) -> Self:
        """See `ModelPlayer.built`. Raises BadInput for a model without eyes where there are pictures."""
        player = super().built(asked, seating, **more)
        player.check_eyes(bool(asked.case.pictures))
        return player

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
