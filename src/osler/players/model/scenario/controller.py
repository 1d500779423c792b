"""A language model as the controller: it assesses acts, and for a packet also narrates the course."""

from __future__ import annotations

from typing import Any, ClassVar

from osler.models.types import Output
from osler.players.model.player import ModelPlayer
from osler.players.model.scenario import lines
from osler.players.model.scenario.acts import assessments_of, latest_acts
from osler.players.model.scenario.lists import by_who
from osler.players.model.scenario.schemas import PACKET_RULING, RULING
from osler.players.model.seat import ModelSeat
from osler.seats.contract import Request
from osler.seats.events import Seat
from osler.seats.scenario import CONTROLLER, ControllerReply, ControllerView

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
