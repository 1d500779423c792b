"""The doctor as a trained seat: it plays in text moves, one question, order or conclusion a turn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, ClassVar, Final

from pydantic import BaseModel, JsonValue, ValidationError

from osler.cases.answers import answer_of, answers_of
from osler.core.events import Said, Seat, View
from osler.core.lazy import Lazy
from osler.core.order_events import Resulted
from osler.errors import in_words
from osler.players.model.seat import ModelSeat, Moves
from osler.protocols.consultation.model.prompts import COACHED_DOCTOR_SEAT, DOCTOR_SEAT, TOLD_DOCTOR_SEAT
from osler.protocols.consultation.model.text_moves import read_move
from osler.protocols.consultation.seats import Ask, DoctorView, RequestTest, TaskView, ToldView
from osler.training.plain_seat import PlainSeat
from osler.training.state import State
from osler.training.task import Breach, Replayed, Turn

_HERE: Final = "osler.protocols.consultation.training.reward"
_REWARDS: Final[Mapping[str, Lazy[object]]] = MappingProxyType(
    {"correct": Lazy(f"{_HERE}:Correct"), "outcome": Lazy(f"{_HERE}:outcome")}
)


class TrainedDoctor(PlainSeat):
    """The doctor's seat."""

    protocol: ClassVar[str] = "consultation"
    seat: ClassVar[Seat] = "doctor"
    moves: ClassVar[Moves] = "text"

    @property
    def rewards(self) -> Mapping[str, Any]:
        """The rewards of a doctor's move, and of a whole consultation."""
        return _REWARDS

    @property
    def prompt(self) -> str:
        """The hash of the doctor's prompt."""
        return DOCTOR_SEAT.prompt(self.moves).hash

    def reads(self, played: Replayed, view: View) -> ModelSeat:
        """The rendering of a request, as a model doctor of this run has it."""
        if isinstance(view, ToldView):
            return TOLD_DOCTOR_SEAT
        return COACHED_DOCTOR_SEAT if getattr(played.config, "coaching", False) else DOCTOR_SEAT

    def context(self, turn: Turn) -> dict[str, JsonValue]:
        """The case with its answer, and what the doctor has asked for and been told."""
        request, case = turn.put.request, turn.played.case
        heard = [item.text for item in request.feed if isinstance(item, Said) and item.by == "patient"]
        results = [item.name for item in request.feed if isinstance(item, Resulted)]
        return {
            "question": case.task.question,
            "task": request.view.task.model_dump(mode="json"),
            "options": dict(case.task.options) if case.task.options else None,
            "answer": answer_of(case),
            "answers": list(answers_of(case)),
            "case": "\n".join(self.case_texts(case)),
            "heard": list(heard),
            "results": list(results),
            "has_images": bool(getattr(request.view, "images", ())),
        }

    def about(self, played: Replayed) -> dict[str, JsonValue]:
        """The case's specialty and task, and the patient's manner."""
        case = played.case
        return {
            "specialty": case.specialty or "",
            "task": case.task.kind,
            "persona": played.episode.persona.name,  # type: ignore[attr-defined]  # a consultation's
        }

    def spoken(self, turn: Turn) -> str:
        """The question to the patient, or the name of the order."""
        reply = turn.reply
        if isinstance(reply, Ask):
            return reply.question
        return reply.test_name if isinstance(reply, RequestTest) else ""

    def words(self, text: str) -> str:
        """A question to the patient, as it is said."""
        return text

    def case_texts(self, case: Any) -> Sequence[str]:
        """The question, and the case in its own lines."""
        return [
            case.task.question,
            case.opening.door_note,
            case.opening.words,
            *(fact.text for fact in case.facts),
            *(f"{finding.name}: {finding.result}" for finding in case.findings),
        ]

    def read(self, state: State, text: str) -> BaseModel | Breach:
        """Parse a move, by the one reader of text moves."""
        try:
            return read_move(text, _view(TaskView.model_validate(state.context["task"])))
        except ValidationError as error:
            return Breach(0, "a move", in_words(error))
        except ValueError as error:
            return Breach(0, "a move", str(error))


def _view(task: TaskView) -> DoctorView:
    """A view with a task alone: the reader needs no more of it."""
    return DoctorView(
        door_note="",
        patient_opening="",
        age_years=None,
        sex=None,
        task=task,
        max_total_turns=1,
        max_tests_per_visit=None,
        max_visits=1,
        has_consultant=True,
    )


DOCTOR: Final = TrainedDoctor()
