"""The examinee as a trained seat: what it says and does in a turn, as a JSON object."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, ClassVar, Final

from pydantic import BaseModel, JsonValue, ValidationError

from osler.core.contract import OwnReply
from osler.core.events import Seat, View
from osler.core.lazy import Lazy
from osler.errors import in_words
from osler.models.structured import read_answer
from osler.players.model.seat import ModelSeat, Moves
from osler.protocols.scenario.judge.keyed import rubric_of
from osler.protocols.scenario.model.players import move_of
from osler.protocols.scenario.model.prompts import EXAMINEE
from osler.protocols.scenario.model.schemas import EXAMINEE_MOVE
from osler.protocols.scenario.seats import ExamineeMove
from osler.training.plain_seat import PlainSeat
from osler.training.state import State
from osler.training.task import Breach, Filter, Replayed, Turn

_HERE: Final = "osler.protocols.scenario.training.reward"
_REWARDS: Final[Mapping[str, Lazy[object]]] = MappingProxyType(
    {"net": Lazy(f"{_HERE}:Net"), "outcome": Lazy(f"{_HERE}:outcome")}
)


class TrainedExaminee(PlainSeat):
    """The examinee's seat."""

    protocol: ClassVar[str] = "scenario"
    seat: ClassVar[Seat] = "examinee"
    moves: ClassVar[Moves] = "json"

    @property
    def prompt(self) -> str:
        """The hash of the examinee's prompt."""
        return EXAMINEE.prompt(self.moves).hash

    @property
    def rewards(self) -> Mapping[str, Any]:
        """The rewards of an examinee's move, and of a whole scenario."""
        return _REWARDS

    @property
    def filters(self) -> Mapping[str, Filter]:
        """The hard filters of a turn."""
        return {"empty": _empty, **super().filters}

    def reads(self, played: Replayed, view: View) -> ModelSeat:
        """The rendering of a request."""
        return EXAMINEE

    def context(self, turn: Turn) -> dict[str, JsonValue]:
        """The station, and what is asked of the examinee."""
        view, case = turn.put.request.view, turn.played.case
        return {
            "question": view.instructions,
            "setting": view.setting,
            "case": "\n".join(self.case_texts(case)),
            "people": [person.name for person in view.people],
            "most_turns": view.max_turns,
            "rubric": rubric_of(case).model_dump(mode="json"),
            "own": [entry for item in turn.put.request.feed for entry in _own(item)],
            "has_images": False,
        }

    def about(self, played: Replayed) -> dict[str, JsonValue]:
        """The scenario's specialty and urgency, and the patient's manner."""
        case = played.case
        return {
            "specialty": case.specialty or "",
            "task": case.urgency or "",
            "persona": played.episode.persona.name,  # type: ignore[attr-defined]  # a scenario's
        }

    def spoken(self, turn: Turn) -> str:
        """The words that were said aloud."""
        assert isinstance(turn.reply, ExamineeMove)
        return turn.reply.speak

    def case_texts(self, case: Any) -> Sequence[str]:
        """The instructions, and the script in its own lines."""
        return list(_texts(case))

    def read(self, state: State, text: str) -> BaseModel | Breach:
        """Parse a move, as a model's answer is read."""
        try:
            move, fault = read_answer(text, None, EXAMINEE_MOVE, move_of)
        except ValidationError as error:
            return Breach(0, "a move", in_words(error))
        if fault is not None:
            return Breach(0, "a move", fault.detail)
        assert isinstance(move, ExamineeMove)
        return move


def _own(item: object) -> Iterator[list[JsonValue]]:
    """Yield what the examinee itself said and did at an item of its feed."""
    if isinstance(item, OwnReply) and isinstance(item.reply, ExamineeMove):
        yield ["examinee", item.reply.speak]
        for action in item.reply.actions:
            yield ["action", action]


def _texts(case: Any) -> Iterator[str]:
    yield case.instructions
    yield from (case.setting, case.opening)
    if case.packet is not None:
        yield from (case.packet.examinee, case.packet.environment_controller)
    yield from (fact.text for fact in case.knows)
    yield from (f"{action.what}: {action.result}" for action in case.actions if action.result)
    for state in case.states:
        yield state.status
        yield from state.events


def _empty(turn: Turn) -> str:
    """Nothing said, done or ended."""
    reply = turn.reply
    assert isinstance(reply, ExamineeMove)
    return "" if reply.speak.strip() or reply.actions or reply.eos else "nothing is said or done"


EXAMINEE_SEAT: Final = TrainedExaminee()
