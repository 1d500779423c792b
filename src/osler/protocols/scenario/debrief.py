"""The debriefing of a person after a scenario: every item with quotes, and where to retry.

An examiner by rule says what it recognized, what it did not see, and what no rule can tell; the result is a
range. Only a judge that reads meaning says "missed".
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final, NamedTuple

from rich.console import Group, RenderableType
from rich.text import Text

from osler.cases.rubrics.model import COMPETENCIES, NAMES, Item
from osler.cases.scenarios.model import Scenario
from osler.core.events import TurnBegan
from osler.core.registry import protocol_named
from osler.core.trace import Trace
from osler.judging.contests import Contest, contest_lines, with_accepted
from osler.judging.lines import as_examined, by_examinee, lines_of
from osler.judging.rubric.judgement import RubricJudgement
from osler.judging.rubric.scores import Verdict
from osler.judging.scores import Score
from osler.protocols.scenario.events import StateEntered
from osler.protocols.scenario.judge.keyed import MOMENT
from osler.protocols.scenario.settings import PROTOCOL
from osler.reports.cells import number
from osler.text.hostile import inert, safe
from osler.text.said_rules import heard_in

_LONGEST: Final = 120
_SHOWN: Final = 3
_MOMENTS: Final = 5
"""The length of a quote in characters, the number of quotes from a turn in which an item was due,
and that of moments."""
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
    turns = turns_of(trace)
    wrong = {
        item: due(scenario, turns, item, judgement.by_id[item.id])
        for item in judgement.rubric.items
        if item.traits.critical and judgement.by_id[item.id].holds is item.traits.negative
    }
    first = min(wrong, key=lambda item: (not wrong[item], _keep(wrong[item])), default=None)
    return None if first is None else TryAgain(first, _keep(wrong[first]))


def scenario_report(
    scenario: Scenario,
    trace: Trace,
    judgement: RubricJudgement,
    contests: Sequence[Contest] = (),
    of: str = "",
) -> RenderableType:
    """Return the debriefing for a terminal; `of` is the episode as RUN:EPISODE, for the commands it names."""
    lines = []
    for heading, entries in told(scenario, trace, judgement, contests, of).items():
        lines.append(Text(heading, "bold"))
        lines.extend(Text(f"  {entry}") for entry in entries or ["nothing"])
    return Group(*lines)


def told(
    scenario: Scenario,
    trace: Trace,
    judgement: RubricJudgement,
    contests: Sequence[Contest] = (),
    of: str = "",
) -> dict[str, list[str]]:
    """Return the debriefing as headings with their entries, safe to show: the scores, each item with its
    quotes and with what was said against its verdict, and the points to take away.

    For an item that was not met the quote is what was said and done when it was first due.
    """
    items, turns = judgement.rubric.items, turns_of(trace)
    against = {one.item: one for one in contests}
    found = {"Your score": [*score_lines(judgement, contests), *_caveat(judgement, of)]}
    for competency in COMPETENCIES:
        entries = []
        for item in items:
            if item.competency == competency:
                verdict = judgement.by_id[item.id]
                entries += [
                    *_outcome(item, verdict, judgement.by_rule),
                    *_quotes(scenario, turns, item, verdict),
                ]
                if item.id in against:
                    entries += [f"    {line}" for line in contest_lines(against[item.id])]
        if entries:
            found[f"{competency}, {NAMES[competency]}"] = entries
    if judgement.by_rule and (moments := list(_moments(trace))):
        found["Empathy and rapport: moments to look at, no mark"] = moments
    if scenario.debrief:
        found["To take away"] = [f"- {note}" for note in scenario.debrief]
    if sources := scenario.provenance.sources:
        found["Sources"] = [f"- {source.told()}" for source in sources]
    return {heading: [safe(entry) for entry in entries] for heading, entries in found.items()}


def _moments(trace: Trace) -> Iterator[str]:
    """The examinee's sentences that take up a feeling: no rule can tell whether they did it well."""
    lines = by_examinee(lines_of(trace, protocol_named(PROTOCOL), as_examined))
    found = ((line.turn, words) for line in lines if (words := heard_in(line.text, MOMENT)))
    for turn, words in islice(dict.fromkeys(found), _MOMENTS):
        yield f'turn {turn}: "{inert(words, _LONGEST)}"'


def score_lines(judgement: RubricJudgement, contests: Sequence[Contest] = ()) -> Iterator[str]:
    """Yield the scores in words, and the second figure with what a teacher accepted, if there is one."""
    yield from _scores(judgement)
    yield from _second_figure(judgement, contests)


