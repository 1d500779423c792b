"""One line of an examinee on entering a state: the acts it causes, what is read back, the items it shows.

For authors of rubrics and of action terms: each line is judged alone, without the rest of an encounter.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from osler.cases.scenarios.model import Scenario
from osler.core.events import Event, TurnBegan
from osler.errors import BadInput
from osler.protocols.scenario.course import Course, Step
from osler.protocols.scenario.events import Assessed, Spoke, StateEntered
from osler.protocols.scenario.judge.keyed import items_shown
from osler.protocols.scenario.listening import PUZZLED, listener_of
from osler.protocols.scenario.players.controller import assessments_of
from osler.protocols.scenario.seats import Assessment, ExamineeMove
from osler.protocols.scenario.views import controller_view


class OneLine(NamedTuple):
    """The effects of one line: the items met (numbers from 1), the acts' ids, and the words read back."""

    met: tuple[int, ...]
    acts: tuple[str, ...]
    read_back: str | None


def one_line(scenario: Scenario, state: str, *, say: str = "", do: str = "") -> OneLine:
    """Try one line, said or done, on entering a state. Whatever an act needs counts as done before.

    Raises BadInput for a packet, which has no states, and for a state that the scenario does not have.
    """
    if state not in scenario.states_by_id:
        known = ", ".join(scenario.states_by_id) or "none: it is a packet of prose"
        raise BadInput(f"there is no state {state[:60]!r}", where=scenario.id, hint=f"states: {known}")
    course = Course(scenario)
    before = course.begin_at(state)
    move = ExamineeMove(speak=say, actions=(do,) if do else ())
    orders = listener_of(scenario).listen(say, state)
    spoken = tuple(
        Assessment(raw=order.words, interpreted_action=order.action, status="executed")
        for order in orders.orders
    )
    assessed = (*spoken, *assessments_of(controller_view(scenario), move.actions, state))
    acts = tuple(dict.fromkeys(one.interpreted_action for one in assessed if one.status == "executed"))
    course.done |= dict.fromkeys(_needed(scenario, acts), 0)
    steps = course.turn(move, assessed)
    events = [*_first(before, state), TurnBegan(minute=0, turn=1, turns_left=1)]
    if say:
        events.append(Spoke(minute=0, by="examinee", who="examinee", text=say))
    asked = " ".join(one.question for one in orders.asked) or (PUZZLED if orders.puzzled else None)
    return OneLine(_met(scenario, [*events, *_acts_of(steps)]), acts, asked)


def _met(scenario: Scenario, events: Iterable[Event]) -> tuple[int, ...]:
    """The items shown by the built-in judge's rules, by their numbers: the seam to the marks."""
    shown = items_shown(scenario, events)
    return tuple(number for number, quotes in enumerate(shown, start=1) if quotes is not None)


def _needed(scenario: Scenario, acts: Iterable[str]) -> set[str]:
    """The prerequisites of acts, and theirs."""
    result: set[str] = set()
    left = list(acts)
    while left:
        needs = set(scenario.actions_by_id[left.pop()].needs) - result
        result |= needs
        left += needs
    return result


def _first(steps: Iterable[Step], state: str) -> list[Event]:
    return [each for each in _told(steps) if isinstance(each, StateEntered) and each.state == state]


def _acts_of(steps: Iterable[Step]) -> list[Event]:
    """The acts alone: a state that they lead to is not the state of the line."""
    return [each for each in _told(steps) if isinstance(each, Assessed)]


def _told(steps: Iterable[Step]) -> list[Event]:
    return [kind(minute=minute, to=to, **what) for minute, kind, to, what in steps]
