"""Rendering an explicit scenario as prose for each role, so that players of packets can play it.

The examinee's part holds no id, label or title; the actor's holds nothing of what is done or found. What the
script decides by rules (who may be told what, when, after which action) is spelled out in words.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Final

from osler.cases.rubrics.model import COMPETENCIES, NAMES, Competency, RubricItem
from osler.cases.scenarios.model import Action, Packet, Person, Scenario, State, Transition, Trigger
from osler.knowledge.vocabulary import VOICED_BY_PATIENT, Told

AGAINST: Final = "counting against the examinee"
_TOLD: Final[dict[Told, str]] = {
    "volunteered": "say this unasked, early on",
    "asked": "say this when asked about it",
    "in_private": "say this only when asked alone, with nobody else in the room",
    "normalized": "say this only when the asker makes plain that it is common or nothing to be ashamed of",
    "confidential": "say this only when promised that it stays between you",
}


def packet_of(scenario: Scenario) -> Packet:
    """The scenario's packet: its own, or one rendered from its script. Pure."""
    if scenario.packet:
        return scenario.packet
    return Packet(
        examinee=_text(_examinee(scenario)),
        sp_actor=_text(_actor(scenario)),
        environment_controller=_text(_controller(scenario)),
        evaluator=_text(_evaluator(scenario)),
    )


def _text(lines: Iterable[str]) -> str:
    return "\n".join(lines).strip() + "\n"


def _section(title: str, lines: Iterable[str]) -> Iterator[str]:
    held = [line for line in lines if line]
    if held:
        yield from (f"## {title}", "", *held, "")


def _examinee(scenario: Scenario) -> Iterator[str]:
    yield from ("# Instructions", "", scenario.instructions, "")
    yield from _section("The place", [scenario.setting])
    yield from _section("At the door", [scenario.opening])
    yield from _section("Who is there", (_who(person) for person in scenario.people if person.here))
    yield from _section("Time", [f"You have at most {scenario.max_turns} turns."])


def _who(person: Person) -> str:
    return f"- {person.name}" + (f": {person.about}" if person.about else "")


def _actor(scenario: Scenario) -> Iterator[str]:
    yield from ("# For whoever plays the patient and those who came along", "")
    persons = [person for person in scenario.people if person.role in VOICED_BY_PATIENT]
    yield from _section("Whom you play", (_who(p) + _voice(p) + _comings(scenario, p) for p in persons))
    yield from _section("What has been said at the door", [scenario.opening])
    for person in persons:
        known = [known for known in scenario.knows if known.who == person.id]
        lines = []
        for fact in known:
            only = _in_situations(scenario, fact.states)
            words = f' In words: "{fact.spoken}"' if fact.spoken else ""
            lines.append(f"- {fact.text} ({_TOLD[fact.told]}{only}){words}")
        yield from _section(f"What {person.name} knows", lines)
    voices = {person.id: person.name for person in persons}
    for number, state in enumerate(scenario.states, start=1):
        lines = [f"How it looks: {state.status}", state.cue]
        lines += [f'{voices[line.who]} says: "{line.words}"' for line in state.lines if line.who in voices]
        yield from _section(f"Situation {number}", lines)


def _voice(person: Person) -> str:
    return "" if person.speaks else " (cannot speak)"


def _in_situations(scenario: Scenario, states: Iterable[str]) -> str:
    numbers = [str(number) for number, state in enumerate(scenario.states, start=1) if state.id in states]
    return f"; only in situation {' or '.join(numbers)}" if numbers else ""


def _comings(scenario: Scenario, person: Person) -> str:
    return "" if person.here else " (is not there at the beginning)"


def _controller(scenario: Scenario) -> Iterator[str]:
    yield from ("# For the controller of the environment", "")
    yield from _section("The place", [scenario.setting])
    people = (_who(p) + f" ({p.role})" + _moves(scenario, p) for p in scenario.people)
    yield from _section("People", people)
    names = {person.id: person.name for person in scenario.people}
    yield "The states follow one another only as written. One is entered a turn at most."
    yield ""
    for number, state in enumerate(scenario.states, start=1):
        yield from _section(f"State {number}: {state.label}", _state(scenario, state, names))
    yield from _section(
        "What acts bring about", (_action(scenario, action, names) for action in scenario.actions)
    )


