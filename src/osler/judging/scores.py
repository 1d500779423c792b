"""Scores, each a number or `None` with a reason, and the cost of judging by a model.

Unscored is not zero: `None` never counts as 0, and NaN is rejected, so that a mean can report how many it
left out.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Any, Final, NamedTuple, Protocol

from osler.errors import FAULTS, Status

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
    """A finite number, or `None` with a reason. `evidence` quotes the trace; `missed` are the items that keep
    it from its full value, in words."""

    value: float | None
    reason: str = ""
    evidence: tuple[str, ...] = ()
    missed: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.value is None:
            if not self.reason:
                raise ValueError("an unscored item says why")
        elif not isfinite(self.value):
            raise ValueError(f"a score is a finite number, not {self.value}")


def scores_in(body: Mapping[str, Any]) -> dict[str, Score]:  # Any: JSON as it was stored
    """The scores of a stored judgement, by name. Raises KeyError or TypeError if it has none."""
    return {
        name: Score(
            score["value"],
            score.get("reason", ""),
            tuple(score.get("evidence", ())),
            tuple(score.get("missed", ())),
        )
        for name, score in body["scores"].items()
    }


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
