"""A language model as the patient, or as the carer who speaks for one."""

from __future__ import annotations

from typing import Any, ClassVar

from osler.core.contract import Request
from osler.core.events import Said, Seat
from osler.models.types import Output
from osler.players.model.player import ModelPlayer
from osler.players.model.seat import ModelSeat
from osler.protocols.shared.model.patient_seat import PATIENT_SEAT
from osler.protocols.shared.model.schemas import PATIENT_ANSWER
from osler.protocols.shared.patient import PATIENT, PatientReply, PatientView
from osler.text.topics import may_tell


class ModelPatient(ModelPlayer[PatientView, PatientReply]):
    """A model in the patient's seat. Facts it may not tell yet are not in its prompt."""

    seat: Seat = "patient"
    reads: ModelSeat = PATIENT_SEAT
    output: ClassVar[Output] = PATIENT_ANSWER

    def _read(self, request: Request[PatientView], value: Any, /) -> PatientReply:
        reply = PATIENT.reply.validate_python(value)
        told = {fact.id: fact.told for fact in request.view.facts}
        said = doctor_said(request)
        for item in reply.revealed_facts:
            # To the model an unknown id and one that is still kept back must look the same.
            if item not in told or not may_tell(told[item], said):
                raise ValueError(f"revealed_facts: none of your facts has the id {item[:40]!r}")
        return reply


def doctor_said(request: Request[PatientView]) -> list[str]:
    """Everything the doctor has said to the patient so far."""
    return [item.text for item in request.feed if isinstance(item, Said) and item.by == "doctor"]
