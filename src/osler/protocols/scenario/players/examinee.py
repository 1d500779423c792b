"""The built-in examinee: a structured clinical approach from general knowledge, the same for all scenarios.

It recognizes situations by words and vital signs in the texts shown
(`osler.protocols.scenario.players.approach`), takes their steps, most urgent first, and ends the
state when its list is empty. An honest baseline: it does not reason and knows no scenario.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from osler.core.contract import Request
from osler.protocols.scenario.players.approach import (
    Approach,
    Situation,
    Step,
    age_in,
    any_met,
    approach,
    of_age,
)
from osler.protocols.scenario.players.view_state import MOST_ACTS, ViewState, shown
from osler.protocols.scenario.seats import ExamineeMove

ACTS: Final = 6
SENTENCES: Final = 5


class BaselineExaminee:
    """The built-in examinee. Stateless."""

    name: Final = "baseline"
    durable: Final = False

    async def reply(self, request: Request[Any], /) -> ExamineeMove:
        """Take the next steps that are due, and end the state if that is all."""
        state = shown(request)
        all_at_once = state.view.whole_case is not None
        return next_move(state, MOST_ACTS if all_at_once else ACTS, MOST_ACTS if all_at_once else SENTENCES)


class _Due(NamedTuple):
    situation: Situation
    step: Step
    words: str


def next_move(state: ViewState, acts: int, sentences: int) -> ExamineeMove:
    """Take up to `acts` acts and `sentences` sentences that are due; `eos` if nothing is left after them."""
    say: list[str] = []
    do: list[str] = []
    left = paused = False
    escalated: set[str] = set()
    due = list(_due(state, approach()))
    closing = all(each.situation.last for each in due)
    for situation, step, words in due:
        if (situation.last and not closing) or (step.escalates and situation.id in escalated):
            left = True
        elif step.do and len(do) < acts:
            do.append(words)
            if step.escalates:
                escalated.add(situation.id)
        elif not step.do and not paused and len(say) < sentences:
            say.append(words)
            paused = step.pause
        else:
            left = True
    return ExamineeMove(speak=" ".join(say), actions=tuple(do), eos=not left or state.last_chance)


def _due(state: ViewState, knowing: Approach) -> Iterator[_Due]:
    age = age_in(" ".join(state.everything[:3]))
    everything = tuple(stem for text in state.everything for stem in knowing.read(text, age))
    now = tuple(stem for text in state.now for stem in knowing.read(text, age))
    names = {"team": state.named("team"), "family": state.named("family"), "patient": _patient(state)}
    listed: set[str] = set()
    for situation in knowing.recognized(everything, age):
        for step in situation.steps:
            if not _called_for(step, everything, now, age, state):
                continue
            words = knowing.worded(step.words, age, names)
            if words not in listed and not _done(step, words, state):
                listed.add(words)
                yield _Due(situation, step, words)


def _patient(state: ViewState) -> str:
    return next((person.name for person in state.view.people if person.role == "patient"), "there")


def _called_for(
    step: Step, everything: tuple[str, ...], now: tuple[str, ...], age: float | None, state: ViewState
) -> bool:
    if (step.to and not state.named(step.to)) or (step.alone and state.named("family")):
        return False
    if not of_age(step.ages, age):
        return False
    if step.now and not any_met(step.now, now):
        return False
    if step.when and not any_met(step.when, everything):
        return False
    return not (step.unless and any_met(step.unless, everything))


def _done(step: Step, words: str, state: ViewState) -> bool:
    moves = state.since_change if step.again else state.moves
    if step.do:
        return any(words in move.actions for move in moves)
    return any(words in move.speak for move in moves)
