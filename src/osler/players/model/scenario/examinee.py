"""A language model as the examinee; inside a strategy also as a critic or an expert."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, ClassVar, Final

from pydantic import BaseModel

from osler.models.types import Output
from osler.players.model.player import ModelPlayer
from osler.players.model.scenario import lines
from osler.players.model.scenario.schemas import (
    EXAMINEE_APPROVAL,
    EXAMINEE_CHOICE,
    EXAMINEE_COMMENT,
    EXAMINEE_MOVE,
)
from osler.players.model.seat import ModelSeat
from osler.seats.contract import Request
from osler.seats.deliberation import APPROVAL, COMMENT, Choice, Wanted, wanted
from osler.seats.events import Seat
from osler.seats.scenario import EXAMINEE, ExamineeView

_OUTPUTS: Final[Mapping[Wanted, Output]] = MappingProxyType(
    {
        "move": EXAMINEE_MOVE,
        "choose": EXAMINEE_CHOICE,
        "advise": EXAMINEE_COMMENT,
        "approve": EXAMINEE_APPROVAL,
    }
)


class ModelExaminee(ModelPlayer[ExamineeView, BaseModel]):
    """A model in the examinee's seat."""

    seat: Seat = "examinee"
    reads: ModelSeat = lines.EXAMINEE
    output: ClassVar[Output] = EXAMINEE_MOVE

    def _shape(self) -> str:
        return " ".join(output.digest for output in _OUTPUTS.values())

    def _asked(self, request: Request[ExamineeView]) -> Output:
        return _OUTPUTS[wanted(request)]

    def _read(self, request: Request[ExamineeView], value: Any, /) -> BaseModel:
        match wanted(request):
            case "choose":
                return Choice.model_validate(value)
            case "advise":
                return COMMENT.validate_python(value)
            case "approve":
                return APPROVAL.validate_python(value)
        acts = value.get("actions")
        if isinstance(acts, list):
            value = {**value, "actions": [act for act in acts if not isinstance(act, str) or act.strip()]}
        return EXAMINEE.reply.validate_python(value)
