"""A language model as the consultant."""

from __future__ import annotations

from typing import Any, ClassVar

from osler.models.types import Output
from osler.players.model import consultation as lines
from osler.players.model.player import ModelPlayer
from osler.players.model.schemas import CONSULTANT_ADVICE
from osler.players.model.seat import ModelSeat
from osler.seats.consultant import CONSULTANT, Advice, ConsultantView
from osler.seats.contract import Request
from osler.seats.events import Seat


class ModelConsultant(ModelPlayer[ConsultantView, Advice]):
    """A model in the consultant's seat."""

    seat: Seat = "consultant"
    reads: ModelSeat = lines.CONSULTANT_SEAT
    output: ClassVar[Output] = CONSULTANT_ADVICE

    def _read(self, request: Request[ConsultantView], value: Any, /) -> Advice:
        blank = {"next_question": None, "diagnosis_suggestion": None}
        empty = {name: None for name in blank if isinstance(value.get(name), str) and not value[name].strip()}
        return CONSULTANT.reply.validate_python({**value, **empty})
