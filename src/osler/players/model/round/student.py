"""A language model as a student: it analyses, asks and sits exams, each with a separate output schema."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, ClassVar, Final

from pydantic import BaseModel, TypeAdapter

from osler.models.types import ModelClient, Output, Sampling
from osler.players.model.player import ModelPlayer
from osler.players.model.round import lines
from osler.players.model.round.schemas import ACTION, ANALYSIS, EXAM
from osler.players.model.seat import ModelSeat
from osler.seats.contract import Request
from osler.seats.events import Seat
from osler.seats.ward_round import Action, Analysis, ExamReply, StudentView, exam_now, wanted

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
