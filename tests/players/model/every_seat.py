"""Every seat that a model may fill, with a request to it: for tests of what holds in all of them."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Final, NamedTuple

from hypothesis import strategies as st
from pydantic import BaseModel

from osler.cases.personas import persona
from osler.core.contract import OwnReply, Request
from osler.core.events import Said, View
from osler.core.order_events import Ordered
from osler.models.extraction import last_object
from osler.models.types import Output
from osler.players.model.neutral_names import Names
from osler.players.model.player import ModelPlayer
from osler.players.model.schemas import fitted
from osler.protocols.consultation import views as consulting
from osler.protocols.consultation.model.players import ModelConsultant, ModelDoctor, ModelExamination
from osler.protocols.scenario import views as playing
from osler.protocols.scenario.events import Acted
from osler.protocols.scenario.model.players import ModelController, ModelExaminee, ModelPatientSeat
from osler.protocols.shared.model.patient import ModelPatient
from osler.protocols.shared.views import patient_view
from osler.protocols.ward_round import views as teaching
from osler.protocols.ward_round.events import Claimed, ExamItem, ExamSet, Wanted
from osler.protocols.ward_round.model.players import (
    ModelExpert,
    ModelSpecialist,
    ModelStudent,
    ModelSupervisor,
    ModelTutor,
)
from osler.protocols.ward_round.seats import ExpertView, SupervisorView
from osler.testing.cases import small_case
from tests.players.model.table import Told
from tests.protocols.scenario.playing import small
from tests.protocols.scenario.stage import packet
from tests.protocols.ward_round.conftest import episode, taught_case

CASE: Final = small_case()


class Seated(NamedTuple):
    """A player in a seat and what it is asked."""

    player: ModelPlayer[Any, Any]
    request: Request[Any]

    @property
    def form(self) -> Output:
        """The form that is asked for."""
        form = self.player._form(self.request)
        assert form is not None
        return form

    @property
    def offers(self) -> tuple[Names, ...]:
        """What neutral names stand for now."""
        return self.player._offers(self.request)

    def read(self, value: object) -> BaseModel:
        """The reply that a value is read as. Raises ValueError."""
        reply: BaseModel = self.player._opened(self.request, value)
        return reply

    def written(self, reply: BaseModel) -> Any:
        """A reply as the seat is shown it later, as JSON."""
        view, feed = self.request.view, self.request.feed
        return json.loads(self.player._reading(self.request).own(reply, self.player._moves, view, feed))

    def shown_as(self, reply: BaseModel) -> Any:
        """The same out of the messages that the model is sent."""
        later = self.request._replace(feed=(*self.request.feed, OwnReply(reply)))
        *_, own, _ = self.player._messages(later)
        return last_object(own.text)

    def answers(self) -> st.SearchStrategy[dict[str, Any]]:
        """Answers that fit the form, of the names on offer alone."""
        narrow = fitted(self.form, self.offers, narrow=True)
        return instances(narrow.json_schema)


def instances(schema: Any) -> st.SearchStrategy[Any]:
    """Values of a schema of the kind that forms are made of. Of a list that needs an entry for each of some
    names, half of the values have one for each."""
    if "anyOf" in schema:
        return st.one_of(*map(instances, schema["anyOf"]))
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    match schema["type"]:
        case "object":
            return st.fixed_dictionaries({key: instances(one) for key, one in schema["properties"].items()})
        case "array":
            return _lists(schema["items"], min(schema["maxItems"], 6))
        case "string":
            return st.sampled_from(WORDS).map(lambda words: words[: schema["maxLength"]])
        case "number":
            return st.integers(0, 100).map(lambda hundredths: hundredths / 100)
        case "integer":
            return st.integers(schema.get("minimum", 0), schema.get("maximum", 9))
        case "boolean":
            return st.booleans()
    raise NotImplementedError(schema)


def _lists(items: Any, most: int) -> st.SearchStrategy[list[Any]]:
    some = st.lists(instances(items), max_size=most)
    name, one = next(iter(items.get("properties", {"": {}}).items()))
    if "enum" not in one or len(one["enum"]) > most:
        return some
    fixed = ({**items["properties"], name: {"enum": [chosen]}} for chosen in one["enum"])
    each = st.tuples(*(instances({**items, "properties": properties}) for properties in fixed))
    return st.one_of(some, each.map(list))


WORDS: Final = (
    "Since noon.",
    "Lipase",
    'He said "no", twice;\nthen he left.',
    "Schmerzen – überall",
    "痛い",
    "ends in a backslash \\",
    "",
)
"""Words that a model may write; with quotes, lines and other scripts."""


def _doctor(*, options: bool = False, consultant: bool = True) -> Request[Any]:
    view = consulting.doctor_view(
        CASE,
        options_shown=options,
        max_turns=20,
        max_tests_per_visit=3,
        max_visits=1,
        has_consultant=consultant,
    )
    return Request(view, (), "w")


def _student(act: str) -> Request[Any]:
    view = teaching.student_view(taught_case(), episode().cohort, 0, max_rounds=3, patient=True, expert=True)
    wanted = Wanted.model_validate({"minute": 0, "to": ["student_1"], "act": act})
    items = (ExamItem(id="case", question="What is it?"), ExamItem(id="step-1", question="Why?"))
    return Request(view, (ExamSet(minute=0, to=("student_1",), when="before", items=items), wanted), "w")


def _tutor(*, thinks: bool) -> Request[Any]:
    case = taught_case()
    view = teaching.tutor_view(
        case,
        teaching.teaching_plan(case),
        episode().cohort,
        max_rounds=3,
        max_drafts=3,
        private_thought=thinks,
    )
    return Request(view, (), "w")


def _order(name: str = "CXR and lipase") -> Request[Any]:
    ordered = Ordered(minute=0, order=1, name=name)
    return Request(consulting.examination_view(CASE), (ordered,), "w")


def _claimed() -> Request[Any]:
    steps = [{"number": number, "summary": "Blood points to something serious."} for number in (1, 3)]
    claim = Claimed.model_validate(
        {"minute": 0, "to": ["specialist"], "steps": steps, "said": ["I think so."]}
    )
    return Request(teaching.specialist_view(taught_case()), (claim,), "w")


def _asked() -> Request[Any]:
    view = patient_view(CASE, persona=persona("plain"), unknown="standard")
    return Request(view, (Said(minute=0, by="doctor", text="This stays confidential. Do you drink?"),), "w")


def _scenario(view: View, *feed: Any) -> Request[Any]:
    return Request(view, feed, "w")


_ACTED: Final = Acted(minute=0, to=("controller",), actions=("Check the glucose", "Call for help"), eos=False)

_REQUESTS: Final[dict[str, tuple[Callable[..., Any], tuple[str, ...], Callable[[], Request[Any]]]]] = {
    "doctor": (ModelDoctor, (), _doctor),
    "doctor with options": (ModelDoctor, (), lambda: _doctor(options=True, consultant=False)),
    "patient": (ModelPatient, (), _asked),
    "examination": (ModelExamination, (), _order),
    "consultant": (
        ModelConsultant,
        (),
        lambda: Request(consulting.consultant_view(CASE, options_shown=False), (), "w"),
    ),
    "examinee": (
        ModelExaminee,
        (),
        lambda: _scenario(playing.examinee_view(small(), max_turns=8)),
    ),
    "scenario patient": (
        ModelPatientSeat,
        (),
        lambda: _scenario(playing.patient_seat_view(small(), persona("plain"), "standard")),
    ),
    "packet patient": (
        ModelPatientSeat,
        (),
        lambda: _scenario(playing.patient_seat_view(packet(), persona("plain"), "standard")),
    ),
    "controller": (ModelController, (), lambda: _scenario(playing.controller_view(small()), _ACTED)),
    "packet controller": (ModelController, (), lambda: _scenario(playing.controller_view(packet()), _ACTED)),
    "tutor": (ModelTutor, (), lambda: _tutor(thinks=True)),
    "silent tutor": (ModelTutor, (), lambda: _tutor(thinks=False)),
    "student analyses": (ModelStudent, ("student_1",), lambda: _student("analyse")),
    "student asks": (ModelStudent, ("student_1",), lambda: _student("act")),
    "student is examined": (ModelStudent, ("student_1",), lambda: _student("exam")),
    "specialist": (ModelSpecialist, (), _claimed),
    "supervisor": (ModelSupervisor, (), lambda: Request(SupervisorView(students=("Ann",)), (), "w")),
    "expert": (ModelExpert, (), lambda: Request(ExpertView(), (), "w")),
}
SEATS: Final = tuple(_REQUESTS)
"""The seats, and what they may be asked for."""


def seated(name: str) -> Seated:
    """A model in the seat, asked for the first time."""
    kind, given, request = _REQUESTS[name]
    return Seated(kind(Told([]), "m", *given), request())
