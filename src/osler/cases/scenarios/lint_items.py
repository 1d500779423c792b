"""Lint rules for a rubric's items: their own model answers must show them, in their state and in time."""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from typing import Final, NamedTuple

from osler.cases.lint_problem import Level, Problem
from osler.cases.scenarios.model import Evidence, RubricLine, Scenario
from osler.text.said_rules import says

_TURN: Final = 1
"""The minimum duration of a turn, in minutes."""


class _Plan(NamedTuple):
    """The actions of all model answers together, and the earliest minute at which each state is reachable."""

    scenario: Scenario
    done: frozenset[str]
    earliest: dict[str, int]


def items_shown(scenario: Scenario) -> Iterator[Problem]:
    """Problems of the items of an explicit scenario."""
    positive = [item for item in scenario.rubric if not item.traits.negative]
    plan = _Plan(scenario, frozenset(did for item in positive for did in item.do), earliest_minutes(scenario))
    for number, item in enumerate(scenario.rubric, start=1):
        where = f"rubric[{number}]"
        rules = _negative if item.traits.negative else _positive
        yield from (problem._replace(where=f"{where}{problem.where}") for problem in rules(plan, item))
    yield from _harm(scenario)


def earliest_minutes(scenario: Scenario) -> dict[str, int]:
    """The earliest minute at which each reachable state can be entered (shortest path).

    A transition by actions takes their minutes, one by time its own, and each at least one turn's minute.
    """
    result: dict[str, int] = {}
    waiting = [(0, scenario.states[0].id)]
    while waiting:
        minute, name = heapq.heappop(waiting)
        if name in result:
            continue
        result[name] = minute
        for way in scenario.states_by_id[name].transitions:
            acts = sum(scenario.actions_by_id[did].minutes for did in way.did)
            heapq.heappush(waiting, (minute + max(_TURN, way.after or 0, acts), way.to))
    return result


def _positive(plan: _Plan, item: RubricLine) -> Iterator[Problem]:
    if not item.shown_by:
        yield Problem("by-ear-only", "warning", "cannot be judged by rule: a person marks it", "")
        return
    if (item.say or item.do) and item.when is None:
        yield Problem("no-when", "error", "says or does something, and not in which state", ".when")
        return
    if not item.say and not item.do and not any(_by_others(plan, evidence) for evidence in item.shown_by):
        yield Problem("no-model-answer", "error", "nothing that is said or done shows it", ".do")
        return
    if item.when is not None and item.when not in plan.earliest:
        yield Problem("unreachable", "error", f"nobody comes to the state {item.when}", ".when")
        return
    yield from _acts(plan, item)
    wrong = [_why_not(plan, item, evidence) for evidence in item.shown_by]
    if all(wrong):
        yield Problem(
            "not-shown", "error", f"its own say and do do not show it: {'; '.join(wrong)}", ".shown_by"
        )


def _by_others(plan: _Plan, evidence: Evidence) -> bool:
    return bool(evidence.did) and not evidence.said and set(evidence.did) <= plan.done


def _acts(plan: _Plan, item: RubricLine) -> Iterator[Problem]:
    for did in item.do:
        action = plan.scenario.actions_by_id[did]
        if action.states and item.when not in action.states:
            yield Problem("not-there", "error", f"{did} cannot be done in the state {item.when}", ".do")
        if missing := set(action.needs) - plan.done:
            message = f"{did} needs {', '.join(sorted(missing))}, which no item does"
            yield Problem("needs", "error", message, ".do")
        if action.harmful:
            yield Problem("harmful", "error", f"the model answer does harm: {did}", ".do")


def _why_not(plan: _Plan, item: RubricLine, evidence: Evidence) -> str:
    """The reason why one way of showing an item fails for its model answer; empty where it does not."""
    if undone := set(evidence.did) - plan.done:
        return f"nothing does {', '.join(sorted(undone))}"
    if item.do and evidence.did and not set(item.do) & set(evidence.did):
        return f"{', '.join(item.do)} is none of what shows it"
    if unmet := [rule for rule in evidence.said if not says(item.say, (rule,))]:
        return f"`say` does not meet {unmet[0]!r}"
    if evidence.in_state and item.when not in evidence.in_state:
        return f"it is shown in {', '.join(evidence.in_state)}, not in {item.when}"
    if spoilt := set(evidence.not_did) & plan.done:
        return f"another item does {', '.join(sorted(spoilt))}"
    return _too_late(plan, item, evidence)


def _too_late(plan: _Plan, item: RubricLine, evidence: Evidence) -> str:
    if evidence.within is None:
        return ""
    first = plan.scenario.states[0].id
    since, when = evidence.since or first, item.when or evidence.since or first
    if since not in plan.earliest:
        return f"nobody comes to the state {since}"
    actions = plan.scenario.actions_by_id
    acts = [
        actions[did].minutes + sum(actions[n].minutes for n in actions[did].needs) for did in evidence.did
    ]
    took = max([*acts, 0 if acts else _TURN]) + max(0, plan.earliest[when] - plan.earliest[since])
    return f"takes at least {took} minutes, not {evidence.within}" if took > evidence.within else ""


def _negative(plan: _Plan, item: RubricLine) -> Iterator[Problem]:
    if item.say or item.do:
        yield Problem("negative-answer", "error", "counts against the examinee and has a model answer", "")
    for number, other in enumerate(plan.scenario.rubric, start=1):
        if other.traits.negative or not other.say:
            continue
        if any(_says(other, evidence) for evidence in item.shown_by):
            yield Problem("told-against", "error", f"is met by what item {number} says", ".shown_by")
    for evidence in item.shown_by:
        spared = set(evidence.not_did) & plan.done or evidence.before
        if evidence.did and not evidence.said and set(evidence.did) <= plan.done and not spared:
            level: Level = "error" if evidence.within is None else "warning"
            yield Problem("told-against", level, "is met by what the model answers do", ".shown_by")


def _says(item: RubricLine, evidence: Evidence) -> bool:
    """Whether an item's model answer meets evidence that consists of words alone."""
    here = not evidence.in_state or item.when in evidence.in_state
    return here and bool(evidence.said) and not evidence.did and says(item.say, evidence.said)


def _harm(scenario: Scenario) -> Iterator[Problem]:
    against = {
        did
        for item in scenario.rubric
        if item.traits.negative
        for evidence in item.shown_by
        for did in evidence.did
    }
    for action in scenario.actions:
        if action.harmful and action.id not in against:
            yield Problem(
                "harm-unjudged", "error", "does harm, and no item counts it", f"actions[{action.id}]"
            )
    for number, item in enumerate(scenario.rubric, start=1):
        if not item.traits.negative:
            earned = {did for evidence in item.shown_by for did in evidence.did}
            for did in sorted(earned):
                if scenario.actions_by_id[did].harmful:
                    yield Problem(
                        "harmful", "error", f"rewards what does harm: {did}", f"rubric[{number}].shown_by"
                    )
