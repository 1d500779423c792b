"""A condition of a study in numbers: how its episodes ended, and every measure with its interval."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from osler.reports.summary import Interval
from osler.seats.events import Frozen


class ConditionSummary(Frozen):
    """What a condition's run found. `found` holds every measure by the name it is known by.

    `rejected` counts drafts that a protocol's reviewers rejected, by "reviewer: kind of fault".
    """

    run: str
    episodes: int
    ended: dict[str, int]
    found: dict[str, Interval]
    exchanges: int
    grader: str
    label: str
    rejected: dict[str, int] = Field(default_factory=dict)
    unguided_rounds: int = 0
    wall_s: float = 0.0

    def figures(self) -> dict[str, Interval]:
        """Every measure with its interval, by name."""
        return self.found

    def as_json(self) -> dict[str, Any]:
        """Plain JSON, each measure also under its own name."""
        value = self.model_dump(mode="json")
        return {**value["found"], **value}
