"""The summary of a study's condition: how its episodes ended, and every measure with its interval."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from osler.core.events import Frozen
from osler.stats.intervals import Estimate


class ConditionSummary(Frozen):
    """The results of a condition's run. `found` maps a measure's spoken name to its value and interval.

    `rejected` counts drafts that a protocol's reviewers rejected, by "reviewer: kind of fault".
    """

    run: str
    episodes: int
    ended: dict[str, int]
    found: dict[str, Estimate]
    exchanges: int
    grader: str
    label: str
    rejected: dict[str, int] = Field(default_factory=dict)
    unguided_rounds: int = 0
    wall_s: float = 0.0

    def figures(self) -> dict[str, Estimate]:
        """Return every measure with its interval, by name."""
        return self.found

    def as_json(self) -> dict[str, Any]:
        """Return plain JSON, with each measure also as a top-level key."""
        value = self.model_dump(mode="json")
        return {**value["found"], **value}
