"""How our own seats read to a model, by the type of their views, for tests that have no player at hand."""

from __future__ import annotations

from typing import Any, Final

from osler.models.types import Message
from osler.players.model import consultation, messages
from osler.players.model.round import lines as ward_round
from osler.players.model.scenario import lines as scenario
from osler.players.model.seat import ModelSeat, Moves
from osler.seats.consultant import ConsultantView
from osler.seats.consultant import SpecialistView as OneOfAPanel
from osler.seats.contract import Request
from osler.seats.describer import DescriberView
from osler.seats.doctor import DoctorView
from osler.seats.events import View
from osler.seats.examination import ExaminationView
from osler.seats.patient import PatientView
from osler.seats.scenario import ControllerView, ExamineeView, PatientSeatView
from osler.seats.ward_round import ExpertView, SpecialistView, StudentView, SupervisorView, TutorView

SEATS: Final[dict[type[View], ModelSeat]] = {
    DoctorView: consultation.DOCTOR_SEAT,
    PatientView: consultation.PATIENT_SEAT,
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
