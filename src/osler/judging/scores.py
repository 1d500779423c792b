"""Scores, each a number or `None` with a reason; the built-in judgement, a complete, named set of them; and
the cost of judging by a model.

Unscored is not zero: `None` never counts as 0, and NaN is rejected, so that a mean can report how many it
left out. A judge that fails sets every score to `None`; there are no partial judgements.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Any, Final, NamedTuple, Protocol

from pydantic_core import from_json

from osler.core.judge import Verdict, verdict
from osler.errors import FAULTS, Status

NAMES: Final = (
    "correct",
    "supported",
    "concluded_without_evidence",
    "correct_or_unsupported",
    "answered_broader",
    "answered_unsupported",
    "answered_list",
    "turns",
    "tests",
    "minutes",
    "cost",
    "questions",
    "repeated_questions",
    "fact_coverage",
    "finding_coverage",
    "exam_precision",
    "exam_recall",
    "exam_f1",
    "contraindicated_tests",
    "premature_closure",
    "right_but_unsupported",
    "provisional_correct",
    "confidence",
    "brier",
    "management_met",
    "critical_missed",
    "unsafe_acts",
    "safety_done",
    "must_not_miss",
    "supporting_evidence",
    "unsupported_evidence",
    "follow_up",
)

MANAGER: Final = {
    "diagnosis": "correct",
    "supporting evidence": "supporting_evidence",
    "plan": "management_met",
    "follow-up": "follow_up",
    "unsafe elements": "unsafe_acts",
    "unsupported elements": "unsupported_evidence",
}
"""The scores of MedEvoEval's manager, each with the score here that corresponds; the last two are counts."""

NOT_IN_CASE: Final = "not_in_case"

NO_ANSWER: Final = "no_answer"

NEEDS_A_JUDGE: Final = "needs_a_judge"

GRADER: Final = "baseline"

UNSCORED: Final = FAULTS | {
    Status.SIMULATOR_FAULT,
    Status.DIVERGED,
    Status.CANCELLED,
    Status.DELETED,
    Status.PENDING,
}
"""Statuses of episodes whose end was not the doctor's doing."""

Json = dict[str, Any]  # Any: the JSON of an event or reply, read by key

QUOTE: Final = 200
"""The longest quote kept as evidence, in characters."""


@dataclass(frozen=True, slots=True)
class Score:
    """A finite number, or `None` with a reason. `evidence` quotes the trace."""

    value: float | None
    reason: str = ""
    evidence: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.value is None:
            if not self.reason:
                raise ValueError("an unscored item says why")
        elif not isfinite(self.value):
            raise ValueError(f"a score is a finite number, not {self.value}")


@dataclass(frozen=True, slots=True)
class Judgement:
    """All scores of one episode by one grader; `version` changes whenever the grader might judge differently.

    `kind` is the case's kind of task, `chance` the expected score of guessing, `None` if that is undefined.
    """

    grader: str
    version: str
    scores: dict[str, Score]
    kind: str = "diagnosis"
    chance: float | None = None

    def __post_init__(self) -> None:
        if self.scores.keys() != _NAMED:
            wrong = sorted(self.scores.keys() ^ _NAMED)
            raise ValueError(f"a judgement has every score and no other: {', '.join(wrong)}")

    @property
    def stored(self) -> Verdict:
        """The judgement as it is stored: scores in the order of `NAMES`, empty reasons and evidence left
        out."""
        scores = {name: _plain(self.scores[name]) for name in NAMES}
        return verdict(self.grader, self.version, scores, of={"kind": self.kind, "chance": self.chance})


_NAMED: Final = frozenset(NAMES)


def unscored(
    grader: str, version: str, reason: str, kind: str = "diagnosis", chance: float | None = None
) -> Judgement:
    """A judgement in which all scores are `None` for the same reason."""
    return Judgement(grader, version, dict.fromkeys(NAMES, Score(None, reason)), kind, chance)


def judgement_of(text: str) -> Judgement:
    """Parse the body of a stored judgement. Raises `ValueError` unless it has every score and no other."""
    body = from_json(text)
    return Judgement(body["grader"], body["version"], scores_in(body), body["kind"], body.get("chance"))


def scores_in(body: Mapping[str, Any]) -> dict[str, Score]:  # Any: JSON as it was stored
    """The scores of a stored judgement, by name. Raises KeyError or TypeError if it has none."""
    return {
        name: Score(score["value"], score.get("reason", ""), tuple(score.get("evidence", ())))
        for name, score in body["scores"].items()
    }


def _plain(score: Score) -> dict[str, object]:
    plain: dict[str, object] = {"value": score.value}
    if score.reason:
        plain["reason"] = score.reason
    if score.evidence:
        plain["evidence"] = score.evidence
    return plain


class Cost(NamedTuple):
    """Requests sent and tokens used; tokens that an endpoint does not report count as 0."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0

    def plus(self, other: Cost) -> Cost:
        """The sum of both."""
        return Cost(*(one + two for one, two in zip(self, other, strict=True)))


NO_COST: Final = Cost()


class Agreed(Protocol):
    """An item with its agreement: the share of repeats with the modal verdict."""

    @property
    def agreement(self) -> float:
        """The share, from 0 to 1."""


@dataclass(frozen=True, kw_only=True)
class ModelAsked:
    """The part of a judgement that says how its model was asked.

    `model` is the model requested, `returned` the names that the endpoint reported, `repeats` the number of
    samples of each item, `portion` the most items in one request. A built-in judge leaves all as they are.
    """

    model: str = ""
    returned: tuple[str, ...] = ()
    repeats: int = 1
    portion: int = 0
    cost: Cost = NO_COST

    def agreement_on(self, items: Collection[Agreed]) -> float | None:
        """The mean agreement over items; `None` without items or below 2 repeats."""
        if self.repeats < 2 or not items:
            return None
        return sum(item.agreement for item in items) / len(items)

    def plain(self, items: Collection[Agreed]) -> dict[str, Any]:
        """It as plain data, with the agreement on these items."""
        agreement, cost = self.agreement_on(items), self.cost._asdict()
        return {
            "model": self.model,
            "returned": self.returned,
            "repeats": self.repeats,
            **({"portion": self.portion} if self.portion else {}),
            "agreement": agreement,
            "cost": cost,
        }