def _scores(judgement: RubricJudgement) -> Iterator[str]:
    for name, words in _SCORES.items():
        score: Score = getattr(judgement.scores, name)
        most: Score = getattr(judgement.highest, name)
        if score.value is None:
            yield f"{words}: {score.reason}"
        elif name == "critical" and most.value != score.value:
            yield f"{words}: cannot be told, {_critical(judgement)}"
        elif name in ("critical", "harm"):
            none = "none recognized" if name == "harm" and judgement.by_rule else "no"
            yield f"{words}: {'yes' if score.value else none}"
        else:
            yield f"{words}: {_reach(score, most)}"


def _reach(least: Score, most: Score) -> str:
    low, high = number(least.value, True), number(most.value, True)
    return low if low == high else f"between {low} and {high}"


def _critical(judgement: RubricJudgement) -> str:
    critical = [judgement.by_id[item.id] for item in judgement.rubric.items if item.traits.critical]
    unseen = sum(not verdict.holds and verdict.may_hold for verdict in critical)
    return f"{unseen} of {len(critical)} were not seen by this examiner"


def _second_figure(judgement: RubricJudgement, contests: Sequence[Contest]) -> Iterator[str]:
    """The net score with what a teacher accepted, beside the one by rule, which stays as it was."""
    second = with_accepted(judgement, contests)
    if second is not judgement:
        yield f"net score with what a teacher accepted: {_reach(second.scores.net, second.highest.net)}"


def _caveat(judgement: RubricJudgement, of: str) -> Iterator[str]:
    """The one line on what a built-in examiner can do, and how to have a model or a person mark."""
    if judgement.by_rule:
        run = of.rpartition(":")[0] or "RUN"
        yield (
            "Formative. A built-in examiner reads words, not meaning: what it did not see you may have done"
            f" all the same. To have a model mark: osler judge run {run} --judge model:NAME; a person:"
            f" osler marks answer {of or 'RUN:EPISODE'} ITEM accept --by NAME"
        )


_OPEN: Final = {
    "not_seen": "not seen",
    "not_by_rule": "cannot be judged by rule",
    "ordered": "asked for, not carried out",
}


def _outcome(item: Item, verdict: Verdict, by_rule: bool) -> Iterator[str]:
    critical = " (critical)" if item.traits.critical else ""
    yield f"[{outcome_words(item, verdict, by_rule)}]{critical} {' '.join(item.text.split())}"
    if by_rule and verdict.holds is False and verdict.quotes and not item.traits.negative:
        yield f"    {verdict.why}:"


def outcome_words(item: Item, verdict: Verdict, by_rule: bool) -> str:
    """The verdict on an item in a word or two, as the examinee reads it."""
    outcome = {
        (True, False): "met",
        (False, False): "not met" if by_rule else "MISSED",
        (True, True): "DONE, which counts against you",
        (False, True): "none recognized" if by_rule else "not done, as it should be",
    }
    if verdict.holds is None:
        return f"no verdict ({verdict.reason})"
    if verdict.holds and verdict.open:
        return "met: ordered, not yet back at the end"
    if verdict.open:
        return _OPEN[verdict.open]
    return outcome[verdict.holds, item.traits.negative]


class Turn(NamedTuple):
    """A turn of the examinee: its number, exchange and state, and what was said and done in it."""

    turn: int
    exchange: int
    state: str
    words: str


def _quotes(scenario: Scenario, turns: Sequence[Turn], item: Item, verdict: Verdict) -> Iterator[str]:
    for quote in verdict.quotes:
        yield f'    turn {quote.turn}: "{quote.text}"'
    if verdict.holds is False and not item.traits.negative:
        when = due(scenario, turns, item, verdict)
        if not when:
            yield "    its moment never came"
        else:
            yield f"    due from turn {when[0].turn}: {_words_then(when, turns)}"


def _words_then(when: Sequence[Turn], turns: Sequence[Turn]) -> str:
    """What was said and done when an item was due; the last words before it, if nothing was then."""
    if spoken := next((each for each in when if each.words), None):
        return spoken.words if spoken.turn == when[0].turn else f"turn {spoken.turn}: {spoken.words}"
    if before := next((each for each in reversed(turns) if each.words and each.turn < when[0].turn), None):
        return f"your last words before it, in turn {before.turn}: {before.words}"
    return "nothing was said or done"


def turns_of(trace: Trace) -> list[Turn]:
    """Return the turns of the examinee, in order."""
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
            found.append(Turn(turn, before + 1, state, ", ".join(said[turn][:_SHOWN])))
    return found


def due(scenario: Scenario, turns: Sequence[Turn], item: Item, verdict: Verdict) -> list[Turn]:
    """Return the turns in which an item was due; for a negative item, those in which it was done."""
    if item.traits.negative:
        return [each for each in turns if each.turn in {quote.turn for quote in verdict.quotes}]
    states = {line.when for line in scenario.rubric if line.text == item.text and line.when}
    return [each for each in turns if not states or each.state in states]


def _keep(when: Sequence[Turn]) -> int:
    return when[0].exchange - 1 if when else 0
