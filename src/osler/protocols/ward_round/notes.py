"""What a run of ward rounds shows beside its measures: the drafts that reviewers rejected."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from osler.core.measure import Scored
from osler.core.summary import Notes, NoteTaker
from osler.protocols.ward_round.judge.outcomes import Outcomes
from osler.protocols.ward_round.judge.round_judgement import RoundJudgement


class RoundNoteTaker(NoteTaker):
    """A counter of the drafts that were rejected, by "reviewer: kind of fault", and of the rounds that passed
    without guidance."""

    def __init__(self) -> None:
        self._rejected, self._unguided = Counter[str](), 0

    def add(self, episode: Scored, cluster: str) -> None:
        """Take in an ended episode and its judgement."""
        judged: RoundJudgement | None = episode.judgement
        if judged and judged.outcomes.scored:
            self._rejected.update(rejections([judged.outcomes]))
            self._unguided += judged.outcomes.unguided

    def notes(self, measures: Mapping[str, Any]) -> Notes:
        """Return the notes on the episodes so far."""
        rejected = dict(sorted(self._rejected.items()))
        words = ", ".join(f"{count:,} by {who}" for who, count in rejected.items()) or "none"
        return Notes(
            {"rejected": rejected, "unguided_rounds": self._unguided},
            (f"Drafts rejected: {words}; rounds without guidance: {self._unguided:,}",),
        )


def rejections(outcomes: Iterable[Outcomes]) -> dict[str, int]:
    """Return the numbers of drafts rejected, by "reviewer: kind of fault"."""
    result = sum((one.rejected for one in outcomes), Counter[tuple[str, str]]())
    return {f"{by}: {issue}": times for (by, issue), times in sorted(result.items())}
