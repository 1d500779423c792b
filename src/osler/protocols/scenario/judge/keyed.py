"""The built-in judge of our own scenarios: each rubric item is decided by the evidence its author declared.

Actions come from the engine's record (which declared action, at what minute, in which state), speech from the
examinee's words, spoken or written as an act, matched by the rules of `osler.text.said_rules`. It does not
read meaning: words that no rule anticipates are "not seen", never "missed", and the result is a range. An
imported rubric declares no evidence and is judged by the words it shares with the transcript
(`osler.judging.rubric.lexical`).
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from osler.cases.rubrics.model import Rubric, RubricItem
from osler.cases.scenarios.model import RUBRIC_VERSION, Evidence, RubricLine, Scenario
from osler.core.events import Event, Released, TurnBegan
from osler.core.judge import version_of
from osler.core.order_events import Taken
from osler.core.trace import Trace
from osler.judging.lines import JudgedLine, Quote
from osler.judging.rubric import lexical
from osler.judging.rubric.judgement import RubricJudgement, foregone, unscored
from osler.judging.rubric.of_episodes import lines_or_reason
from osler.judging.rubric.scores import Verdict
from osler.judging.scores import QUOTE
from osler.protocols.scenario.events import Assessed, Spoke, StateEntered
from osler.protocols.scenario.settings import PROTOCOL
from osler.text.hostile import inert
from osler.text.languages import ENGLISH, NOT_ENGLISH
from osler.text.said_rules import fingerprint, heard_in
from osler.text.tokens import as_marked

GRADER: Final = "rubric:keyed"
VERSION: Final = "3"
"""Increment it with every change to how this judge decides."""
MOMENT: Final = "@acknowledges_feeling"
"""The rule for moments to look at where no rule can tell."""
_MOMENTS: Final = 3
OTHER_SCENARIO: Final = "the record is of another scenario"


def judge_scenario(scenario: Scenario, trace: Trace, language: str = ENGLISH) -> RubricJudgement:
    """Judge one episode by the scenario's rubric. Never raises: an unreadable record is unscored, and so is
    an episode in another language than English.

    A scenario without a rubric has nothing to score, which is not the same as a score of 0.
    """
    lines, reason = lines_or_reason(trace, PROTOCOL)
    if language != ENGLISH:
        reason = reason or NOT_ENGLISH
    rubric = rubric_of(scenario)
    if not scenario.rubric:
        return lexical.judged(rubric, lines, reason)
    verdicts = unscored(rubric, reason) if reason else _verdicts(scenario, rubric, trace, lines)
    return RubricJudgement(GRADER, version(scenario), rubric, verdicts)


def version(scenario: Scenario) -> str:
    """The version, which changes whenever this judge might judge differently by the scenario's own rubric."""
    return version_of(VERSION, scenario=scenario.content_hash, speech=fingerprint())


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
    """The examinee's words, spoken in a turn or written as an act; `understood` if they were an act alone."""

    place: int
    turn: int
    minute: int
    state: str
    text: str
    understood: bool = False


class _ImpossibleAct(NamedTuple):
    """An act that was asked for and not possible then."""

    turn: int
    action: str
    raw: str


class _Record(NamedTuple):
    """The examinee's acts and speech in a trace, and the place and minute of first entry into each state.

    `awaited` are the acts whose results were not back at the end.
    """

    did: tuple[_Did, ...]
    said: tuple[_SaidNow, ...]
    asked: tuple[_ImpossibleAct, ...]
    entered: dict[str, tuple[int, int]]
    awaited: frozenset[str]


def _verdicts(
    scenario: Scenario, rubric: Rubric, trace: Trace, lines: Sequence[JudgedLine]
) -> tuple[Verdict, ...]:
    record = _read(trace.events)
    strange = {act.action for act in record.did} - scenario.actions_by_id.keys()
    if strange or record.entered.keys() - scenario.states_by_id.keys():
        return unscored(rubric, OTHER_SCENARIO)
    return tuple(
        foregone(item, lines) or _verdict(item, line, record)
        for item, line in zip(rubric.items, scenario.rubric, strict=True)
    )


def _read(events: Iterable[Event]) -> _Record:
    turn, state = 0, ""
    did: list[_Did] = []
    nows: list[_SaidNow] = []
    acts: list[_ImpossibleAct] = []
    awaited: set[str] = set()
    entered: dict[str, tuple[int, int]] = {}
    for place, event in enumerate(events):
        match event:
            case TurnBegan():
                turn = event.turn
            case StateEntered():
                state = event.state
                entered.setdefault(state, (place, event.minute))
            case Spoke(by="examinee"):
                nows.append(_SaidNow(place, turn, event.minute, state, event.text))
            case Assessed():
                # "Apologize to her for the wait", written as an act, is as good as said.
                known = event.status == "executed" and bool(event.action)
                # A spoken order is a piece of a speech that was heard whole, with what it denies or puts off.
                if not any(one.turn == turn and _holds(one.text, event.raw) for one in nows):
                    nows.append(_SaidNow(place, turn, event.minute, state, event.raw, known))
                if known:
                    did.append(_Did(place, turn, event.minute, state, event.action, event.raw))
                elif event.status == "pending":
                    acts.append(_ImpossibleAct(turn, event.action, event.raw))
            case Taken() if did:
                awaited.add(did[-1].action)
            case Released():
                awaited.discard(event.item)
    return _Record(tuple(did), tuple(nows), tuple(acts), entered, frozenset(awaited))


