"""How our own seats read to a model, by the type of their views, for tests that have no player at hand."""

from __future__ import annotations

from typing import Any, Final

from osler.core.contract import Request
from osler.core.events import View
from osler.models.types import Message
from osler.players.model import messages
from osler.players.model.seat import ModelSeat, Moves
from osler.protocols.consultation.model import prompts as consultation
from osler.protocols.consultation.seats import (
    ConsultantView,
    DescriberView,
    DoctorView,
    ExaminationView,
    SummarizerView,
    SynthesizerView,
    ToldView,
)
from osler.protocols.consultation.seats import SpecialistView as OneOfAPanel
from osler.protocols.scenario.model import prompts as scenario
from osler.protocols.scenario.seats import ControllerView, ExamineeView, PatientSeatView
from osler.protocols.shared.model.patient_seat import PATIENT_SEAT
from osler.protocols.shared.patient import PatientView
from osler.protocols.ward_round.model import prompts as ward_round
from osler.protocols.ward_round.seats import (
    ExpertView,
    SpecialistView,
    StudentView,
    SupervisorView,
    TutorView,
)

SEATS: Final[dict[type[View], ModelSeat]] = {
    DoctorView: consultation.DOCTOR_SEAT,
    ToldView: consultation.TOLD_DOCTOR_SEAT,
    SummarizerView: consultation.SUMMARIZER_SEAT,
    SynthesizerView: consultation.SYNTHESIZER_SEAT,
    PatientView: PATIENT_SEAT,
    ExaminationView: consultation.EXAMINATION_SEAT,
    ConsultantView: consultation.CONSULTANT_SEAT,
    OneOfAPanel: consultation.CONSULTANT_SEAT,
    DescriberView: consultation.DESCRIBER_SEAT,
    TutorView: ward_round.TUTOR,
    StudentView: ward_round.STUDENT,
    SpecialistView: ward_round.SPECIALIST,
    SupervisorView: ward_round.SUPERVISOR,
    ExpertView: ward_round.EXPERT,
    ExamineeView: scenario.EXAMINEE,
    PatientSeatView: scenario.PATIENT,
    ControllerView: scenario.CONTROLLER,
}


def messages_of(request: Request[Any], moves: Moves = "json", *, eyes: bool = False) -> tuple[Message, ...]:
    """What a model in the request's seat would be sent."""
    return messages.messages_of(request, SEATS[type(request.view)], moves, eyes=eyes)


def opening(view: View, moves: Moves = "json") -> Message:
    """The first message of the seat that the view belongs to."""
    return messages.opening(view, SEATS[type(view)], moves)
