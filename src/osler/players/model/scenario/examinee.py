"""A language model as the examinee."""

from __future__ import annotations

from typing import Any, ClassVar

from osler.models.types import Output
from osler.players.model.opinions import OPINIONS, opinion_asked
from osler.players.model.player import ModelPlayer
from osler.players.model.scenario import lines
from osler.players.model.scenario.schemas import EXAMINEE_MOVE
from osler.players.model.seat import ModelSeat
from osler.seats.contract import Request
from osler.seats.events import Seat
from osler.seats.scenario import EXAMINEE, ExamineeMove, ExamineeView


class ModelExaminee(ModelPlayer[ExamineeView, ExamineeMove]):
    """A model in the examinee's seat."""

    seat: Seat = "examinee"
    reads: ModelSeat = lines.EXAMINEE
    output: ClassVar[Output] = EXAMINEE_MOVE

    def _shape(self) -> str:
        # Opinions have been part of the fingerprint from the beginning, and episodes' keys contain it.
        opinions = (opinion_asked(what, self.seat) for what in OPINIONS)
        return " ".join(output.digest for output in (EXAMINEE_MOVE, *opinions))

    def _read(self, request: Request[ExamineeView], value: Any, /) -> ExamineeMove:
        acts = value.get("actions")
        if isinstance(acts, list):
            value = {**value, "actions": [act for act in acts if not isinstance(act, str) or act.strip()]}
        return EXAMINEE.reply.validate_python(value)
