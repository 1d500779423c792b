"""A language model as the patient, or as the carer who speaks for one."""

from __future__ import annotations

from typing import Any, ClassVar, Final

from osler.core.contract import Request
from osler.core.events import Seat
from osler.models.types import Output
from osler.players.model.neutral_names import Names
from osler.players.model.player import ModelPlayer
from osler.players.model.seat import ModelSeat
from osler.protocols.shared.model.patient_seat import PATIENT_SEAT, fact_names
from osler.protocols.shared.model.schemas import PATIENT_ANSWER
from osler.protocols.shared.patient import PATIENT, PatientReply, PatientView, doctor_said
from osler.text.topics import may_tell

_REASONS: Final = {
    "ANSWER": "none",
    "SMALL_TALK": "none",
    "NOT_IN_MY_FACTS": "not_in_patient_view",
    "DID_NOT_UNDERSTAND": "unclear_question",
}


class ModelPatient(ModelPlayer[PatientView, PatientReply]):
    """A model in the patient's seat. Facts it may not tell yet are not in its prompt."""

    seat: Seat = "patient"
    reads: ModelSeat = PATIENT_SEAT
    forms: ClassVar[tuple[Output, ...]] = (PATIENT_ANSWER,)

    def _offers(self, request: Request[PatientView]) -> tuple[Names]:
        heard = doctor_said(request)
        # To the model an unknown name and one that is still kept back must look the same.
        open_now = frozenset(fact.id for fact in request.view.facts if may_tell(fact.told, heard))
        return (fact_names(request.view)._replace(open=open_now),)

    def _read(self, request: Request[PatientView], value: Any, /) -> PatientReply:
        (names,) = self._offers(request)
        facts = names.all_meant(value.get("facts") or value.get("revealed_facts"))
        reason = _REASONS.get(str(value.get("action")), value.get("unanswered_reason", "none"))
        return PATIENT.reply.validate_python(
            {
                "answer": names.unprefixed(value.get("answer")),
                "revealed_facts": facts,
                "unanswered_reason": reason,
            }
        )
