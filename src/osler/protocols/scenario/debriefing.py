"""The debriefing of a scenario, as records: every item with quotes, and where to try again.

An examiner by rule says what it recognized, what it did not see, and what no rule can tell; the result is a
range. For an item that was not met the debriefing says what was said and done when it was first due.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from math import floor
from typing import Final, NamedTuple

from osler.cases.rubrics.model import COMPETENCIES, NAMES, RubricItem
from osler.cases.scenarios.model import Scenario
from osler.core.debriefing import Debriefing, Ended, Entry, Kind, Phrase, Quote, Retry, Words, sections
from osler.core.events import TurnBegan
from osler.core.registry import protocol_named
from osler.core.said_in import SaidIn
from osler.core.trace import Trace
from osler.judging.contests import with_accepted
from osler.judging.lines import as_examined, by_examinee, lines_of
from osler.judging.rubric import lexical
from osler.judging.rubric.judgement import RubricJudgement, rubric_judgement_of, unscored
from osler.judging.rubric.published import final_evaluation
from osler.judging.rubric.scores import Verdict
from osler.judging.scores import Score
from osler.protocols.scenario.events import StateEntered
from osler.protocols.scenario.judge import keyed
from osler.protocols.scenario.measures import MEASURES
from osler.protocols.scenario.settings import PROTOCOL
from osler.runs.totals import NOT_JUDGED
from osler.text.hostile import inert
from osler.text.said_rules import heard_in

EXAMINEE: Final = "examinee"
_GROUPS: Final[Mapping[Kind, str]] = {
    "good": "seen",
    "missed": "not seen",
    "unsafe": "done, and better left out",
    "other": "rightly left out",
}
HEADINGS: Final[Mapping[str, tuple[Kind, str]]] = {
    "score": ("score", "{Your} score"),
    **{
        f"{code}_{kind}": (kind, f"{NAMES[code].capitalize()} ({code}): {words}")
        for code in COMPETENCIES
        for kind, words in _GROUPS.items()
    },
    "felt": ("talk", "Empathy and rapport: moments to look at, no mark"),
    "take_away": ("lesson", "To take away"),
    "sources": ("lesson", "Sources"),
}
"""The sections in order, the items by competency: what each is to the examinee, and its heading, which is
words alone."""
READS_WORDS: Final = Phrase(
    "Formative. A built-in examiner reads words, not meaning: what it did not see {you} may have done all the"
    " same."
)
_LONGEST: Final = 160
_WORDS: Final = 120
_SHOWN: Final = 3
_FELT: Final = 5
_MOMENTS: Final = 3
_NEXT: Final = 3
"""The length of a moment's quote and of other words in characters; the number of quotes from a turn in which
an item was due, of sentences that take up a feeling, of moments, and of pieces of advice."""
_OPEN: Final = {
    "not_seen": "not seen",
    "not_by_rule": "cannot be judged by rule",
    "ordered": "asked for, not carried out",
}


class Turn(NamedTuple):
    """A turn of the examinee: its number, exchange and state, and what was said and done in it."""

    turn: int
    exchange: int
    state: str
    words: str


@dataclass(frozen=True)
class Examined:
    """A scenario as its debriefing reads it: the scenario, the trace and a judgement by rule."""

    scenario: Scenario
    trace: Trace
    judgement: RubricJudgement

    @cached_property
    def turns(self) -> tuple[Turn, ...]:
        """The examinee's turns in order."""
        return tuple(_turns(self.trace))

    def due(self, item: RubricItem) -> list[Turn]:
        """The turns in which an item was due; for a negative item, those in which it was done."""
        if item.traits.negative:
            at = {quote.turn for quote in self.judgement.by_id[item.id].quotes}
            return [each for each in self.turns if each.turn in at]
        states = {line.when for line in self.scenario.rubric if line.text == item.text and line.when}
        return [each for each in self.turns if not states or each.state in states]


