"""The built-in controller, without a model: recognizes acts by the script's term rules, and adds nothing.

The effects of an act, and the course of the scenario, are worked out by the engine.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from osler.core.contract import OwnReply, Request
from osler.core.events import Event
from osler.protocols.scenario.events import Acted, StateEntered
from osler.protocols.scenario.seats import Assessment, ControllerReply, ControllerView
from osler.text.act_recognition import Act, Recognized, Recognizer

_WHY: Final = {
    "refused": "it is refused, not ordered",
    "later": "it is kept for another time",
}


class BaselineController:
    """The built-in controller of a scenario with explicit states. Stateless."""

    name: Final = "baseline"
    durable: Final = False

    async def reply(self, request: Request[ControllerView]) -> ControllerReply:
        """Interpret each act of the latest turn."""
        view, knows = request.view, _recognizer(request.view.text)
        latest = next(item for item in reversed(request.feed) if type(item) is Acted)
        likely = _likely(view, request.feed)
        found = [each for act in latest.actions for each in knows.read(act, likely)]
        return ControllerReply(action_assessments=tuple(map(_assessment, found)))


def _assessment(found: Recognized) -> Assessment:
    if not found.act or found.how == "refused":
        return Assessment(raw=found.part, status="unsupported", rationale=_WHY.get(found.how, ""))
    status = "pending" if found.how == "later" else "executed"
    return Assessment(
        raw=found.part, interpreted_action=found.act, status=status, rationale=_WHY.get(found.how, "")
    )


@lru_cache(maxsize=256)
def _recognizer(view: str) -> Recognizer:
    """The recognizer of a view's actions, cached by the view's JSON text, which hashes faster than the
    view."""
    actions = ControllerView.model_validate_json(view).actions
    return Recognizer(Act(action.id, action.terms) for action in actions)


def _likely(view: ControllerView, feed: tuple[Event | OwnReply, ...]) -> frozenset[str]:
    """The ids of the actions that are possible in the present state."""
    state = next((item.state for item in reversed(feed) if type(item) is StateEntered), "")
    return frozenset(action.id for action in view.actions if not action.states or state in action.states)