def _holds(text: str, piece: str) -> bool:
    """Whether speech holds a piece of it, which may have been taken out without fillers."""
    return piece in text or piece in as_marked(text)


def _verdict(item: RubricItem, line: RubricLine, record: _Record) -> Verdict:
    quotes = _first(line, record)
    if quotes is not None:
        acts = {did for evidence in line.shown_by for did in evidence.did}
        waits = not item.traits.negative and acts & record.awaited
        why = "ordered; the result was not back at the end" if waits else "the declared evidence was shown"
        return Verdict(item.id, True, "", quotes, why, open="ordered" if waits else "")
    if item.traits.negative:
        return Verdict(item.id, False, "", (), "nothing of the kind was recognized")
    return _not_shown(item, line, record)


def _not_shown(item: RubricItem, line: RubricLine, record: _Record) -> Verdict:
    """The verdict on an item that no evidence shows: definite only where nothing could have shown it."""
    for evidence in line.shown_by:
        if late := _late(evidence, record):
            return Verdict(
                item.id, False, "", late, "done, but not in the time or the order that it asks for"
            )
    for act in record.asked:
        if any(act.action in evidence.did for evidence in line.shown_by):
            quote = Quote(act.turn, inert(act.raw, QUOTE))
            return Verdict(item.id, False, "", (quote,), "asked for, and not possible then", open="ordered")
    ways = line.shown_by or (Evidence.model_construct(),)  # without evidence a person judges, at any time
    nows = [
        turn
        for turn in record.said
        if any(_in_time(turn, evidence, record) for evidence in ways) and not turn.understood
    ]
    if not nows:
        return Verdict(item.id, False, "", (), "nothing was said or done in its time that could be it")
    if line.by_ear:
        moments = [moment for turn in nows if (moment := _quoted(MOMENT, [turn]))]
        quotes = tuple(dict.fromkeys(moments))[:_MOMENTS]
        return Verdict(item.id, False, "", quotes, "no rule can tell", open="not_by_rule")
    parts = _parts(line, record)
    return Verdict(item.id, False, "", parts.quotes, parts.why, open="not_seen")


class _Parts(NamedTuple):
    quotes: tuple[Quote, ...]
    why: str


def _parts(line: RubricLine, record: _Record) -> _Parts:
    """The parts of a criterion that were recognized although not all of them were."""
    parts: tuple[Quote, ...] = ()
    most, of = 0, 0
    for evidence in line.shown_by:
        if len(evidence.said) + len(evidence.did) < 2:
            continue
        each = [
            *(_with_act(evidence, did) for did in evidence.did),
            *(_with_words(evidence, one) for one in evidence.said),
        ]
        shown = [quotes for one in each if (quotes := _shown(one, record))]
        if len(shown) > most:
            most, of, parts = len(shown), len(each), tuple(quote for quotes in shown for quote in quotes)
    return _Parts(parts, f"{most} of its {of} parts recognized" if most else "not recognized")


def _with_act(evidence: Evidence, did: str) -> Evidence:
    return evidence.model_copy(update={"did": (did,), "said": ()})


def _with_words(evidence: Evidence, said: str) -> Evidence:
    return evidence.model_copy(update={"did": (), "said": (said,)})


def _late(evidence: Evidence, record: _Record) -> tuple[Quote, ...]:
    """The acts that would show an item if they had been done in time; empty if they were not done at all."""
    if not evidence.did or evidence.said or set(evidence.did) - {act.action for act in record.did}:
        return ()
    acts = (next(act for act in record.did if act.action == wanted) for wanted in evidence.did)
    return tuple(Quote(act.turn, inert(act.raw, QUOTE)) for act in acts)


def _first(line: RubricLine, record: _Record) -> tuple[Quote, ...] | None:
    result = (_shown(evidence, record) for evidence in line.shown_by)
    return next((quotes for quotes in result if quotes is not None), None)


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
        heard = _heard([turn for turn in record.said if _in_time(turn, evidence, record)], evidence)
        if heard is None:
            return None
        quotes += heard
    return tuple(dict.fromkeys(quotes))


def _heard(turns: Sequence[_SaidNow], evidence: Evidence) -> list[Quote] | None:
    """The words that meet every rule for speech, each in any turn or all in one; `None` if one is not met."""
    for among in [[turn] for turn in turns] if evidence.together else [turns]:
        quotes = [quote for rule in evidence.said if (quote := _quoted(rule, among))]
        if len(quotes) == len(evidence.said):
            return quotes
    return None


def _quoted(rule: str, turns: Iterable[_SaidNow]) -> Quote | None:
    """The first words that meet a rule: a sentence or two neighbouring ones of a turn."""
    pairs = ((turn.turn, heard_in(turn.text, rule)) for turn in turns)
    return next((Quote(turn, inert(words, QUOTE)) for turn, words in pairs if words is not None), None)


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