def debriefing(ended: Ended[Scenario]) -> Debriefing:
    """Return the debriefing of an ended scenario; without a judgement that can be read, nothing is scored."""
    return debriefed(Examined(ended.case, ended.trace, _judgement(ended)), ended.accepted, ended.reader)


def debriefed(played: Examined, accepted: frozenset[str] = frozenset(), reader: str = EXAMINEE) -> Debriefing:
    """Return the debriefing by one judgement, with the ids of the items that a teacher `accepted`."""
    judged, said_in = played.judgement, SaidIn(played.trace, EXAMINEE)
    second = with_accepted(judged, accepted)
    entries = {item.id: _entry(played, said_in, item) for item in judged.rubric.items}
    result: dict[str, list[Entry]] = {
        "score": [Entry(line) for line in _score_lines(judged, second)],
        "felt": list(_felt(played.trace, said_in)),
        "take_away": [Entry(note) for note in played.scenario.debrief],
        "sources": [Entry(source.told()) for source in played.scenario.provenance.sources],
    }
    for item in judged.rubric.items:
        name = f"{item.competency}_{_kind(item, judged.by_id[item.id])}"
        result.setdefault(name, []).append(entries[item.id])
    first = first_missed(played)
    return Debriefing(
        about=EXAMINEE,
        reader=reader,
        sentence=_sentence(judged),
        examiner=READS_WORDS,
        grader=judged.grader,
        moments=tuple(_moments(judged, entries)),
        next_time=tuple(_next_time(judged, first)),
        sections=sections(HEADINGS, result),
        retry=first,
        scores={name: score.value for name, score in judged.scores._asdict().items()},
        accepted={} if second is judged else {"net": second.scores.net.value},
        more={
            "items": final_evaluation(judged, ""),
            "states": {
                item.text: verdict.open or ("met" if verdict.holds else "not_met")
                for item, verdict in zip(judged.rubric.items, judged.verdicts, strict=True)
            },
            "net_range": {"at_least": judged.scores.net.value, "at_most": judged.highest.net.value},
        },
    )


def _judgement(ended: Ended[Scenario]) -> RubricJudgement:
    """The built-in judge's last judgement by the scenario's rubric; without one, everything is unscored."""
    rubric = keyed.rubric_of(ended.case)
    grader = keyed.GRADER if ended.case.rubric else lexical.GRADER
    for each in reversed([one for one in ended.judgements if one.grader == grader]):
        try:
            return rubric_judgement_of(each.body, rubric)
        except ValueError:  # by another rubric
            continue
    return RubricJudgement(grader, "", rubric, unscored(rubric, NOT_JUDGED))


def first_missed(played: Examined) -> Retry | None:
    """Return the first critical item that went wrong, with the exchanges before the turn in which it was due.

    A missed item is due from the first turn in its state, a negative one in the turn whose words show it. An
    item that was never due comes last, to be retried from the beginning. `None` if no critical item went
    wrong.
    """
    verdicts = played.judgement.by_id
    wrong = {
        item.text: played.due(item)
        for item in played.judgement.rubric.items
        if item.traits.critical and _went_wrong(item, verdicts[item.id])
    }
    first = min(wrong, key=lambda text: (not wrong[text], _keep(wrong[text])), default=None)
    return None if first is None else Retry(first, _keep(wrong[first]))


def _keep(when: Sequence[Turn]) -> int:
    return when[0].exchange - 1 if when else 0


def _went_wrong(item: RubricItem, verdict: Verdict) -> bool:
    return verdict.holds is item.traits.negative


def _kind(item: RubricItem, verdict: Verdict) -> Kind:
    if item.traits.negative:
        return "unsafe" if verdict.holds else "other"
    return "good" if verdict.holds else "missed"


