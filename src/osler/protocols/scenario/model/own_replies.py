"""A seat's own earlier replies in a scenario, rendered in the schema they were requested in.

Empty fields are left out, since they would be sent again with every later call.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from pydantic import BaseModel

from osler.core.contract import Own
from osler.core.events import Event, View
from osler.players.model.seat import Moves, as_json
from osler.protocols.scenario.model.acts import latest_acts, numbered
from osler.protocols.scenario.model.schemas import (
    ACTOR_WORDS,
    PACKET_RULING,
    PATIENT_WORDS,
    RULING,
)
from osler.protocols.scenario.seats import (
    ControllerReply,
    ControllerView,
    PatientSeatReply,
    PatientSeatView,
    Spoken,
)
from osler.text.hostile import neutral

_EMPTY: Final[tuple[object, ...]] = ("", [], (), {})


def own_in_scenario(reply: BaseModel, moves: Moves, view: View, before: Sequence[Event | Own]) -> str:
    """Render a reply as JSON text. `before` is the feed up to it."""
    if isinstance(reply, PatientSeatReply) and isinstance(view, PatientSeatView):
        said: dict[str, Any] = {"speak": _spoken(reply.speak), "revealed_facts": reply.revealed_facts}
        said["actors_present"] = _present(reply.actors_present)
        return _text(said, PATIENT_WORDS if view.packet is None else ACTOR_WORDS)
    if isinstance(reply, ControllerReply) and isinstance(view, ControllerView):
        filled = reply.model_dump(mode="json")
        filled["assessments"] = list(numbered(reply.action_assessments, latest_acts(before)))
        filled["actors_present"] = _present(reply.actors_present)
        return _text(filled, RULING if view.packet is None else PACKET_RULING)
    return as_json(reply, moves, view, before)


def _text(filled: Mapping[str, Any], output: Any) -> str:
    asked = {name: filled[name] for name in output.json_schema["properties"] if _holds(filled[name])}
    return neutral(json.dumps(asked, ensure_ascii=False, separators=(",", ":")))


def _holds(value: object) -> bool:
    """Whether a value is non-empty; 0 counts as a value."""
    return value is not False and value not in _EMPTY


def _spoken(spoken: Iterable[Spoken]) -> list[dict[str, str]]:
    return [{"who": each.who, "words": each.words} for each in spoken]


def _present(actors: Mapping[str, str]) -> list[dict[str, str]]:
    return [{"who": who, "evidence": evidence} for who, evidence in actors.items()]
