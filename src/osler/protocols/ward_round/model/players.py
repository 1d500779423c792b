"""Language models as tutor, student, patient and reviewers of a teaching ward round."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, ClassVar, Final

from pydantic import BaseModel, TypeAdapter

from osler.core.contract import Request
from osler.core.events import Seat
from osler.models.extraction import without_thought
from osler.models.types import ModelClient, Output, Sampling
from osler.players.model.player import ModelPlayer
from osler.players.model.seat import ModelSeat
from osler.protocols.ward_round.model import prompts as lines
from osler.protocols.ward_round.model.schemas import (
    ACTION,
    ANALYSIS,
    EXAM,
    EXPLANATIONS,
    FACT_CHECK,
    PLAIN_GUIDANCE,
    SAFETY_CHECK,
    TUTOR_GUIDANCE,
)
from osler.protocols.ward_round.monologue import Thought, parse, parse_thought, render_thought
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
    output: ClassVar[Output] = TUTOR_GUIDANCE

    def _output(self) -> Output | None:
        return self.output if self._moves == "json" else None

    def _asked(self, request: Request[TutorView]) -> Output | None:
        if self._moves == "text":
            return None
        return TUTOR_GUIDANCE if request.view.private_thought else PLAIN_GUIDANCE

    def _read(self, request: Request[TutorView], value: Any, /) -> Guidance:
        view = request.view
        if self._moves == "text":
            said = str(value).strip() if view.private_thought else without_thought(str(value))
            if not view.private_thought:
                return Guidance(guidance=said)
            turn = parse(said, view.students, has_images=bool(view.images))
            return Guidance(internal_monologue=render_thought(turn.thought), guidance=turn.guidance)
        told = {name: value.get(name) for name in ("guidance", "covered_steps")}
        if not view.private_thought:
            return TUTOR.reply.validate_python(told)
        thought = render_thought(_thought(value, view))
        parse_thought(thought, view.students, has_images=bool(view.images))  # checks that no part is empty
        return TUTOR.reply.validate_python({**told, "internal_monologue": thought})


def _thought(value: dict[str, Any], view: TutorView) -> Thought:
    """Parse the private thought from a filled schema. Raises ValueError, naming students left out."""
    entries = [one for one in value.get("students") or () if isinstance(one, dict)]
    by_name = {str(one.get("name", "")).strip(): _words(one.get("thought")) for one in entries}
    if missing := [name for name in view.students if not by_name.get(name)]:
        raise ValueError(f"students: there is no thought for {', '.join(missing)}")
    if strange := [name for name in by_name if name not in view.students]:
        raise ValueError(f"students: nobody here is called {strange[0][:40]!r}")
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

_OUTPUTS: Final = MappingProxyType({"analyse": ANALYSIS, "act": ACTION, "exam": EXAM})


class ModelStudent(ModelPlayer[StudentView, Reply]):
    """A model in one student's seat."""

    reads: ModelSeat = lines.STUDENT
    output: ClassVar[Output] = ANALYSIS

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

    def _shape(self) -> str:
        return " ".join(output.digest for output in _OUTPUTS.values())

    def _asked(self, request: Request[StudentView]) -> Output:
        return _OUTPUTS[wanted(request)]

    def _read(self, request: Request[StudentView], value: Any, /) -> Reply:
        match wanted(request):
            case "exam":
                return _answers(request, value)
            case "act":
                queries = {name: _query(value.get(name)) for name in Action.model_fields}
                return Action.model_validate(queries)
            case _:
                return Analysis.model_validate(value)


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
    given = _ANSWERS.validate_python(value.get("answers"))
    answers = {one.id.strip(): one.answer.strip() for one in given}
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
