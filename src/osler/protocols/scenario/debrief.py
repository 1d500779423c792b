"""The debriefing of a person after a scenario: every item met or missed, with quotes, and where to retry."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from rich.console import Group, RenderableType
from rich.text import Text

from osler.cases.rubrics.model import COMPETENCIES, NAMES, Item
from osler.cases.scenarios.model import Scenario
from osler.core.events import TurnBegan
from osler.core.registry import protocol_named
from osler.core.trace import Trace
from osler.judging.lines import as_examined, by_examinee, lines_of
from osler.judging.rubric.judgement import RubricJudgement
from osler.judging.rubric.scores import Verdict
from osler.judging.scores import Score
from osler.protocols.scenario.events import StateEntered
from osler.protocols.scenario.story import PROTOCOL
from osler.reports.cells import number
from osler.text.hostile import inert, safe

_LONGEST: Final = 120
_SHOWN: Final = 3
"""The length of a quote in characters, and the number of quotes from a turn in which an item was missed."""
_SCORES: Final = {
    "net": "net score (weight of items met, less what counts against you)",
    "completion": "items that hold, as published (negative ones included)",
    "critical": "every critical item right",
    "harm": "harm done",
}


class TryAgain(NamedTuple):
    """A point to retry from: the missed item, and the number of exchanges to keep."""

    item: Item
    keep: int


def first_missed(scenario: Scenario, trace: Trace, judgement: RubricJudgement) -> TryAgain | None:
    """Return the first critical item that went wrong, with the exchanges before the turn in which it was due.

    A missed item is due from the first turn in its state, a negative one in the turn whose words show it. An
    item that was never due comes last, to be retried from the beginning. `None` if no critical item went
    wrong.
    """
    turns = _turns(trace)
    wrong = {
        item: _due(scenario, turns, item, judgement.by_id[item.id])
        for item in judgement.rubric.items
        if item.traits.critical and judgement.by_id[item.id].holds is item.traits.negative
    }
    first = min(wrong, key=lambda item: (not wrong[item], _keep(wrong[item])), default=None)
    return None if first is None else TryAgain(first, _keep(wrong[first]))


def scenario_report(scenario: Scenario, trace: Trace, judgement: RubricJudgement) -> RenderableType:
    """Return the debriefing for a terminal."""
    lines = []
    for heading, entries in told(scenario, trace, judgement).items():
        lines.append(Text(heading, "bold"))
        lines.extend(Text(f"  {entry}") for entry in entries or ["nothing"])
    return Group(*lines)


def told(scenario: Scenario, trace: Trace, judgement: RubricJudgement) -> dict[str, list[str]]:
    """Return the debriefing as headings with their entries, safe to show: the scores, each item with its
    quotes, and the points to take away.

    For a missed item the quote is what was said and done when it was first due.
    """
    items, turns = judgement.rubric.items, _turns(trace)
    found = {"Your score": list(_scores(judgement))}
    for competency in COMPETENCIES:
        entries = []
        for item in items:
            if item.competency == competency:
                verdict = judgement.by_id[item.id]
                entries += [*_outcome(item, verdict), *_quotes(scenario, turns, item, verdict)]
        if entries:
            found[f"{competency}, {NAMES[competency]}"] = entries
    if scenario.debrief:
        found["To take away"] = [f"- {note}" for note in scenario.debrief]
    if sources := scenario.provenance.sources:
        found["Sources"] = [f"- {source.title} ({source.year})" for source in sources]
    return {heading: [safe(entry) for entry in entries] for heading, entries in found.items()}


def _scores(judgement: RubricJudgement) -> Iterator[str]:
    for name, words in _SCORES.items():
        score: Score = getattr(judgement.scores, name)
        if name in ("critical", "harm") and score.value is not None:
            yield f"{words}: {'yes' if score.value else 'no'}"
        else:
            yield f"{words}: {score.reason if score.value is None else number(score.value, True)}"


def _outcome(item: Item, verdict: Verdict) -> Iterator[str]:
    outcome = {
        (True, False): "met",
        (False, False): "MISSED",
        (True, True): "DONE, which counts against you",
        (False, True): "not done, as it should be",
    }
    if verdict.holds is None:
        said = f"no verdict ({verdict.reason})"
    else:
        said = outcome[verdict.holds, item.traits.negative]
    critical = " (critical)" if item.traits.critical else ""
    yield f"[{said}]{critical} {' '.join(item.text.split())}"


class _Turn(NamedTuple):
    """A turn of the examinee: its number, exchange and state, and what was said and done in it."""

    turn: int
    exchange: int
    state: str
    words: str


def _quotes(scenario: Scenario, turns: Sequence[_Turn], item: Item, verdict: Verdict) -> Iterator[str]:
    for quote in verdict.quotes:
        yield f'    turn {quote.turn}: "{quote.text}"'
    if verdict.holds is False and not item.traits.negative:
        due = _due(scenario, turns, item, verdict)
        if not due:
            yield "    its moment never came"
        else:
            yield f"    due from turn {due[0].turn}: {due[0].words or 'nothing was said or done'}"


def _turns(trace: Trace) -> list[_Turn]:
    said: dict[int, list[str]] = defaultdict(list)
    for line in by_examinee(lines_of(trace, protocol_named(PROTOCOL), as_examined)):
        said[line.turn].append(f'"{inert(line.text, _LONGEST)}"')
    seats = {row.n: row.seat for row in trace.rows}
    turn, state, found = 0, "", []
    for before, events in trace.told():
        for event in events:
            if isinstance(event, StateEntered):
                state = event.state
            elif isinstance(event, TurnBegan):
                turn = event.turn
        if seats.get(before + 1) == "examinee":
            found.append(_Turn(turn, before + 1, state, ", ".join(said[turn][:_SHOWN])))
    return found


def _due(scenario: Scenario, turns: Sequence[_Turn], item: Item, verdict: Verdict) -> list[_Turn]:
    """Return the turns in which an item was due; for a negative item, those in which it was done."""
    if item.traits.negative:
        return [each for each in turns if each.turn in {quote.turn for quote in verdict.quotes}]
    states = {line.when for line in scenario.rubric if line.text == item.text and line.when}
    return [each for each in turns if not states or each.state in states]


def _keep(due: Sequence[_Turn]) -> int:
    return due[0].exchange - 1 if due else 0
