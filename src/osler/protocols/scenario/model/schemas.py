"""The JSON schemas that models in a scenario fill, and the reading and writing of what they hold.

Schemas are flat, every field required, nothing else allowed. They ask only for what the engine cannot work
out itself: acts are given by number, and transitions between explicit states are not asked for. Lists of
people replace maps, which strict modes do not accept.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from pydantic import BaseModel, TypeAdapter

from osler.core.contract import OwnReply
from osler.core.events import Event
from osler.players.model.schemas import FLAG, INTEGER, TEXT, list_of, listed, output
from osler.protocols.scenario.events import Acted
from osler.protocols.scenario.seats import ActionStatus, Assessment

_MOST_ACTS: Final = 40
_MOST_ASSESSED: Final = 80
_SPOKEN: Final = list_of(12, who=TEXT, words=TEXT)

_PRESENT: Final = list_of(who=TEXT, evidence=TEXT)

_STATUS: Final = {"type": "string", "enum": ["executed", "pending", "unsupported"]}

EXAMINEE_MOVE: Final = output("examinee_move", speak=TEXT, actions=listed(TEXT, _MOST_ACTS), eos=FLAG)

PATIENT_WORDS: Final = output("patient_words", speak=_SPOKEN, revealed_facts=listed(TEXT, 60))

ACTOR_WORDS: Final = output("patient_actor_words", speak=_SPOKEN, actors_present=_PRESENT)

RULING: Final = output(
    "controller_ruling",
    assessments=list_of(_MOST_ASSESSED, act=INTEGER, part=TEXT, interpreted_action=TEXT, status=_STATUS),
    feedback=listed(TEXT, _MOST_ACTS),
    team=_SPOKEN,
)

PACKET_RULING: Final = output(
    "controller_packet_ruling",
    assessments=list_of(
        _MOST_ACTS, act=INTEGER, part=TEXT, rationale=TEXT, interpreted_action=TEXT, status=_STATUS
    ),
    feedback=listed(TEXT, _MOST_ACTS),
    events=listed(TEXT, _MOST_ACTS),
    patient_status=TEXT,
    progress_index=INTEGER,
    state_label=TEXT,
    should_end=FLAG,
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


class Numbered(BaseModel):
    """An assessment as a model writes it: the act's number from 1, and which words of it ("" for all)."""

    act: int
    part: str = ""
    rationale: str = ""
    interpreted_action: str = ""
    status: ActionStatus


_NUMBERED: TypeAdapter[list[Numbered]] = TypeAdapter(list[Numbered])


def latest_acts(feed: Iterable[Event | OwnReply]) -> tuple[str, ...]:
    """The acts of the current turn, which is the last in the feed."""
    return next((item.actions for item in reversed(tuple(feed)) if isinstance(item, Acted)), ())


def assessments_of(value: object, acts: Sequence[str]) -> tuple[Assessment, ...]:
    """Parse the assessments from a filled schema, in the order of the acts. Raises ValueError that says what
    to fix."""
    given = _NUMBERED.validate_python(value)
    counts = [sum(each.act == number for each in given) for number in range(1, len(acts) + 1)]
    if strange := [each.act for each in given if not 1 <= each.act <= len(acts)]:
        raise ValueError(f"assessments: there is no act {strange[0]}; this turn has {len(acts)}")
    if 0 in counts:
        raise ValueError(f"assessments: act {counts.index(0) + 1} has none")
    ordered = sorted(given, key=lambda each: each.act)  # a stable sort keeps the parts of an act in order
    return tuple(_assessment(each, acts[each.act - 1], alone=counts[each.act - 1] == 1) for each in ordered)


def _assessment(each: Numbered, act: str, *, alone: bool) -> Assessment:
    # An act without an interpretation is unsupported, and an unsupported act has no interpretation.
    name = "" if each.status == "unsupported" else each.interpreted_action.strip()
    status = each.status if name else "unsupported"
    part = each.part.strip()
    at = act.lower().find(part.lower()) if part else -1
    if at < 0 and not alone:
        raise ValueError(f"assessments: part {part[:60]!r} does not stand in act {each.act} in these words")
    raw = act if at < 0 or alone else act[at : at + len(part)]
    return Assessment(raw=raw, interpreted_action=name, status=status, rationale=each.rationale[:2000])


def numbered(assessments: Sequence[Assessment], acts: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Render assessments as a model writes them, without empty fields: the inverse of `assessments_of`."""
    at, place = 0, 0
    for each in assessments:
        found = -1
        for number in range(at, len(acts)):
            found = acts[number].find(each.raw, place if number == at else 0)
            if found >= 0:
                at, place = number, found + len(each.raw)
                break
        whole = found < 0 or each.raw == acts[at]
        written = Numbered(
            act=at + 1,
            part="" if whole else each.raw,
            rationale=each.rationale,
            interpreted_action=each.interpreted_action,
            status=each.status,
        )
        yield written.model_dump(exclude_defaults=True)
