"""Language models as tutor, student, patient and reviewers of a teaching ward round."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Final

from pydantic import BaseModel, TypeAdapter

from osler.core.composite import AnyPlayer
from osler.core.contract import Request
from osler.core.events import Seat
from osler.core.factory import PlayerRequest
from osler.core.role import Seating
from osler.models.extraction import without_thought
from osler.models.types import ModelClient, Output, Sampling
from osler.players.model.neutral_names import Names
from osler.players.model.player import ModelPlayer
from osler.players.model.seat import ModelSeat
from osler.protocols.shared.model.grounded import grounded
from osler.protocols.shared.model.patient import ModelPatient
from osler.protocols.ward_round.events import Claimed
from osler.protocols.ward_round.model import prompts as lines
from osler.protocols.ward_round.model.schemas import (
    ACT_FORMS,
    EXPLANATIONS,
    FACT_CHECK,
    SAFETY_CHECK,
    STEPS,
    STUDENT_FORMS,
    guidance_form,
    student_form,
)
from osler.protocols.ward_round.monologue import Thought, parse, parse_thought, render_thought
from osler.protocols.ward_round.players.patient import RoundPatient
from osler.protocols.ward_round.seats import (
    EXPERT,
    SPECIALIST,
    SUPERVISOR,
    TUTOR,
    Action,
    Analysis,
    ExamReply,
    ExpertView,
    Explanations,
    FactCheck,
    Guidance,
    SafetyCheck,
    SpecialistView,
    StudentView,
    SupervisorView,
    TutorView,
    exam_now,
    wanted,
)


class ModelTutor(ModelPlayer[TutorView, Guidance]):
    """A model in the tutor's seat. `moves` is "json", or "text" for models that were trained on the tags.

    Text cannot state the covered steps, so all rounds are then played.
    """

    seat: Seat = "tutor"
    reads: ModelSeat = lines.TUTOR
    forms: ClassVar[tuple[Output, ...]] = (
        guidance_form(thinks=False),
        guidance_form(thinks=True),
        guidance_form(thinks=True, images=True),
    )

    @classmethod
    def options(cls, asked: PlayerRequest, seating: Seating) -> Mapping[str, Any]:
        """The form of its moves."""
        return {"moves": seating.config.moves}

    def _offers(self, request: Request[TutorView]) -> tuple[Names, ...]:
        return lines.student_names(request.view.students), lines.step_names(request.view)

    def _read(self, request: Request[TutorView], value: Any, /) -> Guidance:
        view = request.view
        if self._moves == "text":
            text = str(value).strip() if view.private_thought else without_thought(str(value))
            if not view.private_thought:
                return Guidance(guidance=text)
            turn = parse(text, view.students, has_images=bool(view.images))
            return Guidance(internal_monologue=render_thought(turn.thought), guidance=turn.guidance)
        students, steps = self._offers(request)
        covered = [int(one) for one in steps.all_meant(value.get("covered_steps"))]
        told = {"guidance": value.get("guidance"), "covered_steps": covered}
        if not view.private_thought:
            return TUTOR.reply.validate_python(told)
        thought = render_thought(_thought(value, view, students))
        parse_thought(thought, view.students, has_images=bool(view.images))  # checks that no part is empty
        return TUTOR.reply.validate_python({**told, "internal_monologue": thought})


def _thought(value: dict[str, Any], view: TutorView, names: Names) -> Thought:
    """Parse the private thought from a filled form. Raises ValueError, naming students left out."""
    given = value.get("students")
    entries = [one for one in given if isinstance(one, dict)] if isinstance(given, list) else []
    by_name = {names.meant(str(one.get("name", "")).strip()): _words(one.get("thought")) for one in entries}
    if missing := [name for name in view.students if not by_name.get(name)]:
        raise ValueError(f"students: there is no thought for {', '.join(missing)}")
    return Thought(
        history=_words(value.get("history")),
        question=_words(value.get("question")),
        students=tuple((name, by_name[name]) for name in view.students),
        group=_words(value.get("group")),
        image=_words(value.get("image")) if view.images else None,
    )


def _words(value: object) -> str:
    """Text made safe inside a tag: angle brackets replaced."""
    return value.replace("<", "‹").replace(">", "›").strip() if isinstance(value, str) else ""


Reply = Analysis | Action | ExamReply


class ModelStudent(ModelPlayer[StudentView, Reply]):
    """A model in one student's seat."""

    reads: ModelSeat = lines.STUDENT
    forms: ClassVar[tuple[Output, ...]] = (
        *STUDENT_FORMS.values(),
        *ACT_FORMS,
    )

    @classmethod
    def options(cls, asked: PlayerRequest, seating: Seating) -> Mapping[str, Any]:
        """Return the option that identifies the student: its seat."""
        return {"seat": asked.seat}

    def __init__(
        self,
        client: ModelClient,
        endpoint: str,
        seat: Seat,
        *,
        eyes: bool = False,
        serving: bytes = b"",
        sampling: Sampling = Sampling(),  # noqa: B008 - frozen
    ) -> None:
        super().__init__(client, endpoint, eyes=eyes, serving=serving, sampling=sampling)
        self.seat: Seat = seat

    def _asked(self, request: Request[StudentView]) -> Output:
        return student_form(wanted(request), request.view)

    def _offers(self, request: Request[StudentView]) -> tuple[Names, ...]:
        items = (
            (lines.item_names(exam_now(request))._replace(every=True),) if wanted(request) == "exam" else ()
        )
        return items

    def _read(self, request: Request[StudentView], value: Any, /) -> Reply:
        match wanted(request):
            case "exam":
                return _answers(request, value)
            case "act":
                queries = {name: _query(value.get(name)) for name in Action.model_fields}
                return Action.model_validate(queries)
            case _:
                return Analysis.model_validate({"analysis_for_teacher": value.get("analysis_for_teacher")})