def _entry(played: Examined, said_in: SaidIn, item: RubricItem) -> Entry:
    verdict, when = played.judgement.by_id[item.id], played.due(item)
    if verdict.quotes:
        first = verdict.quotes[0]
        at = said_in.turn(first.turn) or said_in.exchange(first.text)
    else:
        at = when[0].exchange if when else 0
    missed = not item.traits.negative and verdict.holds is False
    text = " ".join(item.text.split())
    return Entry(
        text=f"{text} (critical)" if item.traits.critical else text,
        quotes=tuple(Quote(quote.text, quote.turn) for quote in verdict.quotes),
        note=verdict.why if missed and verdict.quotes else "",
        mark=_mark(item, verdict),
        details=(_when_due(when, played.turns),) if missed else (),
        item=item.id,
        contestable=not (item.traits.negative or verdict.holds),
        exchange=at,
        keep=_keep(when) if when and _went_wrong(item, verdict) else None,
    )


def _mark(item: RubricItem, verdict: Verdict) -> str:
    """The verdict on an item in a word or two."""
    if verdict.holds is None:
        return f"no verdict ({verdict.reason})"
    if verdict.holds and verdict.open:
        return "met: ordered, not yet back at the end"
    if verdict.open:
        return _OPEN[verdict.open]
    if item.traits.negative:
        return "DONE, which counts against the score" if verdict.holds else "none recognized"
    return "met" if verdict.holds else "not met"


def _when_due(when: Sequence[Turn], turns: Sequence[Turn]) -> Words:
    """Quote what was said and done when an item was due, or else the last words before it."""
    if not when:
        return "its moment never came"
    first = str(when[0].turn)
    if spoken := next((each for each in when if each.words), None):
        then = spoken.words if spoken.turn == when[0].turn else f"turn {spoken.turn}: {spoken.words}"
        return f"due from turn {first}: {then}"
    if before := next((each for each in reversed(turns) if each.words and each.turn < when[0].turn), None):
        return Phrase(
            "due from turn {}: {your} last words before it, in turn {}: {}",
            (first, str(before.turn), before.words),
        )
    return f"due from turn {first}: nothing was said or done"


def _turns(trace: Trace) -> Iterator[Turn]:
    spoken: dict[int, list[str]] = defaultdict(list)
    for line in by_examinee(lines_of(trace, protocol_named(PROTOCOL), as_examined)):
        spoken[line.turn].append(f'"{inert(line.text, _WORDS)}"')
    seats = {row.n: row.seat for row in trace.rows}
    turn, state = 0, ""
    for before, events in trace.told():
        for event in events:
            if isinstance(event, StateEntered):
                state = event.state
            elif isinstance(event, TurnBegan):
                turn = event.turn
        if seats.get(before + 1) == EXAMINEE:
            yield Turn(turn, before + 1, state, ", ".join(spoken[turn][:_SHOWN]))


def _felt(trace: Trace, said_in: SaidIn) -> Iterator[Entry]:
    """The examinee's sentences that take up a feeling: no rule can tell whether they did it well."""
    lines = by_examinee(lines_of(trace, protocol_named(PROTOCOL), as_examined))
    pairs = ((line.turn, words) for line in lines if (words := heard_in(line.text, keyed.MOMENT)))
    for turn, words in islice(dict.fromkeys(pairs), _FELT):
        yield Entry(f"turn {turn}", (Quote(inert(words, _WORDS)),), exchange=said_in.turn(turn))


def _seen(judged: RubricJudgement, *, critical: bool = False) -> tuple[int, int, int]:
    """Count the items seen, those with a verdict, and those without one; negative items are left out."""
    holds = [
        judged.by_id[item.id].holds
        for item in judged.rubric.items
        if not item.traits.negative and (item.traits.critical or not critical)
    ]
    return holds.count(True), len(holds) - holds.count(None), holds.count(None)


def _items(count: int) -> str:
    return f"{count} item{'' if count == 1 else 's'}"


