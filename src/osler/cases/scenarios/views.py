"""The only place where a scenario's views are made: what each of its seats may see."""

from __future__ import annotations

from osler.cases.scenarios.model import Person, Scenario
from osler.seats.patient import PatientFact, Persona, Unknown
from osler.seats.scenario import (
    PATIENT_ID,
    VOICED_BY_PATIENT,
    ActionView,
    ControllerView,
    ExamineeView,
    PatientSeatView,
    PersonView,
    SpokenFact,
    StateView,
)


def examinee_view(scenario: Scenario, *, max_turns: int, whole_case: str | None = None) -> ExamineeView:
    """What the examinee knows at the door: who is there already, never an id or a label of the source."""
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
    """What the player of the patient and their people knows: their facts, or the actor's packet."""
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
        facts=tuple(
            SpokenFact(
                who=known.who,
                states=known.states,
                fact=PatientFact(
                    id=known.id,
                    topic=known.topic,
                    text=known.text,
                    spoken=known.spoken,
                    told=known.told,
                    absent=known.absent,
                ),
            )
            for known in scenario.knows
        ),
    )


def controller_view(scenario: Scenario) -> ControllerView:
    """What the controller knows: the script, or its packet; never the rubric."""
    return ControllerView(
        people=tuple(_person(one) for one in scenario.people),
        states=tuple(
            StateView(id=state.id, label=state.label, status=state.status, ends=state.ends != "no")
            for state in scenario.states
        ),
        actions=tuple(
            ActionView(id=action.id, what=action.what, terms=action.terms, states=action.states)
            for action in scenario.actions
        ),
        packet=scenario.packet.environment_controller if scenario.packet else None,
    )


def _person(person: Person) -> PersonView:
    return PersonView(id=person.id, name=person.name, role=person.role, about=person.about)
