"""The rules of a scenario's replies, seat by seat. A check raises ValueError that says what to fix."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Final

from osler.cases.scenarios.model import Person, Scenario
from osler.knowledge.vocabulary import PATIENT_ID, VOICED_BY_PATIENT, Told
from osler.protocols.scenario.course import Course
from osler.protocols.scenario.packet_course import PacketCourse
from osler.protocols.scenario.seats import (
    Assessment,
    ControllerReply,
    ExamineeMove,
    PatientSeatReply,
    Spoken,
    alone,
)
from osler.text.disclosure_conditions import may_tell

_TELLING: Final = 3
"""The minimum number of words for a verbatim match to count as a leak; shorter texts recur by chance."""


# The examinee


def check_move(move: ExamineeMove) -> None:
    """Check that no act is blank."""
    if any(not act.strip() for act in move.actions):
        raise ValueError("actions: an act without words")


# The patient's seat


def check_patient_seat(
    reply: PatientSeatReply, scenario: Scenario, course: Course, examinee_said: Sequence[str]
) -> None:
    """Check the patient seat of an explicit scenario: each speaker is present, able to speak, and reveals
    only facts they know and may tell now."""
    _check_speakers(reply.speak, scenario, course)
    _check_here(reply.speak, reply.actors_present, scenario.people, course.here)
    may = telling(scenario, course, examinee_said)
    _check_revealed(reply, scenario, may)
    for knows in scenario.knows:
        words = knows.spoken or knows.text
        if not may[knows.id] and _telling(words) and any(heard(words, each.words) for each in reply.speak):
            raise ValueError(f"speak: fact {knows.id} may not be told now")


def _check_speakers(speak: Iterable[Spoken], scenario: Scenario, course: Course) -> None:
    people = scenario.people_by_id
    voiced = [person.id for person in scenario.people if person.role in VOICED_BY_PATIENT]
    silent = scenario.states_by_id[course.state].silent
    for spoken in speak:
        if spoken.who not in voiced:
            raise ValueError(f"speak: nobody here has the id {spoken.who[:40]!r}; known: {', '.join(voiced)}")
        if not people[spoken.who].speaks or spoken.who in silent:
            raise ValueError(f"speak: {people[spoken.who].name} cannot speak")


def _check_revealed(reply: PatientSeatReply, scenario: Scenario, may: Mapping[str, bool]) -> None:
    speakers = {spoken.who for spoken in reply.speak}
    for item in reply.revealed_facts:
        if item not in may:
            raise ValueError(f"revealed_facts: there is no fact {item[:40]!r}")
        who = _knower(scenario, item)
        if not may[item]:
            raise ValueError(f"revealed_facts: {item} may not be told now")
        if who not in speakers:
            raise ValueError(f"revealed_facts: {item} is known to {who}, who says nothing")


def telling(scenario: Scenario, course: Course, examinee_said: Sequence[str]) -> dict[str, bool]:
    """Map each fact to whether it may be told now: it holds in this state, its knower is present, and its
    condition is met."""
    views = [(person.id, person.role) for person in scenario.people]
    result = {}
    for knows in scenario.knows:
        is_so = not knows.states or course.state in knows.states
        met = _may(knows.told, examinee_said, private=alone(knows.who, course.here, views))
        result[knows.id] = is_so and knows.who in course.here and met
    return result


def _may(told: Told, said: Sequence[str], *, private: bool) -> bool:
    return (told == "in_private" and private) or may_tell(told, said)


def check_packet_patient(reply: PatientSeatReply, course: PacketCourse) -> None:
    """Check the patient seat of a packet: each speaker is present and able to speak, newcomers with evidence,
    and none belongs to the team."""
    _check_packet_here(reply.speak, reply.actors_present, course, "patient")
    if course.silent and any(spoken.who == PATIENT_ID for spoken in reply.speak):
        raise ValueError("speak: the patient cannot speak now")
    if reply.revealed_facts:
        raise ValueError("revealed_facts: a packet has none, leave it empty")


# The controller


def check_controller(reply: ControllerReply, scenario: Scenario, before: Course, after: Course) -> None:
    """Check the controller of an explicit scenario. `after` is the course once this reply is acted on."""
    for each in reply.action_assessments:
        name = each.interpreted_action
        if each.status == "unsupported" and name:
            raise ValueError(f"action_assessments: {each.raw[:60]!r} is unsupported, so it is no {name[:40]}")
        if each.status != "unsupported" and name not in scenario.actions_by_id:
            raise ValueError(
                f"action_assessments: {each.raw[:60]!r}: interpreted_action is the id of a declared action"
            )
    if reply.progress_index not in (None, after.progress):
        raise ValueError(f"progress_index: the course stands at {after.progress} after this turn")
    if reply.state_label not in ("", after.state):
        raise ValueError(f"state_label: the state after this turn is {after.state}")
    if reply.should_end and not after.over:
        raise ValueError("should_end: the scenario does not end with this turn")
    _check_here(reply.team, reply.actors_present, scenario.people, after.here)
    for spoken in reply.team:
        if scenario.people_by_id[spoken.who].role in VOICED_BY_PATIENT:
            raise ValueError(f"team: {spoken.who} is voiced by the patient's seat")
    if free := _free(reply):
        check_nothing_hidden(free, kept_back(scenario, before, after))


def check_packet_controller(
    reply: ControllerReply, move: ExamineeMove, scenario: Scenario, course: PacketCourse
) -> None:
    """Check the controller of a packet: the state advances only on `eos`, by one, or the scenario ends."""
    for each in reply.action_assessments:
        if (each.status == "unsupported") == bool(each.interpreted_action):
            raise ValueError(
                f"action_assessments: {each.raw[:60]!r}: interpreted_action says what it is understood as, "
                "and is empty where it is unsupported"
            )
    _check_packet_course(reply, move, course)
    _check_packet_here(reply.team, reply.actors_present, course, "controller")
    shown = (*_free(reply), reply.patient_status)
    check_nothing_hidden(shown, (scenario.case_id, *_only_telling((reply.state_label, course.label))))


def check_packet_opening(reply: ControllerReply, scenario: Scenario, course: PacketCourse) -> None:
    """Check the opening of a packet: nothing has been done or ended yet, and the patient can be seen."""
    if reply.action_assessments:
        raise ValueError("action_assessments: nothing has been done yet")
    if not reply.patient_status.strip():
        raise ValueError("patient_status: say how the patient looks as the encounter begins")
    check_packet_controller(reply, ExamineeMove(), scenario, course)


def _check_packet_course(reply: ControllerReply, move: ExamineeMove, course: PacketCourse) -> None:
    at, to = course.progress, reply.progress_index
    if to is None:
        raise ValueError(f"progress_index: say where the course stands; it stood at {at}")
    if not move.eos:
        if to != at:
            raise ValueError(f"progress_index: without eos the state does not move; it is {at}")
        if course.label and reply.state_label not in ("", course.label):
            raise ValueError(f"state_label: without eos the state does not move; it is {course.label!r}")
        if reply.should_end:
            raise ValueError("should_end: the scenario ends only where the examinee ends the state (eos)")
    elif to != at + 1 and not (reply.should_end and to == at):
        raise ValueError(f"progress_index: after eos it is {at + 1}, or {at} where the scenario ends")
    elif to != at and not reply.state_label:
        raise ValueError("state_label: name the state that begins")


def check_assessments(given: Sequence[Assessment], acts: Sequence[str]) -> None:
    """Check that every act has its assessment, in order, and parts of one act in the order of its wording."""
    at, place = 0, 0
    for each in given:
        raw = _plain(each.raw)
        if not raw:
            raise ValueError("action_assessments: raw repeats the act's own words")
        while at < len(acts):
            result = _plain(acts[at]).find(raw, place)
            if result >= 0:
                place = result + len(raw)
                break
            if not place:
                raise ValueError(f"action_assessments: {acts[at][:60]!r} has none, or out of order")
            at, place = at + 1, 0
        else:
            raise ValueError(f"action_assessments: {each.raw[:60]!r} is no act of this turn")
    missing = acts[at + bool(place) :]
    if missing:
        raise ValueError(f"action_assessments: {missing[0][:60]!r} has none")


# Who is there


def _check_here(
    spoken: Iterable[Spoken], actors: Mapping[str, str], people: Sequence[Person], here: Collection[str]
) -> None:
    names = {person.name: person.id for person in people}
    ids = {person.id for person in people}
    for each in spoken:
        if each.who not in ids:
            raise ValueError(f"nobody here has the id {each.who[:40]!r}; known: {', '.join(sorted(ids))}")
        if each.who not in here:
            raise ValueError(f"{each.who} is not there and cannot speak")
    for who in actors:
        if names.get(who, who) not in here:
            raise ValueError(f"actors_present: {who[:40]!r} is not there")


def _check_packet_here(
    spoken: Iterable[Spoken], actors: Mapping[str, str], course: PacketCourse, seat: str
) -> None:
    others = {who for who, by in course.here.items() if by != seat}
    for who, evidence in actors.items():
        if who in others:
            raise ValueError(f"actors_present: {who[:40]!r} is voiced by another seat")
        if who not in course.here and not evidence.strip():
            raise ValueError(f"actors_present: say what in the materials brings {who[:40]!r}")
    there = set(actors) if actors else {who for who, by in course.here.items() if by == seat}
    for each in spoken:
        if each.who not in there:
            raise ValueError(f"{each.who[:40]!r} is not in actors_present and cannot speak")


# What is kept back


def kept_back(scenario: Scenario, before: Course, after: Course) -> list[str]:
    """The texts that the script has not released: results, refusals and facts, future states, every label.

    What is released in this turn is for the script to say, so the controller may not say it either.
    """
    hidden = [action.refused for action in scenario.actions]
    for action in scenario.actions:
        if action.id not in before.done:
            hidden += [action.result, *action.by_state.values()]
    hidden += [text for knows in scenario.knows for text in (knows.text, knows.spoken or "")]
    for state in scenario.states:
        hidden.append(state.label)
        if state.id not in (before.state, after.state):
            hidden += [state.status, *state.events, *(line.words for line in state.lines)]
    hidden += [line.text for line in scenario.rubric]
    hidden += [*scenario.debrief, scenario.title or ""]
    ids = (*scenario.states_by_id, *scenario.actions_by_id, *(knows.id for knows in scenario.knows))
    return [*_only_telling(hidden), scenario.case_id, *(each for each in ids if "_" in each)]


def check_nothing_hidden(said: Iterable[str], hidden: Iterable[str]) -> None:
    """Raise ValueError if a free text contains a hidden one verbatim."""
    texts = list(said)
    for text in hidden:
        if any(heard(text, each) for each in texts):
            raise ValueError("what the examinee is told holds words that the script keeps back, or a label")


def _free(reply: ControllerReply) -> tuple[str, ...]:
    return (*reply.feedback, *reply.events, *(spoken.words for spoken in reply.team))


def _only_telling(texts: Iterable[str]) -> list[str]:
    return [text for text in texts if _telling(text)]


def _telling(text: str) -> bool:
    return len(text.split()) >= _TELLING


def heard(text: str, said: str) -> bool:
    """Whether `said` contains `text` verbatim, ignoring case and white space."""
    wanted, there = _plain(text).rstrip(".!?"), _plain(said)
    # Most texts are not in most others; the substring test rules them out quickly.
    return wanted in there and re.search(rf"(?<!\w){re.escape(wanted)}(?!\w)", there) is not None


@lru_cache(maxsize=4096)
def _plain(text: str) -> str:
    return " ".join(text.lower().split())


def _knower(scenario: Scenario, fact: str) -> str:
    return next(knows.who for knows in scenario.knows if knows.id == fact)
