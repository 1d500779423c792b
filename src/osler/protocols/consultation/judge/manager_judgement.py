"""The judgement of an episode by a model: its fixed scores, the items behind them, and how it was asked."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from pydantic_core import from_json, to_json

from osler.judging.model.cost import Cost
from osler.judging.model.majority import Result
from osler.judging.scores import Score

MODEL_NAMES: Final = (
    "diagnosis",
    "supporting_evidence",
    "plan",
    "follow_up",
    "unsafe",
    "unsupported",
    "correct",
)
"""The scores. `diagnosis` to `follow_up` are shares of the attainable credit, 0 to 1; `unsafe` and
`unsupported` the worst verdict, 0 (nothing) to 1; `correct` is 0 or 1 as in the built-in judgement, for
comparison."""
_NAMED: Final = frozenset(MODEL_NAMES)
_PREFIX: Final = "model:"
_NO_COST: Final = Cost()


@dataclass(frozen=True, slots=True)
class ModelJudgement:
    """All scores of one episode by one model judge.

    `model` is the model requested, `returned` the names that the endpoint reported. `kind` and `chance` are
    as in `osler.judging.scores.Judgement`.
    """

    grader: str
    version: str
    scores: dict[str, Score]
    items: tuple[Result, ...] = ()
    kind: str = "diagnosis"
    chance: float | None = None
    model: str = ""
    returned: tuple[str, ...] = ()
    repeats: int = 1
    cost: Cost = _NO_COST

    def __post_init__(self) -> None:
        if self.scores.keys() != _NAMED:
            wrong = sorted(self.scores.keys() ^ _NAMED)
            raise ValueError(f"a model's judgement has every score and no other: {', '.join(wrong)}")

    @property
    def agreement(self) -> float | None:
        """The mean over items of the share of repeats with the modal verdict; `None` below 2 repeats."""
        return _mean([result.agreement for result in self.items]) if self.repeats > 1 else None


def grader_of(endpoint: str) -> str:
    """The grader's name in the store, where there is one judgement per endpoint and episode."""
    return f"{_PREFIX}{endpoint}"


def agreement_of(judgements: Iterable[ModelJudgement]) -> dict[str, float | None]:
    """The mean agreement of all items of each score; `None` if none was asked twice."""
    shares: dict[str, list[float]] = {name: [] for name in MODEL_NAMES}
    for judgement in judgements:
        if judgement.repeats > 1:
            for result in judgement.items:
                shares[result.part].append(result.agreement)
    return {name: _mean(found) for name, found in shares.items()}


def model_judgement_json(judgement: ModelJudgement) -> str:
    """The judgement as JSON text, with the same outer fields as the built-in judgement's."""
    body = {
        "grader": judgement.grader,
        "version": judgement.version,
        "kind": judgement.kind,
        "chance": judgement.chance,
        "scores": {name: _score(judgement.scores[name]) for name in MODEL_NAMES},
        "items": [result._asdict() for result in judgement.items],
        "model": judgement.model,
        "returned": judgement.returned,
        "repeats": judgement.repeats,
        "agreement": judgement.agreement,
        "cost": judgement.cost._asdict(),
    }
    return to_json(body).decode()


def model_judgement_of(text: str) -> ModelJudgement:
    """Parse the output of `model_judgement_json`. Raises `ValueError` if it is incomplete."""
    body = from_json(text)
    try:
        return ModelJudgement(
            grader=body["grader"],
            version=body["version"],
            scores={name: _score_of(score) for name, score in body["scores"].items()},
            items=tuple(_result_of(item) for item in body["items"]),
            kind=body["kind"],
            chance=body["chance"],
            model=body["model"],
            returned=tuple(body["returned"]),
            repeats=body["repeats"],
            cost=Cost(**body["cost"]),
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"no judgement of a model: {error}") from None


def _score(score: Score) -> dict[str, object]:
    return {"value": score.value, "reason": score.reason, "evidence": score.evidence}


def _score_of(body: dict[str, Any]) -> Score:  # Any: JSON as it was stored
    return Score(body["value"], body["reason"], tuple(body["evidence"]))


def _result_of(body: dict[str, Any]) -> Result:  # Any: JSON as it was stored
    lists = {name: tuple(body[name]) for name in ("verdicts", "quotes")}
    return Result(**{**body, **lists})


def _mean(shares: Sequence[float]) -> float | None:
    return sum(shares) / len(shares) if shares else None
