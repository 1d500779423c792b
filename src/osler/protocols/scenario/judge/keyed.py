"""The built-in judge of our own scenarios: each rubric item is decided by the evidence its author declared.

Actions come from the engine's record (which declared action, at what minute, in which state), speech from the
examinee's words, turn by turn, matched by the rules of `osler.text.act_rules`. It does not read meaning:
words that no rule anticipates earn nothing. An imported rubric declares no evidence and is judged by the
words it shares with the transcript (`osler.judging.rubric.lexical`).
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from osler.cases.rubrics.model import Rubric
from osler.cases.scenarios.model import RUBRIC_VERSION, Evidence, RubricLine, Scenario
from osler.core.events import Event, TurnBegan
from osler.core.judge import version_of
from osler.core.trace import Trace
from osler.judging.lines import Line, Quote
from osler.judging.rubric import lexical
from osler.judging.rubric.judgement import RubricJudgement, foregone, unscored
from osler.judging.rubric.of_episodes import lines_or_reason
from osler.judging.rubric.scores import Verdict
from osler.judging.scores import QUOTE
from osler.protocols.scenario.events import Assessed, Spoke, StateEntered
from osler.protocols.scenario.story import PROTOCOL
from osler.text import act_rules as acts
from osler.text.hostile import inert
from osler.text.tokens import sentences

GRADER: Final = "rubric:keyed"
VERSION: Final = "2"
"""Increment it with every change to how this judge decides."""
OTHER_SCENARIO: Final = "the record is of another scenario"


def judge_scenario(scenario: Scenario, trace: Trace) -> RubricJudgement:
    """Judge one episode by the scenario's rubric. Never raises: an unreadable record is unscored.

    A scenario without a rubric has nothing to score, which is not the same as a score of 0.
    """
    lines, reason = lines_or_reason(trace, PROTOCOL)
    rubric = rubric_of(scenario)
    if not scenario.rubric:
        return lexical.judged(rubric, lines, reason)
    verdicts = unscored(rubric, reason) if reason else _verdicts(scenario, rubric, trace, lines)
    return RubricJudgement(GRADER, version(scenario), rubric, verdicts)


def version(scenario: Scenario) -> str:
    """The version, which changes whenever this judge might judge differently by the scenario's own rubric."""
    return version_of(VERSION, scenario=scenario.content_hash)


def items_shown(scenario: Scenario, events: Iterable[Event]) -> tuple[tuple[Quote, ...] | None, ...]:
    """For each line of the scenario's own rubric, the words that show it, or `None`."""
    record = _read(events)
    return tuple(_first(line, record) for line in scenario.rubric)


def rubric_of(scenario: Scenario) -> Rubric:
    """The frozen rubric by which a scenario is judged; one without items if it has none."""
    return scenario.items or Rubric(
        case_id=scenario.case_id, scenario=scenario.scenario, version=RUBRIC_VERSION, items=(), layout=()
    )


class _Did(NamedTuple):
    """A declared action that was done, with the examinee's own words; `place` orders acts and speech."""

    place: int
    turn: int
    minute: int
    state: str
    action: str
    raw: str


class _SaidNow(NamedTuple):
    """The examinee's speech in one turn."""

    place: int
    turn: int
    minute: int
    state: str
    text: str


class _Record(NamedTuple):
    """The examinee's acts and speech in a trace, and the place and minute of first entry into each state."""

    did: tuple[_Did, ...]
    said: tuple[_SaidNow, ...]
    entered: dict[str, tuple[int, int]]


def _verdicts(scenario: Scenario, rubric: Rubric, trace: Trace, lines: Sequence[Line]) -> tuple[Verdict, ...]:
    record = _read(trace.events)
    strange = {act.action for act in record.did} - scenario.actions_by_id.keys()
    if strange or record.entered.keys() - scenario.states_by_id.keys():
        return unscored(rubric, OTHER_SCENARIO)
    return tuple(
        foregone(item, lines) or _verdict(item.id, line, record)
        for item, line in zip(rubric.items, scenario.rubric, strict=True)
    )


def _read(events: Iterable[Event]) -> _Record:
    turn, state = 0, ""
    did: list[_Did] = []
    said: list[_SaidNow] = []
    entered: dict[str, tuple[int, int]] = {}
    for place, event in enumerate(events):
        match event:
            case TurnBegan():
                turn = event.turn
            case StateEntered():
                state = event.state
                entered.setdefault(state, (place, event.minute))
            case Spoke(by="examinee"):
                said.append(_SaidNow(place, turn, event.minute, state, event.text))
            case Assessed(status="executed") if event.action:
                did.append(_Did(place, turn, event.minute, state, event.action, event.raw))
    return _Record(tuple(did), tuple(said), entered)


def _verdict(item: str, line: RubricLine, record: _Record) -> Verdict:
    quotes = _first(line, record)
    if quotes is None:
        return Verdict(item, False, "", (), "none of the declared evidence was shown")
    return Verdict(item, True, "", quotes, "the declared evidence was shown")


def _first(line: RubricLine, record: _Record) -> tuple[Quote, ...] | None:
    found = (_shown(evidence, record) for evidence in line.shown_by)
    return next((quotes for quotes in found if quotes is not None), None)


def _shown(evidence: Evidence, record: _Record) -> tuple[Quote, ...] | None:
    """The words that show a piece of evidence, or `None`."""
    done = {act.action for act in record.did}
    if done.intersection(evidence.not_did):
        return None
    quotes: list[Quote] = []
    for wanted in evidence.did:
        act = next((a for a in record.did if a.action == wanted and _in_time(a, evidence, record)), None)
        if act is None:
            return None
        quotes.append(Quote(act.turn, inert(act.raw, QUOTE)))
    if evidence.said:
        turn = next((t for t in record.said if _in_time(t, evidence, record) and _says(t, evidence)), None)
        if turn is None:
            return None
        quotes.append(Quote(turn.turn, _sentence(turn.text, evidence.said)))
    return tuple(dict.fromkeys(quotes))


def _in_time(one: _Did | _SaidNow, evidence: Evidence, record: _Record) -> bool:
    """Whether an act or speech meets the evidence's constraints of state, order and time."""
    if evidence.in_state and one.state not in evidence.in_state:
        return False
    if evidence.before:
        first = next((act.place for act in record.did if act.action == evidence.before), None)
        if first is not None and one.place > first:
            return False
    place, since = record.entered.get(evidence.since, (sys.maxsize, 0)) if evidence.since else (0, 0)
    return one.place >= place and (evidence.within is None or one.minute - since <= evidence.within)


def _says(turn: _SaidNow, evidence: Evidence) -> bool:
    return acts.says(turn.text, evidence.said)


def _sentence(text: str, rules: Sequence[str]) -> str:
    """The first sentence that meets every rule, or else the whole turn."""
    for sentence in sentences(text):
        if acts.says(sentence, rules):
            return inert(sentence.strip(), QUOTE)
    return inert(text, QUOTE)
