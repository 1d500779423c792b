"""The JSON schemas that models in a scenario fill: flat, every field required, nothing else allowed.

They ask only for what the engine cannot work out itself: acts are given by number, and transitions between
explicit states are not asked for. Lists of people replace maps, which strict modes do not accept.
"""

from __future__ import annotations

from typing import Any, Final

from pydantic import BaseModel, TypeAdapter

from osler.players.model.schemas import TEXT, TEXTS, object_of, output

_FLAG: Final = {"type": "boolean"}

_NUMBER: Final = {"type": "integer"}


def _list(**properties: Any) -> dict[str, Any]:  # JSON of any shape
    return {"type": "array", "items": object_of(**properties)}


_SPOKEN: Final = _list(who=TEXT, words=TEXT)

_PRESENT: Final = _list(who=TEXT, evidence=TEXT)

_STATUS: Final = {"type": "string", "enum": ["executed", "pending", "unsupported"]}

EXAMINEE_MOVE: Final = output("examinee_move", speak=TEXT, actions=TEXTS, eos=_FLAG)

PATIENT_WORDS: Final = output("patient_words", speak=_SPOKEN, revealed_facts=TEXTS)

ACTOR_WORDS: Final = output("patient_actor_words", speak=_SPOKEN, actors_present=_PRESENT)

RULING: Final = output(
    "controller_ruling",
    assessments=_list(act=_NUMBER, part=TEXT, interpreted_action=TEXT, status=_STATUS),
    feedback=TEXTS,
    team=_SPOKEN,
)

PACKET_RULING: Final = output(
    "controller_packet_ruling",
    assessments=_list(act=_NUMBER, part=TEXT, rationale=TEXT, interpreted_action=TEXT, status=_STATUS),
    feedback=TEXTS,
    events=TEXTS,
    patient_status=TEXT,
    progress_index=_NUMBER,
    state_label=TEXT,
    should_end=_FLAG,
    completion_reason=TEXT,
    actors_present=_PRESENT,
    team=_SPOKEN,
)


class _Present(BaseModel):
    who: str
    evidence: str = ""


_PRESENT_LIST: TypeAdapter[list[_Present]] = TypeAdapter(list[_Present])


def by_who(value: object) -> dict[str, str]:
    """Parse a list of people present into a map from person to evidence. Raises ValueError."""
    return {each.who: each.evidence for each in _PRESENT_LIST.validate_python(value or [])}
