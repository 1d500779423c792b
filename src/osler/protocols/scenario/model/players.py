"""Language models as examinee, controller and patient of a scenario."""

from __future__ import annotations

from typing import Any, ClassVar, Final

from osler.core.contract import Request
from osler.core.events import Seat
from osler.knowledge.vocabulary import VOICED_BY_PATIENT
from osler.models.types import Output
from osler.players.model.neutral_names import Names
from osler.players.model.player import ModelPlayer
from osler.players.model.schemas import opened
from osler.players.model.seat import ModelSeat
from osler.protocols.scenario.model import prompts as lines
from osler.protocols.scenario.model.schemas import (
    ACTOR_WORDS,
    EXAMINEE_MOVE,
    NO_ACTION,
    PACKET_RULING,
    PATIENT_WORDS,
    RULING,
    act_names,
    assessments_of,
    by_who,
    latest_acts,
    people_names,
)
from osler.protocols.scenario.model.undisclosed_facts import fact_names, open_now
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

_FREE: Final = ("feedback", "events")


class ModelController(ModelPlayer[ControllerView, ControllerReply]):
    """A model in the controller's seat. It refers to acts by number; their words are filled in."""

    seat: Seat = "controller"
    reads: ModelSeat = lines.CONTROLLER
    forms: ClassVar[tuple[Output, ...]] = (RULING, PACKET_RULING)

    def _offers(self, request: Request[ControllerView]) -> tuple[Names, ...]:
        acts = act_names(latest_acts(request.feed))._replace(every=True)
        # The others are voiced by the patient's seat.
        own = frozenset(one.id for one in request.view.people if one.role not in VOICED_BY_PATIENT)
        people = people_names(request.view.people)._replace(open=own)
        return (acts,) if request.view.packet else (acts, people, lines.action_names(request.view))

    def _read(self, request: Request[ControllerView], value: Any, /) -> ControllerReply:
        wanted = ControllerReply.model_fields.keys() & value.keys()
        filled = {name: value[name] for name in wanted}
        given = value.get("assessments")
        if request.view.packet is None:
            given, filled["team"] = self._with_ids(request, given, value.get("team", ()))
        else:
            filled["actors_present"] = by_who(value.get("actors_present"))
        filled["action_assessments"] = assessments_of(given, latest_acts(request.feed))
        for name in _FREE:
            if isinstance(filled.get(name), list):
                filled[name] = [one for one in filled[name] if one != ""]
        return CONTROLLER.reply.validate_python(filled)

    def _with_ids(self, request: Request[ControllerView], given: Any, team: Any) -> tuple[Any, Any]:
        """The assessments and the team's words with the ids that their neutral names stand for."""
        _, people, actions = self._offers(request)
        for each in given if isinstance(given, list) else ():
            if isinstance(each, dict) and (text := str(each.get("interpreted_action") or "").strip()):
                each["interpreted_action"] = "" if text.upper() == NO_ACTION else actions.meant(text)
        return given, _spoken(team, people)


def _spoken(given: Any, people: Names) -> Any:
    """The words of people with the ids that their neutral names stand for."""
    if not isinstance(given, list):
        return given  # which validation refuses
    return [{**each, "who": people.meant(each.get("who"))} for each in given if isinstance(each, dict)]


class ModelExaminee(ModelPlayer[ExamineeView, ExamineeMove]):
    """A model in the examinee's seat."""

    seat: Seat = "examinee"
    reads: ModelSeat = lines.EXAMINEE
    forms: ClassVar[tuple[Output, ...]] = (EXAMINEE_MOVE,)

    def _read(self, request: Request[ExamineeView], value: Any, /) -> ExamineeMove:
        return move_of(value)


def move_of(value: Any) -> ExamineeMove:
    """Parse an examinee's move from a filled form, without its note and blank acts. Raises ValueError."""
    value = opened(value)
    value.pop("note", None)
    if (action := value.pop("action", None)) is not None:
        value["eos"] = action == "END_STATE"
    acts = value.get("actions")
    if isinstance(acts, list):
        value = {**value, "actions": [act for act in acts if not isinstance(act, str) or act.strip()]}
    return EXAMINEE.reply.validate_python(value)


class ModelPatientSeat(ModelPlayer[PatientSeatView, PatientSeatReply]):
    """A model in the patient's seat. Facts it may not tell yet are not in its prompt."""

    seat: Seat = "patient"
    reads: ModelSeat = lines.PATIENT
    forms: ClassVar[tuple[Output, ...]] = (PATIENT_WORDS, ACTOR_WORDS)

    def _offers(self, request: Request[PatientSeatView]) -> tuple[Names, ...]:
        view = request.view
        if view.packet is not None:
            return ()
        able = frozenset(person.id for person in view.people if person.speaks)
        # To the model an unknown name and one that is still kept back must look the same.
        facts = fact_names(view)._replace(open=open_now(request))
        return people_names(view.people)._replace(open=able), facts

    def _read(self, request: Request[PatientSeatView], value: Any, /) -> PatientSeatReply:
        speak = value.get("speak", [])
        if request.view.packet is not None:
            present = by_who(value.get("actors_present"))
            return PATIENT_SEAT.reply.validate_python({"speak": speak, "actors_present": present})
        people, facts = self._offers(request)
        told = facts.all_meant(value.get("facts") or value.get("revealed_facts"))
        said = _spoken(speak, people)
        for one in said if isinstance(said, list) else ():
            one["words"] = facts.unprefixed(one.get("words"))
        return PATIENT_SEAT.reply.validate_python({"speak": said, "revealed_facts": told})
