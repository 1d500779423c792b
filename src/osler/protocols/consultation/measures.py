"""The measures of consultations: correctness, process, safety and effort."""

from __future__ import annotations

from typing import Final

from osler.core.measure import (
    Grouping,
    Measure,
    Ratio,
    Reading,
    Scored,
    Value,
    score,
    share_of,
    with_needs,
)
from osler.protocols.consultation.events import Advised
from osler.protocols.consultation.judge import answer, conclusion, conduct, evidence_cited, follow_up, plan
from osler.protocols.shared.claim_counts import CLAIMED_NOT_TOLD, TOLD_NOT_CLAIMED, WRONG_RELEASE
from osler.runs.effort import EFFORT

_correct: Final = score("correct")


def _cost_per_correct(found: Scored) -> Value:
    right = _correct(found)
    if right is None or "cost" not in found.row.counts:
        return None
    return Ratio(float(found.row.cost), float(right))  # type: ignore[arg-type]


def _consults(found: Scored) -> Value:
    return float(len(found.trace().of(Advised)))


def _traced(name: str, words: str, means: str, of: Reading) -> Measure:
    return Measure(name, words, means, "count", of, better="neither", judged=False, traced=True)


SCORES: Final = (
    *answer.SCORES,
    *conduct.SCORES,
    *conclusion.SCORES,
    *plan.SCORES,
    *evidence_cited.SCORES,
    *follow_up.SCORES,
)
"""The scores of the built-in judge, the headline first."""

NAMES: Final = tuple(one.measure.name for one in SCORES)
"""Their names, in the order of a judgement."""

MEASURES: Final = (
    *(one.measure for one in SCORES),
    Measure(
        "cost_per_correct",
        "points per right answer",
        "tariff points spent for each right answer",
        "count",
        _cost_per_correct,
        better="less",
        estimated="per success",
        ratio=True,
        itemless="it is what the tests cost, over consultations; `exam_precision` names those not called for",
    ),
    CLAIMED_NOT_TOLD,
    TOLD_NOT_CLAIMED,
    WRONG_RELEASE,
    _traced("consults", "consultations", "how often the consultant was heard", _consults),
    *EFFORT,
)
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
        "supporting_evidence": evidence_cited.EVIDENCE,
        "plan": plan.KEY_FEATURES,
        "follow_up": follow_up.EXPECTED,
    },
)
"""The scores in a verdict of the manager judge, a model."""

MANAGER: Final = {
    "diagnosis": "correct",
    "supporting evidence": "supporting_evidence",
    "plan": "management_met",
    "follow-up": "follow_up",
    "unsafe elements": "unsafe_acts",
    "unsupported elements": "unsupported_evidence",
}
"""The scores of MedEvoEval's manager, each with the score here that corresponds; the last two are counts."""


KIND: Final = "kind"
UNJUDGED: Final = "unjudged"


def _kind(found: Scored) -> str:
    return str(found.body.get("kind", UNJUDGED)) if found.body else UNJUDGED


def _chance(found: Scored) -> Value:
    chance = found.body.get("chance") if found.body else None
    return None if chance is None else float(chance)


BY_KIND: Final = Grouping(KIND, _kind, _chance)
"""The kinds of task, each with the share that guessing among its options would get right."""
