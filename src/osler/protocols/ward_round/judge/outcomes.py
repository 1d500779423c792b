"""The outcomes of a ward round: exams, leaks, participation, steps and reviews, read from its trace alone.

Exam scores are shares from 0 to 1 corrected for guessing, (a - 1/k) / (1 - 1/k) with k options, so that
guessing scores 0 on average. Step questions are scored by word overlap (`osler.text.key_points`): a proxy.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from math import log
from statistics import mean
from typing import Any, Final, Literal, NamedTuple

from osler.cases.answers import announces_the_answer
from osler.cases.model import Case
from osler.core.events import Event, Seat
from osler.core.trace import Trace
from osler.judging.correctness import correct
from osler.judging.scores import UNSCORED
from osler.protocols.ward_round.events import Covered, ExamSet, Reviewed, RoundBegan, RoundLine, Unguided
from osler.protocols.ward_round.rules import kind_of
from osler.protocols.ward_round.views import CASE_ITEM, Keyed, exam_key
from osler.text.key_points import says

Part = Literal["siblings", "steps", "case"]
PARTS: Final[tuple[Part, ...]] = ("siblings", "steps", "case")


class Leak(NamedTuple):
    """A leak: guidance that named the answer before any student had."""

    round: int
    quote: str


class Outcomes(NamedTuple):
    """One ward round as numbers. `before` and `after` are means over students and items of one part of the
    exam, `None` if it has no such item that can be scored."""

    case: str
    scored: bool
    why_not: str
    rounds: int
    unguided: int
    before: Mapping[Part, float | None]
    after: Mapping[Part, float | None]
    leak: Leak | None
    named: bool
    """Whether any guidance named the answer, even after a student did."""
    participation: float | None
    uptake: float | None
    new_steps: tuple[int, ...]
    """The number of steps that newly counted as covered, by round."""
    rejected: Counter[tuple[str, str]]
    """Drafts rejected, by (reviewer, kind of fault)."""
    english: bool = True
    """Whether the round was held in English; if not, what rests on words is `None` or says nothing."""


class Moment(NamedTuple):
    """An event or a reply, in the order in which they happened."""

    event: Event | None = None
    seat: Seat | None = None
    reply: dict[str, Any] | None = None


def outcomes_of(case: Case, trace: Trace, *, english: bool = True) -> Outcomes:
    """Read a trace. A tutor without a valid move taught nothing: the exam before counts as the one after. In
    a round that was not held in `english`, answers in words are not scored."""
    status = trace.outcome.status
    exams = _exams(case, trace)
    if not english:
        exams = {when: _by_key_alone(case, parts) for when, parts in exams.items()}
    before = exams.get("before", dict.fromkeys(PARTS))
    scored = status not in UNSCORED and bool(exams)
    lines = trace.of(RoundLine)
    names = _students(lines)
    return Outcomes(
        case=case.content_hash,
        scored=scored,
        why_not="" if scored else trace.outcome.reason,
        rounds=len(trace.of(RoundBegan)),
        unguided=len(trace.of(Unguided)),
        before=before,
        after=exams.get("after", before),
        leak=_leak(case, trace.events),
        named=any(line.part == "guidance" and announces_the_answer(case, line.text) for line in lines),
        participation=_balance(_contributions(lines, list(names))),
        uptake=_balance([_mentions(lines, name) for name in names.values()]),
        new_steps=_new_steps(trace),
        rejected=Counter((r.by, r.issue) for r in trace.of(Reviewed) if not r.approved),
        english=english,
    )


def moments(trace: Trace) -> Iterator[Moment]:
    """All events and replies in order; replies of seats asked in parallel are in order of their numbers."""
    for (_, told), row in zip_longest(trace.told(), trace.rows):
        yield from (Moment(event=event) for event in told)
        if row is not None:
            yield Moment(seat=row.seat, reply=json.loads(row.reply))


# Exams


def _exams(case: Case, trace: Trace) -> dict[str, dict[Part, float | None]]:
    """The mean scores of each exam, by when it was sat."""
    key = exam_key(case)
    sat: dict[str, list[dict[str, float]]] = {}
    when = ""
    for moment in moments(trace):
        if isinstance(moment.event, ExamSet):
            when = moment.event.when
        elif moment.reply and "answers" in moment.reply and kind_of(moment.seat or "tutor") == "student":
            sat.setdefault(when, []).append(_scores(case, key, moment.reply["answers"]))
    return {when: {part: _mean_of(part, key, papers) for part in PARTS} for when, papers in sat.items()}


def _by_key_alone(case: Case, parts: Mapping[Part, float | None]) -> dict[Part, float | None]:
    """The scores of an exam in another language: those of options, which rest on no words."""
    chosen = {"siblings": True, "steps": False, "case": case.task.kind == "choice"}
    return {part: score if chosen[part] else None for part, score in parts.items()}


def _scores(case: Case, key: Mapping[str, Keyed], answers: Mapping[str, str]) -> dict[str, float]:
    """The raw score of each item, 1 or 0; items that no rule can score are left out."""
    scores: dict[str, float] = {}
    for ident, given in answers.items():
        keyed = key[ident]
        if ident == CASE_ITEM:
            choice = keyed.choices > 0
            score = correct(case, {"diagnosis": given, "answer": given if choice else None}, choice).value
            if score is not None:
                scores[ident] = score
        elif keyed.choices:
            scores[ident] = float(given == keyed.answer)
        else:
            scores[ident] = float(says(given, keyed.answer))
    return scores


def _mean_of(part: Part, key: Mapping[str, Keyed], papers: Sequence[Mapping[str, float]]) -> float | None:
    """The mean over students and items of one part, each corrected for guessing."""
    scores = [
        _corrected(score, key[ident].choices)
        for paper in papers
        for ident, score in paper.items()
        if _part(key[ident], ident) == part
    ]
    return mean(scores) if scores else None


def not_learnt(case: Case, trace: Trace, part: Part) -> Iterator[str]:
    """The items of a part that somebody had not right in the last exam, with how many of those who sat it."""
    key, papers, questions, when = exam_key(case), list[dict[str, float]](), dict[str, str](), ""
    for moment in moments(trace):
        if isinstance(moment.event, ExamSet):
            if moment.event.when != when:
                papers, when = [], moment.event.when
            questions |= {item.id: item.question for item in moment.event.items}
        elif moment.reply and "answers" in moment.reply and kind_of(moment.seat or "tutor") == "student":
            papers.append(_scores(case, key, moment.reply["answers"]))
    for ident, question in questions.items():
        scores = [paper[ident] for paper in papers if ident in paper]
        if _part(key[ident], ident) == part and (wrong := scores.count(0.0)):
            yield f"{question} ({wrong} of {len(scores)} not right)"


def quieter(trace: Trace) -> Iterator[str]:
    """The students who asked less unprompted than another did."""
    lines = trace.of(RoundLine)
    names = _students(lines)
    yield from _fewer(list(names.values()), _contributions(lines, list(names)), "asked")


def less_named(trace: Trace) -> Iterator[str]:
    """The students whom guidance named less often than another."""
    lines = trace.of(RoundLine)
    names = list(_students(lines).values())
    yield from _fewer(names, [_mentions(lines, name) for name in names], "was named")


def _students(lines: Sequence[RoundLine]) -> dict[Seat, str]:
    return {line.by: line.speaker for line in lines if kind_of(line.by) == "student"}


def _fewer(names: Sequence[str], counts: Sequence[int], did: str) -> Iterator[str]:
    most = max(counts, default=0)
    for name, count in zip(names, counts, strict=True):
        if count < most:
            yield f"{name} {did} {count} of {sum(counts)} times"


def _part(keyed: Keyed, ident: str) -> Part:
    if ident == CASE_ITEM:
        return "case"
    return "siblings" if keyed.choices else "steps"


def _corrected(score: float, choices: int) -> float:
    return (score - 1 / choices) / (1 - 1 / choices) if choices > 1 else score


# Talk


def _leak(case: Case, events: Sequence[Event]) -> Leak | None:
    """The first guidance that names the answer, unless a student named it earlier."""
    now = 0
    for event in events:
        if isinstance(event, RoundBegan):
            now = event.round
        elif isinstance(event, RoundLine) and announces_the_answer(case, event.text):
            if kind_of(event.by) == "student":
                return None
            if event.part == "guidance":
                return Leak(now, event.text)
    return None


def _contributions(lines: Sequence[RoundLine], students: Sequence[Seat]) -> list[int]:
    """The number of questions each student asked unprompted."""
    counts = Counter(line.by for line in lines if line.part in ("question", "query"))
    return [counts[seat] for seat in students]


def _mentions(lines: Sequence[RoundLine], name: str) -> int:
    """The number of guidances that name a student."""
    named = re.compile(rf"(?<![\w-]){re.escape(name)}(?![\w-])")
    return sum(line.part == "guidance" and named.search(line.text) is not None for line in lines)


def _balance(counts: Sequence[int]) -> float | None:
    """The normalized entropy of shares: 1 is even, 0 a single contributor; `None` if undefined."""
    total = sum(counts)
    if len(counts) < 2 or not total:
        return None
    shares = [count / total for count in counts if count]
    return sum(p * log(1 / p) for p in shares) / log(len(counts))


def _new_steps(trace: Trace) -> tuple[int, ...]:
    """The number of steps that first counted as covered, by round."""
    result: list[int] = []
    covered = 0
    for event in trace.events:
        if isinstance(event, RoundBegan):
            result.append(0)
        elif isinstance(event, Covered):
            result[-1] += len(event.steps) - covered
            covered = len(event.steps)
    return tuple(result)
