"""The built-in controller, without a model: recognizes acts by the script's term rules, and adds nothing.

The effects of an act, and the course of the scenario, are worked out by the engine.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from osler.core.contract import OwnReply, Request
from osler.protocols.scenario.events import Acted, StateEntered
from osler.protocols.scenario.of_its_dose import of_its_dose, recognizer_of
from osler.protocols.scenario.seats import Assessment, ControllerReply, ControllerView
from osler.text.act_recognition import Recognized, Recognizer

TYPICAL_STATUS: Final = "The patient sits on the couch and looks at whoever comes in."
_WHY: Final = {
    "refused": "it is refused, not ordered",
    "later": "it is kept for another time",
    "another dose": "its dose or route is not the one that can be given here, or not named",
}


class BaselineController:
    """The built-in controller of a scenario with explicit states. Stateless."""

    name: Final = "baseline"
    durable: Final = False

    async def reply(self, request: Request[ControllerView]) -> ControllerReply:
        """Interpret each act of the latest turn."""
        if request.view.packet is not None:
            return _of_prose(request)
        latest = next(item for item in reversed(request.feed) if type(item) is Acted)
        entered = (item.state for item in reversed(request.feed) if type(item) is StateEntered)
        heard = tuple(
            Assessment(raw=words, interpreted_action=action, status="executed", rationale="said aloud")
            for words, action in zip(latest.actions, latest.spoken, strict=False)
        )
        typed = assessments_of(request.view, latest.actions[len(heard) :], next(entered, ""))
        return ControllerReply(action_assessments=(*heard, *typed))


def _of_prose(request: Request[ControllerView]) -> ControllerReply:
    """A reply of typical length for a packet: nothing in prose is recognized. For the cost estimate of a dry
    run, never for playing."""
    before = [item.reply for item in request.feed if isinstance(item, OwnReply)]
    latest = next((item for item in reversed(request.feed) if type(item) is Acted), Acted(minute=0))
    at = sum(type(item) is Acted and item.eos for item in request.feed)
    return ControllerReply(
        action_assessments=tuple(Assessment(raw=act, status="unsupported") for act in latest.actions),
        patient_status="" if before else TYPICAL_STATUS,
        progress_index=at,
        state_label=f"stage {at}" if at else "",
    )


def assessments_of(view: ControllerView, acts: Iterable[str], state: str) -> tuple[Assessment, ...]:
    """The assessments of acts in words, in order; of equal readings, one possible in `state`."""
    knows = _recognizer(view.text)
    likely = frozenset(each.id for each in view.actions if not each.states or state in each.states)
    read = (_dosed(each, view, likely) for act in acts for each in knows.read(act, likely))
    return tuple(map(_assessment, read))


def _dosed(found: Recognized, view: ControllerView, likely: frozenset[str]) -> Recognized:
    """The reading with the act whose dose is ordered; refused where an exact one's is not."""
    action = next((each for each in view.actions if each.id == found.act), None)
    if action is None or found.how != "done":
        return found
    action_view = of_its_dose(action, found.part, (each for each in view.actions if each.id in likely))
    return found._replace(act=action_view.id) if action_view else found._replace(act="", how="another dose")


def _assessment(found: Recognized) -> Assessment:
    if not found.act or found.how in ("refused", "another dose"):
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
    return recognizer_of(actions)
