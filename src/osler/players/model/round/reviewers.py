"""Language models as specialist, supervisor and expert."""

from __future__ import annotations

from typing import Any, ClassVar

from osler.models.types import Output
from osler.players.model.player import ModelPlayer
from osler.players.model.round import lines
from osler.players.model.round.schemas import EXPLANATIONS, FACT_CHECK, SAFETY_CHECK
from osler.players.model.seat import ModelSeat
from osler.seats.contract import Request
from osler.seats.events import Seat
from osler.seats.ward_round import (
    EXPERT,
    SPECIALIST,
    SUPERVISOR,
    ExpertView,
    Explanations,
    FactCheck,
    SafetyCheck,
    SpecialistView,
    SupervisorView,
)


class ModelSpecialist(ModelPlayer[SpecialistView, FactCheck]):
    """A model in the specialist's seat, which checks a draft's facts."""

    seat: Seat = "specialist"
    reads: ModelSeat = lines.SPECIALIST
    output: ClassVar[Output] = FACT_CHECK

    def _read(self, request: Request[SpecialistView], value: Any, /) -> FactCheck:
        return SPECIALIST.reply.validate_python(value)


class ModelSupervisor(ModelPlayer[SupervisorView, SafetyCheck]):
    """A model in the supervisor's seat, which reviews safety, ethics, fairness, tone and privacy."""

    seat: Seat = "supervisor"
    reads: ModelSeat = lines.SUPERVISOR
    output: ClassVar[Output] = SAFETY_CHECK

    def _read(self, request: Request[SupervisorView], value: Any, /) -> SafetyCheck:
        return SUPERVISOR.reply.validate_python(value)


class ModelExpert(ModelPlayer[ExpertView, Explanations]):
    """A model in the expert's seat, which explains medicine in general."""

    seat: Seat = "expert"
    reads: ModelSeat = lines.EXPERT
    output: ClassVar[Output] = EXPLANATIONS

    def _read(self, request: Request[ExpertView], value: Any, /) -> Explanations:
        return EXPERT.reply.validate_python(value)
