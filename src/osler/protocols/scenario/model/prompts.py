"""Prompt text of a scenario: each seat's first message, a line for each event, and its own earlier replies.

A seat's replies are shown in the form they were requested in.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import zip_longest
from typing import Final

from pydantic import BaseModel

from osler.core.contract import OwnReply
from osler.core.events import Event, TurnBegan, View
from osler.knowledge.vocabulary import PATIENT_ID, VOICED_BY_PATIENT
from osler.players.model.event_text import SHARED_LINES, turn_line
from osler.players.model.neutral_names import Names, name_of
from osler.players.model.schemas import closed
from osler.players.model.seat import Lines, ModelSeat, Moves
from osler.protocols.scenario.events import (
    Acted,
    Assessed,
    Cue,
    Happened,
    Moment,
    Observed,
    Present,
    Spoke,
    StateEntered,
)
from osler.protocols.scenario.model.schemas import (
    ACTOR_WORDS,
    ACTS,
    DECLARED,
    EXAMINEE_MOVE,
    NO_ACTION,
    PACKET_RULING,
    PATIENT_WORDS,
    RULING,
    latest_acts,
    numbered,
    people_names,
)
from osler.protocols.scenario.model.undisclosed_facts import SeatKeptBack, fact_names, told_from_the_first
from osler.protocols.scenario.seats import (
    ControllerReply,
    ControllerView,
    ExamineeMove,
    PatientSeatReply,
    PatientSeatView,
    Spoken,
)
from osler.protocols.shared.model.facts import fact_line, who
from osler.text.hostile import block, neutral

_PROMPTS: Final = "osler.protocols.scenario:prompts/"
_WRAP_UP: Final = "This is your last turn: bring the encounter to its end."
_EMPTY: Final[tuple[object, ...]] = ("", [], (), {})
_OPENING_TOLD: Final = (
    "The encounter begins; the examinee has not moved yet, and there is no act to assess. Give the opening by"
    ' the materials: "patient_status" is how the patient looks now, "actors_present" who of the team is'
    ' there, "events" and "team" what is seen and said before anybody is asked; "progress_index" is 0.'
    " Nothing is given that has to be asked for, examined or tested."
)
_OPENING_PLAYED: Final = (
    "The encounter begins; the examinee has said nothing yet. List who of your people is there, the patient"
    " first. Somebody speaks only if the script has them speak first."
)
_SILENCE: Final = (
    "The examinee says nothing in this turn. If the script or how it is for the patient now has somebody of"
    " yours come, leave or speak by themselves, they do so now; otherwise nobody speaks."
)
ACTS_SHOWN: Final = "The examinee's acts"
"""The beginning of the line that shows the controller the acts."""


def _patients(view: PatientSeatView, moves: Moves) -> dict[str, object]:
    first, facts = told_from_the_first(view), fact_names(view)
    people = people_names(view.people)
    names = {person.id: person.name for person in view.people}
    return {
        "people": [
            {
                **person.model_dump(),
                "named": people.name(person.id),
                "facts": [fact_line(each.fact, facts) for each in first if each.who == person.id],
                "kept_back": _topics(view, person.id),
                "identity": _identity(view, person.id),
            }
            for person in view.people
            if person.role in VOICED_BY_PATIENT
        ],
        "speaker": names.get(view.speaker, ""),
        "who": who(view.age_years, view.sex),
        "manner": view.persona.manner,
        "unknown": view.unknown,
        "packet": view.packet,
    }


def _identity(view: PatientSeatView, who: str) -> str:
    identity = view.identities.get(who)
    return "" if identity is None else neutral(identity.in_words if who == PATIENT_ID else identity.name)


def _topics(view: PatientSeatView, who: str) -> list[str]:
    """The topics a person withholds under a condition; facts that hold only later are not hinted at."""
    first = told_from_the_first(view)
    facts = (each for each in view.facts if each.who == who and not each.at_times and each not in first)
    return list(dict.fromkeys(each.fact.topic.replace("_", " ") for each in facts))


def _spoke(event: Spoke) -> str:
    if event.by == "examinee":
        return block("examinee_says", event.text)
    return f"{neutral(event.who)}: {block('says', event.text)}"


def _acted(event: Acted) -> str:
    spoken = [f" (an order given aloud, read as {action})" for action in event.spoken]
    acts = [
        f"{name_of(ACTS, number)} {block('act', act)}{aloud}"
        for number, (act, aloud) in enumerate(zip_longest(event.actions, spoken, fillvalue=""), start=1)
    ]
    ends = ["The examinee ends this state (eos)."] if event.eos else []
    return "\n".join([f"{ACTS_SHOWN}:{'' if acts else ' none'}", *acts, *ends])


def _assessed(event: Assessed) -> str:
    return f"By the script {block('act', event.raw)} is {event.status}."


def _observed(event: Observed) -> str:
    seen = block("patient_looks", event.status)
    if not event.vitals:
        return seen
    vitals = "; ".join(f"{name} {value}" for name, value in event.vitals.items())
    return f"{seen}\n{block('vital_signs', vitals)}"


def _present(event: Present) -> str:
    # The patient of a packet has no other name.
    who = f"The {event.role}" if event.who == event.role else f"{event.who} ({event.role})"
    return f"{neutral(who)} {'is here now' if event.here else 'has left'}."


def _cue(event: Cue) -> str:
    return f"How it is for the patient now: {block('cue', event.text)}" if event.text else ""


def _moment(event: Moment) -> str:
    if event.when == "silence":
        return _SILENCE
    return _OPENING_TOLD if "controller" in event.to else _OPENING_PLAYED


def action_names(view: ControllerView) -> Names:
    """The neutral names of the declared actions."""
    return Names(DECLARED, tuple(action.id for action in view.actions))


def _controller(view: ControllerView, moves: Moves) -> dict[str, object]:
    actions, people = action_names(view), people_names(view.people)
    return {
        **view.model_dump(),
        "actions": [{**one.model_dump(), "named": actions.name(one.id)} for one in view.actions],
        "people": [{**one.model_dump(), "named": people.name(one.id)} for one in view.people],
    }


def _own_words(reply: BaseModel, moves: Moves, view: View, before: Sequence[Event | OwnReply]) -> str:
    assert isinstance(reply, PatientSeatReply)
    assert isinstance(view, PatientSeatView)
    if view.packet is not None:
        present = _with_evidence(reply.actors_present)
        return closed("PLAY", actors_present=present, speak=_spoken(reply.speak))
    if not reply.speak and not reply.revealed_facts:
        return closed("SILENCE")
    speak = _spoken(reply.speak, people_names(view.people))
    if not reply.revealed_facts:
        return closed("SMALL_TALK", speak=speak)
    return closed("SPEAK", facts=[fact_names(view).name(one) for one in reply.revealed_facts], speak=speak)


def _own_ruling(reply: BaseModel, moves: Moves, view: View, before: Sequence[Event | OwnReply]) -> str:
    assert isinstance(reply, ControllerReply)
    assert isinstance(view, ControllerView)
    filled = reply.model_dump(mode="json")
    filled["assessments"] = list(numbered(reply.action_assessments, latest_acts(before)))
    filled["actors_present"] = _with_evidence(reply.actors_present)
    if view.packet is None:
        actions = action_names(view)
        for each in filled["assessments"]:
            named = each.get("interpreted_action", "")
            each["interpreted_action"] = actions.name(named) if named else NO_ACTION
        filled["team"] = _spoken(reply.team, people_names(view.people))
    output = RULING if view.packet is None else PACKET_RULING
    (fields,) = output.json_schema["properties"]["move"]["anyOf"]
    return closed("RULE", **{name: filled[name] for name in fields["properties"] if _holds(filled.get(name))})


def _own_move(reply: BaseModel, moves: Moves, view: View, before: Sequence[Event | OwnReply]) -> str:
    assert isinstance(reply, ExamineeMove)
    action = "END_STATE" if reply.eos else "GO_ON"
    return closed(action, speak=reply.speak, actions=list(reply.actions))


def _holds(value: object) -> bool:
    """Whether a value is non-empty; 0 counts as a value."""
    return value is not None and value is not False and value not in _EMPTY


def _spoken(spoken: Iterable[Spoken], names: Names | None = None) -> list[dict[str, str]]:
    return [{"who": names.name(each.who) if names else each.who, "words": each.words} for each in spoken]


def _with_evidence(actors: Mapping[str, str]) -> list[dict[str, str]]:
    return [{"who": who, "evidence": evidence} for who, evidence in actors.items()]


_LINES: Final[Lines] = {
    **SHARED_LINES,
    TurnBegan: lambda event: turn_line(event, _WRAP_UP),
    Spoke: _spoke,
    Acted: _acted,
    Assessed: _assessed,
    Happened: lambda event: block("happens", event.text),
    Observed: _observed,
    StateEntered: lambda event: f"State now: {neutral(event.state)}",
    Present: _present,
    Cue: _cue,
    Moment: _moment,
}
EXAMINEE: Final = ModelSeat(
    template=f"{_PROMPTS}examinee.jinja", lines=_LINES, own=_own_move, form=lambda view: EXAMINEE_MOVE
)
PATIENT: Final = ModelSeat(
    template=f"{_PROMPTS}standardized_patient.jinja",
    lines=_LINES,
    values=_patients,
    own=_own_words,
    form=lambda view: ACTOR_WORDS if view.packet else PATIENT_WORDS,
    kept_back=SeatKeptBack.at_first,
)
CONTROLLER: Final = ModelSeat(
    template=f"{_PROMPTS}controller.jinja",
    lines=_LINES,
    values=_controller,
    own=_own_ruling,
    form=lambda view: PACKET_RULING if view.packet else RULING,
)
