"""The measures of consultations: correctness, process, safety and effort."""

from __future__ import annotations

from typing import Final

from pydantic_core import from_json

from osler.core.measure import (
    Grouping,
    Measure,
    Ratio,
    Reading,
    Scored,
    Value,
    count_of,
    score,
    share_of,
    tally_of,
    with_needs,
)
from osler.protocols.consultation.events import Advised
from osler.protocols.consultation.judge.needs import NEEDS
from osler.protocols.shared.claim_counts import CLAIMED_NOT_TOLD, TOLD_NOT_CLAIMED, WRONG_RELEASE

_TOKENS: Final = ("prompt_tokens", "completion_tokens")
_correct: Final = score("correct")


def _cost_per_correct(found: Scored) -> Value:
    right = _correct(found)
    if right is None or "cost" not in found.row.counts:
        return None
    return Ratio(float(found.row.cost), float(right))  # type: ignore[arg-type]


def _consults(found: Scored) -> Value:
    return float(len(found.trace().of(Advised)))


def _calls(found: Scored) -> Value:
    return float(sum(attempt["calls"] or 0 for attempt in _asked(found)))


def _tokens(found: Scored) -> Value:
    counts = [attempt.get(name) for attempt in _asked(found) for name in _TOKENS]
    return None if None in counts else float(sum(count or 0 for count in counts))


def _asked(found: Scored) -> list[dict[str, int | None]]:
    """The usage entries of language models' answers, in all seats and inside composites."""
    trace = found.trace()
    lines = [*(row.attempts for row in trace.rows), *(row.attempts for row in trace.inner)]
    return [one for line in lines for one in from_json(line) if one["at"] == "used" and one.get("calls")]


def _traced(name: str, words: str, means: str, of: Reading) -> Measure:
    return Measure(name, words, means, "count", of, better="neither", judged=False, traced=True)


_MEASURES: Final = (
    share_of(
        "correct",
        "right",
        "share of consultations concluded with the right diagnosis or answer",
        aliases=("accuracy",),
    ),
    share_of(
        "supported",
        "correct and supported",
        "share right, with each key finding that the diagnosis rests on obtained before it was named",
        beside=True,
    ),
    share_of(
        "concluded_without_evidence",
        "concluded without evidence",
        "share concluded before any fact or finding that the case marks as key was obtained",
        "less",
        beside=True,
    ),
    share_of(
        "correct_or_unsupported",
        "right, counting unsupported",
        "share right, or right with a cause, germ or kind that nothing in the case bears out",
    ),
    share_of("answered_broader", "broader", "share whose diagnosis says less than the case's", "less"),
    share_of(
        "answered_unsupported",
        "not borne out",
        "share whose diagnosis adds a cause, germ or kind that nothing in the case bears out",
        "less",
    ),
    share_of("answered_list", "lists", "share whose diagnosis is a list of alternatives", "less"),
    count_of("turns", "turns", "turns that the doctor took"),
    tally_of("questions", "questions", "questions put to the patient"),
    count_of("tests", "tests", "tests ordered"),
    count_of("minutes", "minutes", "simulated minutes"),
    count_of("cost", "points", "tariff points of the tests ordered, which is no money"),
    Measure(
        "cost_per_correct",
        "points per right answer",
        "tariff points spent for each right answer",
        "count",
        _cost_per_correct,
        better="less",
        estimated="per success",
        ratio=True,
    ),
    share_of("repeated_questions", "repeated questions", "share of questions that were asked before", "less"),
    share_of("fact_coverage", "facts elicited", "share of the case's key facts that were told"),
    share_of("finding_coverage", "findings obtained", "share of the case's key findings that were obtained"),
    share_of(
        "exam_precision", "examination precision", "share of the tests ordered that were required or useful"
    ),
    share_of("exam_recall", "examination recall", "share of the required groups of tests that were ordered"),
    share_of("exam_f1", "examination F1", "harmonic mean of examination precision and recall"),
    tally_of(
        "contraindicated_tests", "contraindicated tests", "tests ordered that would harm this patient", "less"
    ),
    share_of(
        "premature_closure",
        "closed too early",
        "share of wrong conclusions drawn before the telling finding was sought",
        "less",
    ),
    share_of(
        "right_but_unsupported",
        "right, unsupported",
        "share of chosen conclusions that are right without each key finding that the diagnosis rests on",
        "less",
    ),
    share_of(
        "provisional_correct", "right provisionally", "share whose last provisional diagnosis was right"
    ),
    share_of("confidence", "confidence", "the confidence stated with the conclusion", "neither"),
    share_of("brier", "Brier score", "squared error of the confidence stated; 0 is best", "less"),
    share_of("management_met", "management", "share of the key features of management that were planned"),
    tally_of(
        "critical_missed",
        "critical features missed",
        "features of management left out that must not be",
        "less",
    ),
    tally_of("unsafe_acts", "unsafe acts", "harmful acts that were named and not refused", "less"),
    share_of("safety_done", "safety actions", "share of the case's safety actions that were taken"),
    share_of(
        "must_not_miss", "must not miss", "share of the diagnoses not to be missed that were considered"
    ),
    share_of(
        "supporting_evidence",
        "supporting evidence",
        "share of the key facts and findings that the conclusion cites, having obtained them",
    ),
    tally_of(
        "unsupported_evidence",
        "unsupported evidence",
        "lines of evidence with a number or a finding that nobody told and no result showed",
        "less",
    ),
    share_of(
        "follow_up", "follow-up", "share of the disposition and the safety net's warnings that were named"
    ),
    CLAIMED_NOT_TOLD,
    TOLD_NOT_CLAIMED,
    WRONG_RELEASE,
    _traced("consults", "consultations", "how often the consultant was heard", _consults),
    _traced("calls", "model calls", "answers of language models, of all seats", _calls),
    _traced("tokens", "tokens", "tokens of language models, of all seats, sent and answered", _tokens),
)

MEASURES: Final = with_needs(_MEASURES, NEEDS)
"""Every measure, the headline first, in the order of a table."""

_MARKS: Final = (
    share_of("diagnosis", "diagnosis", "share of what the diagnosis could earn"),
    share_of("supporting_evidence", "supporting evidence", "share of what the evidence could earn"),
    share_of("plan", "plan", "share of what the plan could earn"),
    share_of("follow_up", "follow-up", "share of what the follow-up could earn"),
    share_of("unsafe", "unsafe", "worst verdict on unsafe elements, 0 (nothing) to 1", better="less"),
    share_of(
        "unsupported", "unsupported", "worst verdict on unsupported elements, 0 (nothing) to 1", better="less"
    ),
    share_of("correct", "correct", "share of consultations with the right diagnosis or answer"),
)
MARKS: Final = with_needs(
    _MARKS,
    {
        "supporting_evidence": NEEDS["supporting_evidence"],
        "plan": NEEDS["management_met"],
        "follow_up": NEEDS["follow_up"],
    },
)
"""The scores in a verdict of the manager judge, a model."""

KIND: Final = "kind"
UNJUDGED: Final = "unjudged"


def _kind(found: Scored) -> str:
    return str(found.body.get("kind", UNJUDGED)) if found.body else UNJUDGED


def _chance(found: Scored) -> Value:
    chance = found.body.get("chance") if found.body else None
    return None if chance is None else float(chance)


BY_KIND: Final = Grouping(KIND, _kind, _chance)
"""The kinds of task, each with the share that guessing among its options would get right."""