def _sentence(judged: RubricJudgement) -> Words:
    met, scored, unscored = _seen(judged)
    critical, of, _ = _seen(judged, critical=True)
    if not scored:
        return f"Not scored: {_items(unscored)}."
    text = f"{met} of {_items(scored)} were seen"
    text += f", {critical} of the {of} critical ones" if of else ""
    text += f"; {judged.untold} could not be told by rules" if judged.untold else ""
    harm = sum(judged.by_id[item.id].holds is True for item in judged.rubric.items if item.traits.negative)
    return Phrase("{}; {} that count against {you}.", (text, str(harm))) if harm else f"{text}."


def _score_lines(judged: RubricJudgement, second: RubricJudgement) -> Iterator[str]:
    """The scores in words: the net score as a teacher sees it, the sentence's figures, the published score,
    and what a teacher accepted."""
    met, scored, unscored = _seen(judged)
    critical, of, _ = _seen(judged, critical=True)
    least, most, net = judged.scores, judged.highest, MEASURES[0].words
    why = f": {judged.why_a_range}" if least.net.value != most.net.value else ""
    yield f"{net}: {_reach(least.net, most.net)}{why}"
    if scored:
        yield f"items seen: {met} of {scored}"
    if of:
        yield f"critical items seen: {critical} of {of}"
    if unscored:
        yield f"unscored: {_items(unscored)} without a verdict"
    published = _reach(least.completion, most.completion)
    yield f"items that hold, as published (negative ones included): {published}"
    yield f"every critical item right: {_every_critical(judged)}"
    harm = least.harm
    yield f"harm done: {harm.reason if harm.value is None else 'yes' if harm.value else 'none recognized'}"
    if second is not judged:
        yield f"{net}, with what a teacher accepted: {_reach(second.scores.net, second.highest.net)}"


def _reach(least: Score, most: Score) -> str:
    """A score, or its range; the reason if there is none."""
    if least.value is None:
        return least.reason
    told = _per_cent(least.value)
    return told if most.value is None or most.value == least.value else f"{told} to {_per_cent(most.value)}"


def _per_cent(value: float) -> str:
    """A share in per cent, half of one rounded up as the browser rounds it."""
    return f"{floor(100 * value + 0.5)}\u00a0%"


def _every_critical(judged: RubricJudgement) -> str:
    least, most = judged.scores.critical, judged.highest.critical
    if least.value is None:
        return least.reason
    if most.value == least.value:
        return "yes" if least.value else "no"
    critical = [judged.by_id[item.id] for item in judged.rubric.items if item.traits.critical]
    unseen = sum(not verdict.holds and verdict.may_hold for verdict in critical)
    return f"cannot be told, {unseen} of {len(critical)} were not seen by this examiner"


def _moments(judged: RubricJudgement, entries: dict[str, Entry]) -> Iterator[Entry]:
    """Yield what went well, critical items first, then one item to look at again."""
    items = sorted(judged.rubric.items, key=lambda item: not item.traits.critical)
    rubric_items = [item for item in items if judged.by_id[item.id].holds]
    good = [entries[item.id] for item in rubric_items if not item.traits.negative and entries[item.id].quotes]
    harm = [entries[item.id] for item in rubric_items if item.traits.negative]
    for one in sorted((*good[: _MOMENTS - min(1, len(harm))], *harm[:1]), key=lambda one: one.exchange):
        yield one._replace(
            quotes=tuple(quote._replace(text=inert(quote.text, _LONGEST)) for quote in one.quotes[:1])
        )


def _next_time(judged: RubricJudgement, first: Retry | None) -> Iterator[str]:
    """The items that went wrong: the one to try again first, then critical ones."""
    wrong = [
        item
        for item in judged.rubric.items
        if _went_wrong(item, judged.by_id[item.id]) and judged.by_id[item.id].open != "not_by_rule"
    ]
    wrong.sort(key=lambda item: (first is None or item.text != first.item, not item.traits.critical))
    for item in wrong[:_NEXT]:
        yield " ".join(item.text.split())
