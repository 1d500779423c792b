"""Lint rules for a scenario's course: states, transitions, ends, people, and the preconditions of actions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from osler.cases.lint_problem import Problem
from osler.cases.scenarios.model import Action, Line, Person, Scenario, State
from osler.knowledge.vocabulary import PATIENT_ID


def course(scenario: Scenario) -> Iterator[Problem]:
    """Problems of the state graph, the people and the actions."""
    yield from _states(scenario)
    yield from _people(scenario)
    yield from _actions(scenario)


def reachable(scenario: Scenario, start: str) -> set[str]:
    """The states reachable from one, including itself. Nothing follows a state that ends the encounter."""
    found, waiting = set[str](), [start]
    while waiting:
        state = scenario.states_by_id[waiting.pop()]
        if state.id not in found:
            found.add(state.id)
            waiting += [way.to for way in state.transitions] if state.ends != "entry" else []
    return found


def _states(scenario: Scenario) -> Iterator[Problem]:
    there = reachable(scenario, scenario.states[0].id)
    for state in scenario.states:
        where = f"states[{state.id}]"
        if state.id not in there:
            yield Problem("unreachable", "error", "no way leads to this state", where)
        if state.ends == "no" and not any(way.eos for way in state.transitions):
            message = (
                "nothing comes of eos here, so the examinee may be stuck: add a way with eos, or ends: eos"
            )
            yield Problem("no-way-on", "error", message, f"{where}.transitions")
        if all(scenario.states_by_id[one].ends == "no" for one in reachable(scenario, state.id)):
            yield Problem("no-end", "error", "no end can be reached from here", where)
        if state.ends == "entry" and state.transitions:
            yield Problem(
                "never-taken", "warning", "the encounter ends before these are open", f"{where}.transitions"
            )
        yield from _ways(state)
        if not state.status.strip():
            yield Problem("empty", "error", "says nothing of how the patient is", f"{where}.status")
    if any(action.monitors for action in scenario.actions):
        for state in scenario.states:
            if not state.vitals and state.ends != "entry":
                message = "no vital signs for whoever measures them"
                yield Problem("no-vitals", "warning", message, f"states[{state.id}].vitals")


def _ways(state: State) -> Iterator[Problem]:
    """A transition that an earlier one of the same state always preempts."""
    for number, way in enumerate(state.transitions):
        for before in state.transitions[:number]:
            wider = set(before.did) <= set(way.did) and set(before.unless) <= set(way.unless)
            sooner = before.after is None or (way.after is not None and before.after <= way.after)
            if wider and sooner and (way.eos or not before.eos):
                where = f"states[{state.id}].transitions[{number}]"
                yield Problem(
                    "never-taken", "error", f"an earlier way, to {before.to}, is taken first", where
                )
                break
        if way.to == state.id:
            yield Problem("to-itself", "warning", "leads back to the same state", f"states[{state.id}]")


def _people(scenario: Scenario) -> Iterator[Problem]:
    if PATIENT_ID not in scenario.people_by_id:
        yield Problem("no-patient", "error", f"there is nobody with the id {PATIENT_ID}", "people")
    there = reachable(scenario, scenario.states[0].id)
    for person in scenario.people:
        where = f"people[{person.id}]"
        if not person.here and person.enters is None:
            yield Problem("never-enters", "error", "is not there and nothing brings them", where)
        elif not person.here and person.enters and not _can_come(person, there):
            yield Problem("never-enters", "error", "what should bring them never happens", f"{where}.enters")
        if person.here and person.enters and not person.leaves:
            yield Problem("enters-twice", "warning", "is there already", f"{where}.enters")
    for known in scenario.knows:
        person = scenario.people_by_id[known.who]
        if person.role not in ("patient", "family"):
            message = f"{person.id} is no part of the patient's seat, so nobody tells this"
            yield Problem("never-told", "error", message, f"knows[{known.id}].who")
        elif not person.speaks:
            yield Problem("never-told", "error", f"{person.id} cannot speak", f"knows[{known.id}].who")
    for state in scenario.states:
        yield from _speakers(scenario, state.lines, state=state.id)
    for action in scenario.actions:
        yield from _speakers(scenario, action.lines, action=action.id)


def _can_come(person: Person, there: Iterable[str]) -> bool:
    enters = person.enters
    return enters is not None and bool(
        enters.did or enters.after is not None or set(enters.states) & set(there)
    )


def _speakers(
    scenario: Scenario, lines: Iterable[Line], *, state: str = "", action: str = ""
) -> Iterator[Problem]:
    where = f"states[{state}].lines" if state else f"actions[{action}].lines"
    for line in lines:
        person = scenario.people_by_id[line.who]
        brought = person.enters and (state in person.enters.states or action in person.enters.did)
        if not person.speaks or (state and person.id in scenario.states_by_id[state].silent):
            yield Problem("cannot-speak", "error", f"{person.id} cannot speak", where)
        elif not person.here and not brought:
            yield Problem("may-be-absent", "warning", f"{person.id} need not be there to say this", where)


def _actions(scenario: Scenario) -> Iterator[Problem]:
    there = reachable(scenario, scenario.states[0].id)
    for action in scenario.actions:
        where = f"actions[{action.id}]"
        if (action.needs or action.states) and not action.refused.strip():
            message = "can be refused, and says nothing then"
            yield Problem("no-refusal", "warning", message, f"{where}.refused")
        if action.states and not set(action.states) & there:
            yield Problem("never-done", "error", "can be done only where nobody comes", f"{where}.states")
        if action.id in _needed(scenario, action):
            yield Problem("never-done", "error", "needs itself", f"{where}.needs")
        if action.kind in ("examination", "test") and not (
            action.result or action.by_state or action.monitors
        ):
            yield Problem("no-result", "warning", "shows nothing", f"{where}.result")
        if action.turnaround and not (action.result or action.by_state or action.picture):
            yield Problem("no-result", "warning", "is waited for, and shows nothing", f"{where}.turnaround")


def _needed(scenario: Scenario, action: Action) -> set[str]:
    found, waiting = set[str](), list(action.needs)
    while waiting:
        need = waiting.pop()
        if need not in found:
            found.add(need)
            waiting += scenario.actions_by_id[need].needs
    return found
