"""Language models as examinee, controller and patient of a scenario."""

from __future__ import annotations

from typing import Any, ClassVar, Final

from osler.core.contract import Request
from osler.core.deliberation import Wanted
from osler.core.events import Seat
from osler.models.types import Output
from osler.players.model.opinions import opinion_asked
from osler.players.model.player import ModelPlayer
from osler.players.model.seat import ModelSeat
from osler.protocols.scenario.model import prompts as lines
from osler.protocols.scenario.model.schemas import (
    ACTOR_WORDS,
    EXAMINEE_MOVE,
    PACKET_RULING,
    PATIENT_WORDS,
    RULING,
    assessments_of,
    by_who,
    latest_acts,
)
from osler.protocols.scenario.model.undisclosed_facts import open_now
from osler.protocols.scenario.seats import (
    CONTROLLER,
    EXAMINEE,
    PATIENT_SEAT,
    ControllerReply,
    ControllerView,
    ExamineeMove,
    ExamineeView,
    PatientSeatReply,
    PatientSeatView,
)

_OPINIONS: Final[tuple[Wanted, ...]] = ("choose", "advise", "approve")
_FREE = ("feedback", "events")


class ModelController(ModelPlayer[ControllerView, ControllerReply]):
    """A model in the controller's seat. It refers to acts by number; their words are filled in."""

    seat: Seat = "controller"
    reads: ModelSeat = lines.CONTROLLER
    output: ClassVar[Output] = RULING

    def _asked(self, request: Request[ControllerView]) -> Output:
        return RULING if request.view.packet is None else PACKET_RULING

    def _shape(self) -> str:
        return f"{RULING.digest} {PACKET_RULING.digest}"

    def _read(self, request: Request[ControllerView], value: Any, /) -> ControllerReply:
        output = self._asked(request)
        filled = {name: value[name] for name in output.json_schema["properties"] if name in value}
        found = assessments_of(filled.pop("assessments", None), latest_acts(request.feed))
        filled["action_assessments"] = found
        for name in _FREE:
            if isinstance(filled.get(name), list):
                filled[name] = [text for text in filled[name] if text != ""]
        if request.view.packet is not None:
            filled["actors_present"] = by_who(filled.get("actors_present"))
            return CONTROLLER.reply.validate_python(filled)
        declared = {action.id for action in request.view.actions}
        for each in found:
            if each.interpreted_action and each.interpreted_action not in declared:
                raise ValueError(
                    f"interpreted_action: {each.interpreted_action[:60]!r} is no id of a declared action"
                )
        return CONTROLLER.reply.validate_python(filled)


class ModelExaminee(ModelPlayer[ExamineeView, ExamineeMove]):
    """A model in the examinee's seat."""

    seat: Seat = "examinee"
    reads: ModelSeat = lines.EXAMINEE
    output: ClassVar[Output] = EXAMINEE_MOVE

    def _shape(self) -> str:
        # These have been part of the fingerprint from the beginning, and episodes' keys contain it.
        opinions = (opinion_asked(what, self.seat) for what in _OPINIONS)
        return " ".join(output.digest for output in (EXAMINEE_MOVE, *opinions))

    def _read(self, request: Request[ExamineeView], value: Any, /) -> ExamineeMove:
        return move_of(value)


def move_of(value: Any) -> ExamineeMove:
    """Parse an examinee's move from a filled schema, without blank acts. Raises ValueError."""
    acts = value.get("actions")
    if isinstance(acts, list):
        value = {**value, "actions": [act for act in acts if not isinstance(act, str) or act.strip()]}
    return EXAMINEE.reply.validate_python(value)


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