def _query(value: object) -> object:
    """Normalise a query; `None` if nothing is asked."""
    return None if isinstance(value, str) and value.strip().lower() in ("", "null", "none") else value


class _Answered(BaseModel):
    """One answer as a model writes it."""

    id: str
    answer: str


_ANSWERS: Final = TypeAdapter(list[_Answered])


def _answers(request: Request[StudentView], value: dict[str, object]) -> ExamReply:
    """Parse the answers to the exam; an option is mapped to its key, however written. Raises ValueError."""
    written = value.get("answers")
    if isinstance(written, dict):
        written = [{"id": name, "answer": words} for name, words in written.items()]
    given = _ANSWERS.validate_python(written)
    names = lines.item_names(exam_now(request))
    answers = {names.meant(one.id.strip()): one.answer.strip() for one in given}
    for item in exam_now(request).items:
        if item.options and item.id in answers:
            answers[item.id] = _key(answers[item.id], item.options)
    return ExamReply(answers=answers)


def _key(said: str, options: Mapping[str, str]) -> str:
    """The key of the option meant by "B", "(b)", "B. its text" or its text; otherwise the input unchanged."""
    plain = said.strip("(). :").casefold()
    for key, text in options.items():
        letter = key.casefold()
        if plain in (letter, text.casefold()) or plain.startswith((f"{letter}.", f"{letter})", f"{letter}:")):
            return key
    return said


class ModelRoundPatient(ModelPatient):
    """A model in the patient's seat of a ward round, with its answers checked."""

    def checked(self, seating: Seating) -> AnyPlayer:
        """The patient with the checks around it."""
        return RoundPatient(grounded(self, self.language))


class ModelSpecialist(ModelPlayer[SpecialistView, FactCheck]):
    """A model in the specialist's seat, which checks a draft's facts."""

    seat: Seat = "specialist"
    reads: ModelSeat = lines.SPECIALIST
    forms: ClassVar[tuple[Output, ...]] = (FACT_CHECK,)

    def _offers(self, request: Request[SpecialistView]) -> tuple[Names, ...]:
        claimed = next((item for item in reversed(request.feed) if isinstance(item, Claimed)), None)
        numbers = [step.number for step in claimed.steps] if claimed else []
        steps = Names.numbered(STEPS, max(numbers, default=0))
        return (steps._replace(open=frozenset(map(str, numbers))),)

    def _read(self, request: Request[SpecialistView], value: Any, /) -> FactCheck:
        (steps,) = self._offers(request)
        if action := value.pop("action", None):
            value = {**value, "is_correct": action == "APPROVE"}
        value.pop("note", None)
        covered = [int(one) for one in steps.all_meant(value.get("covered_steps"))]
        return SPECIALIST.reply.validate_python({**value, "covered_steps": covered})


class ModelSupervisor(ModelPlayer[SupervisorView, SafetyCheck]):
    """A model in the supervisor's seat, which reviews safety, ethics, fairness, tone and privacy."""

    seat: Seat = "supervisor"
    reads: ModelSeat = lines.SUPERVISOR
    forms: ClassVar[tuple[Output, ...]] = (SAFETY_CHECK,)

    def _read(self, request: Request[SupervisorView], value: Any, /) -> SafetyCheck:
        if action := value.pop("action", None):
            value = {**value, "is_safe": action == "APPROVE"}
        value.pop("note", None)
        return SUPERVISOR.reply.validate_python(value)


class ModelExpert(ModelPlayer[ExpertView, Explanations]):
    """A model in the expert's seat, which explains medicine in general."""

    seat: Seat = "expert"
    reads: ModelSeat = lines.EXPERT
    forms: ClassVar[tuple[Output, ...]] = (EXPLANATIONS,)

    def _read(self, request: Request[ExpertView], value: Any, /) -> Explanations:
        value.pop("action", None)
        return EXPERT.reply.validate_python(value)