def _state(scenario: Scenario, state: State, names: dict[str, str]) -> Iterator[str]:
    yield f"Status: {state.status}"
    if state.vitals:
        yield "Vital signs, once measured: " + "; ".join(
            f"{name} {value}" for name, value in state.vitals.items()
        )
    yield from (f"On entering: {event}" for event in state.events)
    yield from (f'Then {names[line.who]} says: "{line.words}"' for line in state.lines)
    yield from (f"- {_way(scenario, way)}" for way in state.transitions)
    if state.ends != "no":
        when = (
            "as soon as this state is reached"
            if state.ends == "entry"
            else "when the examinee ends this state"
        )
        yield f"- The encounter ends {when}."


def _way(scenario: Scenario, way: Transition) -> str:
    when = ["the examinee ends this state"] if way.eos else []
    when += [f'this is done: "{scenario.actions_by_id[did].what}"' for did in way.did]
    when += [f"{way.after} minutes have passed in this state"] if way.after else []
    unless = "".join(
        f', unless this has been done: "{scenario.actions_by_id[did].what}"' for did in way.unless
    )
    return f"On to {_state_name(scenario, way.to)} when {' and '.join(when)}{unless}."


def _state_name(scenario: Scenario, state: str) -> str:
    number = list(scenario.states_by_id).index(state) + 1
    return f"state {number} ({scenario.states_by_id[state].label})"


def _moves(scenario: Scenario, person: Person) -> str:
    here = "there from the beginning" if person.here else "not there at the beginning"
    told = [f"comes {_when(scenario, person.enters)}"] if person.enters else []
    told += [f"leaves {_when(scenario, person.leaves)}"] if person.leaves else []
    return f" - {'; '.join([here, *told])}"


def _when(scenario: Scenario, trigger: Trigger) -> str:
    ways = [f"on entering {_state_name(scenario, state)}" for state in trigger.states]
    ways += [f'once this is done: "{scenario.actions_by_id[did].what}"' for did in trigger.did]
    ways += [f"after {trigger.after} minutes"] if trigger.after is not None else []
    return " or ".join(ways)


def _action(scenario: Scenario, action: Action, names: dict[str, str]) -> str:
    told = [f"- **{action.what}** ({action.kind}; {action.minutes} min"]
    told[0] += f", result after a further {action.turnaround} min)" if action.turnaround else ")"
    found = action.kind in ("examination", "test")
    told += [f"{'Told only when asked for' if found else 'Then'}: {action.result}"] if action.result else []
    told += [f"In {_state_name(scenario, state)}: {text}" for state, text in action.by_state.items()]
    if action.needs:
        before = "; ".join(scenario.actions_by_id[need].what for need in action.needs)
        told.append(f"Only after: {before}.")
    if action.states:
        told.append(f"Only in {', '.join(_state_name(scenario, state) for state in action.states)}.")
    told += [f"Otherwise: {action.refused}"] if action.refused else []
    told += ["The vital signs are seen from then on."] if action.monitors else []
    told += [f'{names[line.who]} says: "{line.words}"' for line in action.lines]
    return "\n  ".join(told)


def heading_of(competency: Competency, *, against: bool = False) -> str:
    """The heading of a competency's items in the evaluator's part; authoring reads items under it back."""
    return f"{competency}: {NAMES[competency]}" + (f", {AGAINST}" if against else "")


def _of(competency: Competency, items: Iterable[RubricItem]) -> Iterator[str]:
    """The items in their order, each in its own words alone, under headings that say what they count for."""
    own = (item for item in items if item.competency == competency)
    for against, rubric_items in groupby(own, key=lambda item: item.traits.negative):
        yield from _section(
            heading_of(competency, against=against), (f"- {item.text}" for item in rubric_items)
        )


def _evaluator(scenario: Scenario) -> Iterator[str]:
    yield from ("# For the evaluator alone", "")
    items = scenario.items.items if scenario.items else ()
    for competency in COMPETENCIES:
        yield from _of(competency, items)
    yield from _section("Debrief", (f"- {note}" for note in scenario.debrief))
    sources = (f"- {source.title}, {source.year}" for source in scenario.provenance.sources)
    yield from _section("Sources", sources)
