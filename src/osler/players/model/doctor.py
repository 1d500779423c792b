"""A language model as the doctor: in JSON, or in text moves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Final

from osler.models.types import Output
from osler.players.model import consultation as lines
from osler.players.model.player import ModelPlayer
from osler.players.model.schemas import DOCTOR_MOVE
from osler.players.model.seat import ModelSeat
from osler.players.model.text import read_move
from osler.seats.contract import Request
from osler.seats.doctor import DOCTOR, Ask, CallMdt, DoctorView, Finalize, RequestTest, Wait
from osler.seats.events import Seat

Move = Ask | RequestTest | CallMdt | Wait | Finalize
_NOTES: Final = ("rationale", "working_diagnoses")
_FIELDS: Final[Mapping[str, tuple[str, ...]]] = {
    "ASK": ("question",),
    "REQUEST_TEST": ("test_name",),
    "CALL_MDT": ("question",),
    "WAIT": (),
    "FINALIZE": ("diagnosis", "answer", "confidence", "evidence", "plan", "followup"),
}
_MOST_NAME: Final = 300


class ModelDoctor(ModelPlayer[DoctorView, Move]):
    """A model in the doctor's seat. `moves` is "json", or "text" for models that cannot write JSON."""

    seat: Seat = "doctor"
    reads: ModelSeat = lines.DOCTOR_SEAT
    output: ClassVar[Output] = DOCTOR_MOVE

    def _output(self) -> Output | None:
        return self.output if self._moves == "json" else None

    def _read(self, request: Request[DoctorView], value: Any, /) -> Move:
        if self._moves == "text":
            return read_move(value, request.view)
        return move_of(value)


def move_of(value: Mapping[str, Any]) -> Move:
    """Parse the move from a filled schema, dropping fields its action does not use. Raises ValueError."""
    action = str(value.get("action", "")).strip().upper().replace(" ", "_")
    if action not in _FIELDS:
        raise ValueError(f"action must be one of {', '.join(_FIELDS)}")
    kept: dict[str, Any] = {"action": action}
    for name in (*_NOTES, *_FIELDS[action]):
        if value.get(name) not in (None, ""):
            kept[name] = value[name]
    for name in ("rationale", "evidence", "plan"):
        if name in kept:
            kept[name] = _texts(kept[name])
    if isinstance(kept.get("working_diagnoses"), list):
        kept["working_diagnoses"] = [_working(item) for item in kept["working_diagnoses"] if item]
    return DOCTOR.reply.validate_python(kept)


def _texts(value: object) -> object:
    """Normalise a list of texts: drop empty ones, and accept a single text as a list of one."""
    if isinstance(value, str):
        return (value,)
    return [item for item in value if item != ""] if isinstance(value, list) else value


def _working(value: object) -> object:
    """Normalise a working diagnosis, which may be given as a bare name."""
    if isinstance(value, str):
        return {"name": value[:_MOST_NAME]}
    if isinstance(value, dict):
        return {"name": str(value.get("name", ""))[:_MOST_NAME], "confidence": value.get("confidence")}
    return value
