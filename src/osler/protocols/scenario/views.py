"""The views of a scenario: the only place that decides what each of its seats may see."""

from __future__ import annotations

from collections.abc import Sequence

from osler.cases.identity import made_up, sex_told_by
from osler.cases.scenarios.model import Person, Scenario
from osler.knowledge.vocabulary import PATIENT_ID, VOICED_BY_PATIENT, Identity, Persona, Unknown
from osler.protocols.scenario.seats import (
    ActionView,
    ControllerView,
    ExamineeView,
    PatientSeatView,
    PersonView,
    SpokenFact,
    StateView,
)
from osler.protocols.shared.patient import PatientFact


def examinee_view(scenario: Scenario, *, max_turns: int, whole_case: str | None = None) -> ExamineeView:
    """The examinee's view at the door: who is present, never an id or a label of the source."""
    packet = scenario.packet
    return ExamineeView(
        instructions=packet.examinee if packet else scenario.instructions,
        setting=scenario.setting,
        opening=scenario.opening,
        people=tuple(_person(one) for one in scenario.people if one.here),
        max_turns=max_turns,
        whole_case=whole_case,
    )


def patient_seat_view(scenario: Scenario, persona: Persona, unknown: Unknown) -> PatientSeatView:
    """The view of the player of the patient and their people: their facts, or the actor's packet."""
    voiced = [person for person in scenario.people if person.role in VOICED_BY_PATIENT]
    speaking = [person.id for person in voiced if person.speaks]
    speaker = PATIENT_ID if PATIENT_ID in speaking or not speaking else speaking[0]
    return PatientSeatView(
        people=tuple(_person(one) for one in voiced),
        speaker=speaker,
        age_years=scenario.age_years,
        sex=scenario.sex,
        persona=persona,
        unknown=unknown,
        packet=scenario.packet.sp_actor if scenario.packet else None,
        identities={} if scenario.packet else _identities(scenario, voiced),
        facts=tuple(
            SpokenFact(
                who=knows.who,
                at_times=bool(knows.states),
                fact=PatientFact(
                    id=knows.id,
                    topic=knows.topic,
                    text=knows.text,
                    spoken=knows.spoken,
                    told=knows.told,
                    absent=knows.absent,
                ),
            )
            for knows in scenario.knows
        ),
    )


def _identities(scenario: Scenario, people: Sequence[Person]) -> dict[str, Identity]:
    """Return each person's identity: the patient's in full, the others' by name alone."""
    return {
        one.id: made_up(
            f"{scenario.case_id}/{scenario.scenario}/{one.id}",
            scenario.age_years if one.id == PATIENT_ID else None,
            scenario.sex if one.id == PATIENT_ID else sex_told_by(f"{one.name} {one.about}"),
            known_as=one.name,
        )
        for one in people
    }


def controller_view(scenario: Scenario) -> ControllerView:
    """The controller's view: the script, or its packet; never the rubric."""
    return ControllerView(
        people=tuple(_person(one) for one in scenario.people),
        states=tuple(
            StateView(id=state.id, label=state.label, status=state.status, ends=state.ends != "no")
            for state in scenario.states
        ),
        actions=tuple(
            ActionView(
                id=action.id,
                what=action.what,
                terms=action.terms,
                says=action.says,
                states=action.states,
                unclear=action.unclear,
                harmful=action.harmful,
                exact=action.exact,
            )
            for action in scenario.actions
        ),
        packet=scenario.packet.environment_controller if scenario.packet else None,
    )


def _person(person: Person) -> PersonView:
    return PersonView(
        id=person.id, name=person.name, role=person.role, about=person.about, speaks=person.speaks
    )


def whole_case(scenario: Scenario) -> str:
    """Everything that talking, examining and testing could show, at once, for the static arm.

    It never holds a label, the rubric, or the debrief. For a packet, it is what the actor and the controller
    read.
    """
    if scenario.packet:
        return f"{scenario.packet.sp_actor}\n\n{scenario.packet.environment_controller}"
    name = {person.id: person.name for person in scenario.people}
    told = [f"{name[knows.who]} says: {knows.spoken or knows.text}" for knows in scenario.knows]
    course = []
    for state in scenario.states:
        vitals = "; ".join(f"{sign} {value}" for sign, value in state.vitals.items())
        said = (f"{name[line.who]} says: {line.words}" for line in state.lines)
        course.append(" ".join([*state.events, state.status, vitals, *said]).strip())
    found = [
        f"{action.what}: {' '.join(dict.fromkeys((action.result, *action.by_state.values())))}".strip()
        for action in scenario.actions
        if action.kind in ("examination", "test") and (action.result or action.by_state)
    ]
    parts = {
        "What can be told": told,
        "What can happen, in this or another order": course,
        "What examinations and tests show": found,
    }
    return "\n\n".join(
        f"{title}\n" + "\n".join(f"- {line}" for line in lines) for title, lines in parts.items()
    )
