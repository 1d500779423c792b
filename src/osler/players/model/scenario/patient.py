"""A language model as the patient and their companions."""

from __future__ import annotations

from typing import Any, ClassVar

from osler.models.types import Output
from osler.players.model.player import ModelPlayer
from osler.players.model.scenario import lines
from osler.players.model.scenario.kept_back import open_now
from osler.players.model.scenario.lists import by_who
from osler.players.model.scenario.schemas import ACTOR_WORDS, PATIENT_WORDS
from osler.players.model.seat import ModelSeat
from osler.seats.contract import Request
from osler.seats.events import Seat
from osler.seats.scenario import PATIENT_SEAT, PatientSeatReply, PatientSeatView


class ModelPatientSeat(ModelPlayer[PatientSeatView, PatientSeatReply]):
    """A model in the patient's seat. Facts it may not tell yet are not in its prompt."""

    seat: Seat = "patient"
    reads: ModelSeat = lines.PATIENT
    output: ClassVar[Output] = PATIENT_WORDS

    def _asked(self, request: Request[PatientSeatView]) -> Output:
        return PATIENT_WORDS if request.view.packet is None else ACTOR_WORDS

    def _shape(self) -> str:
        return f"{PATIENT_WORDS.digest} {ACTOR_WORDS.digest}"

    def _read(self, request: Request[PatientSeatView], value: Any, /) -> PatientSeatReply:
        view, filled = request.view, {"speak": value.get("speak", [])}
        if view.packet is not None:
            filled["actors_present"] = by_who(value.get("actors_present"))
            return PATIENT_SEAT.reply.validate_python(filled)
        reply = PATIENT_SEAT.reply.validate_python(
            {**filled, "revealed_facts": value.get("revealed_facts", [])}
        )
        speaks = {person.id: person.speaks for person in view.people}
        for each in reply.speak:
            if not speaks.get(each.who):
                raise ValueError(f"speak: {each.who[:40]!r} is nobody of yours who can speak")
        may = open_now(request)
        for item in reply.revealed_facts:
            # To the model an unknown id and one that is still kept back must look the same.
            if item not in may:
                raise ValueError(f"revealed_facts: nobody can tell a fact with the id {item[:40]!r} now")
        return reply
