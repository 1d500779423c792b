"""Lint rules for a scenario's course, and for what an examinee sees on the way.

The course: states, transitions, ends, people, and the preconditions of actions. The texts shown hold nothing
that must be earned, and never ids, labels or the title.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from osler.cases.importers.json_paths import clean
from osler.cases.importers.leaks import nearly, plain
from osler.cases.lint_problem import Problem
from osler.cases.scenarios.model import Action, Person, Scenario, ScriptLine, State
from osler.knowledge.vocabulary import PATIENT_ID


def course(scenario: Scenario) -> Iterator[Problem]:
    """Problems of the state graph, the people and the actions."""
    yield from _states(scenario)
    yield from _people(scenario)
    yield from _actions(scenario)


def reachable(scenario: Scenario, start: str) -> set[str]:
    """The states reachable from one, including itself. Nothing follows a state that ends the encounter."""
    result, waiting = set[str](), [start]
    while waiting:
        state = scenario.states_by_id[waiting.pop()]
        if state.id not in result:
            result.add(state.id)
            waiting += [way.to for way in state.transitions] if state.ends != "entry" else []
    return result


def _states(scenario: Scenario) -> Iterator[Problem]:
    there = reachable(scenario, scenario.states[0].id)
    for state in scenario.states:
        where = f"states[{state.id}]"
        if state.id not in there:
            yield Problem("unreachable", "error", "no way leads to this state", where)
        if state.ends == "no" and not any(way.eos or way.said for way in state.transitions):
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
            wider = wider and set(before.said) <= set(way.said)
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
    for knows in scenario.knows:
        person = scenario.people_by_id[knows.who]
        if person.role not in ("patient", "family"):
            message = f"{person.id} is no part of the patient's seat, so nobody tells this"
            yield Problem("never-told", "error", message, f"knows[{knows.id}].who")
        elif not person.speaks:
            yield Problem("never-told", "error", f"{person.id} cannot speak", f"knows[{knows.id}].who")
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
    scenario: Scenario, lines: Iterable[ScriptLine], *, state: str = "", action: str = ""
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
    result, waiting = set[str](), list(action.needs)
    while waiting:
        need = waiting.pop()
        if need not in result:
            result.add(need)
            waiting += scenario.actions_by_id[need].needs
    return result


FEWEST_WORDS: Final = 4
"""A run of fewer words than this may occur in two places by chance."""
_SENTENCE: Final = re.compile(r"(?<=[.!?;])\s+|\n+")


def seen(scenario: Scenario) -> Iterator[Problem]:
    """Problems in the texts shown by an explicit scenario."""
    free, later = _at_the_door(scenario), _later(scenario)
    yield from _earned_too_early(scenario, free)
    yield from names_shown(scenario, {**free, **later})
    for where, text in free.items():
        for name, held in (("title", scenario.title or ""), *_labels(scenario)):
            word = nearly(held, clean(text)) if held else None
            if word:
                yield Problem("hints", "warning", f"{word!r} stands in the {name}, which is not shown", where)


def names_shown(scenario: Scenario, texts: Mapping[str, str]) -> Iterator[Problem]:
    """Ids, labels and the title that occur in texts an examinee sees."""
    facts = (knows.id for knows in scenario.knows)
    ids = [scenario.case_id, *scenario.actions_by_id, *facts, *scenario.states_by_id]
    # An id that is a single plain word cannot be told from ordinary text.
    told = [name for name in dict.fromkeys(ids) if not name.isalpha()]
    for where, text in texts.items():
        low = f" {text.lower()} "
        for name in told:
            if re.search(rf"(?<![\w-]){re.escape(name.lower())}(?![\w-])", low):
                yield Problem("visible-id", "error", f"shows the id {name}", where)
        if re.search(r"\bscenario ?\d+\b", low):
            yield Problem("visible-id", "error", "shows a scenario's number", where)
        for name, label in (("title", scenario.title or ""), *_labels(scenario)):
            words = plain(label).split()
            if len(words) > 1 and f" {' '.join(words)} " in f" {plain(text)} ":
                yield Problem("visible-label", "error", f"shows the {name}: {label!r}", where)


def pieces(text: str) -> Iterator[str]:
    """The sentences of a text that are long enough to be recognized elsewhere, in plain words."""
    for sentence in _SENTENCE.split(text):
        result = plain(sentence)
        if len(result.split()) >= FEWEST_WORDS:
            yield result


def _labels(scenario: Scenario) -> Iterator[tuple[str, str]]:
    return ((f"label of {state.id}", state.label) for state in scenario.states)


def _at_the_door(scenario: Scenario) -> dict[str, str]:
    first = scenario.states[0]
    texts = {"instructions": scenario.instructions, "setting": scenario.setting, "opening": scenario.opening}
    texts[f"states[{first.id}].status"] = first.status
    texts |= {f"states[{first.id}].events[{n}]": event for n, event in enumerate(first.events)}
    texts |= {f"states[{first.id}].lines[{n}]": line.words for n, line in enumerate(first.lines)}
    for person in scenario.people:
        texts[f"people[{person.id}]"] = f"{person.name}: {person.about}"
    return texts


def _later(scenario: Scenario) -> dict[str, str]:
    texts: dict[str, str] = {}
    for state in scenario.states[1:]:
        texts[f"states[{state.id}].status"] = state.status
        texts |= {f"states[{state.id}].events[{n}]": event for n, event in enumerate(state.events)}
        texts |= {f"states[{state.id}].lines[{n}]": line.words for n, line in enumerate(state.lines)}
    for action in scenario.actions:
        told = (
            action.result,
            action.refused,
            *action.by_state.values(),
            *(line.words for line in action.lines),
        )
        texts[f"actions[{action.id}].result"] = "\n".join(told)
    return texts


def _earned_too_early(scenario: Scenario, free: Mapping[str, str]) -> Iterator[Problem]:
    hidden = [
        (f"knows[{knows.id}]", text)
        for knows in scenario.knows
        if knows.told != "volunteered"
        for text in (knows.text, knows.spoken or "")
    ]
    hidden += [
        (f"actions[{action.id}].result", text)
        for action in scenario.actions
        for text in (action.result, *action.by_state.values())
    ]
    for where, text in free.items():
        shown = f" {plain(text)} "
        sources = (source for source, held in hidden if any(f" {one} " in shown for one in pieces(held)))
        for source in dict.fromkeys(sources):
            yield Problem("given-away", "error", f"tells what must be asked for, of {source}", where)
