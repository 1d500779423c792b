"""The forms that models in a scenario fill, and the reading and writing of what they hold.

They ask only for what the engine cannot work out itself: acts, declared actions and people are given by
neutral names, and transitions between explicit states are not asked for. Lists of people replace maps, which
strict modes do not accept.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from pydantic import BaseModel, TypeAdapter

from osler.core.contract import OwnReply
from osler.core.events import Event
from osler.players.model.neutral_names import Names, name_of
from osler.players.model.schemas import (
    FLAG,
    NOTE,
    choice,
    form,
    list_of,
    listed,
    move,
    neutral_name,
    text,
)
from osler.protocols.scenario.events import Acted
from osler.protocols.scenario.seats import ActionStatus, Assessment, PersonView
from osler.protocols.shared.model.schemas import FACT_LIST

PEOPLE: Final = "P"
ACTS: Final = "A"
DECLARED: Final = "D"
"""The letters of the neutral names of people, of a turn's acts, and of declared actions."""
NO_ACTION: Final = "NONE"
_MOST_PEOPLE: Final = 12
_MOST_ACTS: Final = 12
_MOST_ASSESSED: Final = 24
_LINES: Final = listed(text(300, "a plain statement"), 6)
_PERSON: Final = neutral_name(PEOPLE, "name of who speaks", _MOST_PEOPLE)
_WORDS: Final = text(about="what they say aloud")
_SPOKEN: Final = list_of(4, who=_PERSON, words=_WORDS)
_SPOKEN_BY_NAME: Final = list_of(4, who=text(80, "who speaks"), words=_WORDS)
_PRESENT: Final = list_of(8, who=text(80, "who is there"), evidence=text(120, "why"))
_STATUS: Final = choice("executed", "pending", "unsupported")
_ASSESSED: Final = {
    "act": neutral_name(ACTS, "name of the act", _MOST_ACTS),
    "part": text(160, "empty, or the words of it that are meant"),
}
_TURN: Final = {
    "speak": text(1000, "your words, said aloud, or empty"),
    "actions": listed(text(160, "one act with what matters")),
}

EXAMINEE_MOVE: Final = form("examinee_move", move("GO_ON", **_TURN), move("END_STATE", **_TURN), note=NOTE)

PATIENT_WORDS: Final = form(
    "patient_words",
    move("SPEAK", facts=FACT_LIST, speak=_SPOKEN),
    move("SMALL_TALK", speak=_SPOKEN),
    move("SILENCE"),
)

ACTOR_WORDS: Final = form("patient_actor_words", move("PLAY", actors_present=_PRESENT, speak=_SPOKEN_BY_NAME))

RULING: Final = form(
    "controller_ruling",
    move(
        "RULE",
        assessments=list_of(
            _MOST_ASSESSED,
            **_ASSESSED,
            interpreted_action=neutral_name(DECLARED, "name of the action, or NONE", 40, NO_ACTION),
            status=_STATUS,
        ),
        feedback=_LINES,
        team=_SPOKEN,
    ),
)

PACKET_RULING: Final = form(
    "controller_packet_ruling",
    move(
        "RULE",
        assessments=list_of(
            _MOST_ASSESSED,
            **_ASSESSED,
            rationale=text(120, "why"),
            interpreted_action=text(160, "what it means, in a few words"),
            status=_STATUS,
        ),
        feedback=_LINES,
        events=_LINES,
        patient_status=text(400, "how the patient looks"),
        progress_index={"type": "integer", "minimum": 0, "maximum": 100},
        state_label=text(80, "label"),
        should_end=FLAG,
        completion_reason=text(160, "why, or empty"),
        actors_present=_PRESENT,
        team=_SPOKEN_BY_NAME,
    ),
)


def people_names(people: Sequence[PersonView]) -> Names:
    """The neutral names of the people."""
    return Names(PEOPLE, tuple(person.id for person in people))


def act_names(acts: Sequence[str]) -> Names:
    """The neutral names of a turn's acts; their ids are their numbers."""
    return Names.numbered(ACTS, len(acts))


class _Present(BaseModel):
    who: str
    evidence: str = ""


_PRESENT_LIST: TypeAdapter[list[_Present]] = TypeAdapter(list[_Present])


def by_who(value: object) -> dict[str, str]:
    """Parse a list of people present into a map from person to evidence, unless it is one already. Raises
    ValueError."""
    if isinstance(value, dict):
        value = [{"who": who, "evidence": evidence} for who, evidence in value.items()]
    return {each.who: each.evidence for each in _PRESENT_LIST.validate_python(value or [])}


class Numbered(BaseModel):
    """An assessment as a model writes it: the act's name, and which words of it ("" for all)."""

    act: int | str
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
    for each in given:
        each.act = int(act_names(acts).meant(each.act))
    counts = [sum(each.act == number for each in given) for number in range(1, len(acts) + 1)]
    if 0 in counts:
        raise ValueError(f"assessments: act {name_of(ACTS, counts.index(0) + 1)} has none")
    ordered = sorted(
        given, key=lambda each: int(each.act)
    )  # a stable sort keeps the parts of an act in order
    return tuple(
        _assessment(each, acts[int(each.act) - 1], alone=counts[int(each.act) - 1] == 1) for each in ordered
    )


def _assessment(each: Numbered, act: str, *, alone: bool) -> Assessment:
    # An act without an interpretation is unsupported, and an unsupported act has no interpretation.
    name = "" if each.status == "unsupported" else each.interpreted_action.strip()
    status = each.status if name else "unsupported"
    part = each.part.strip()
    at = act.lower().find(part.lower()) if part else -1
    if at < 0 and not alone:
        raise ValueError(f"assessments: part {part[:60]!r} does not stand in act {each.act} in its words")
    raw = act if at < 0 or alone else act[at : at + len(part)]
    return Assessment(raw=raw, interpreted_action=name, status=status, rationale=each.rationale[:2000])


def numbered(assessments: Sequence[Assessment], acts: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Render assessments as a model writes them, without empty fields: the inverse of `assessments_of`."""
    at, place = 0, 0
    for each in assessments:
        result = -1
        for number in range(at, len(acts)):
            result = acts[number].find(each.raw, place if number == at else 0)
            if result >= 0:
                at, place = number, result + len(each.raw)
                break
        whole = result < 0 or each.raw == acts[at]
        written = Numbered(
            act=name_of(ACTS, at + 1),
            part="" if whole else each.raw,
            rationale=each.rationale,
            interpreted_action=each.interpreted_action,
            status=each.status,
        )
        yield written.model_dump(exclude_defaults=True)
