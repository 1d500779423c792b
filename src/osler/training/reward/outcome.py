"""Rewards of whole episodes, from the measures of a stored judgement.

An episode that the policy itself broke off by invalid moves gets the lowest total there is; one that the
simulation or an endpoint spoilt gets none, since it says nothing about the policy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from osler.core.judge import version_of
from osler.core.measure import NOTHING, plain_value
from osler.errors import Status
from osler.judging.scores import UNSCORED
from osler.runs.measured import measured
from osler.runs.run import protocol_of
from osler.store.records import EpisodeRow, RunInfo
from osler.store.store import Store
from osler.training.reward.score import EpisodeReward, Score, without_score

Total = Callable[[Mapping[str, float | None]], Mapping[str, float] | None]
"""The parts of a total by name, from the measures; `None` if it cannot be told from those there are."""


@dataclass(frozen=True)
class Outcome:
    """A reward of episodes: the sum of its `parts`, at least `lowest` + 1 of an episode that was played."""

    measures: tuple[str, ...]
    parts: Total
    lowest: float
    number: str = "1"
    name: str = "outcome"
    caution: str = ""
    """The words that stand wherever its figures are printed."""

    @property
    def version(self) -> str:
        """The version, which changes with the measures it is made of."""
        return version_of(self.number, measures=self.measures, lowest=self.lowest)

    def of(self, status: str, figures: Mapping[str, float | None], /) -> Score:
        """Score an episode that ended with a status, by its measures (`None`: unscored)."""
        if status == Status.INVALID_PLAY:
            return Score(self.lowest, axes={"invalid_play": self.lowest})
        if status in UNSCORED or status in (Status.DELETED, Status.PENDING):
            return without_score(str(status))
        parts = self.parts(figures)
        if parts is None:
            return without_score(f"no {' or '.join(self.measures)}")
        return Score(max(sum(parts.values()), self.lowest + 1), axes=dict(parts))


class Ended(NamedTuple):
    """A stored episode with its score."""

    row: EpisodeRow
    score: Score


def outcomes(run: RunInfo, store: Store, reward: EpisodeReward, names: Sequence[str]) -> Iterator[Ended]:
    """Score every ended episode of a run by its protocol's own judge."""
    protocol = protocol_of(run)
    measures = [protocol.measure(name) for name in names]
    for result in measured(run, store, measures):
        figures = {
            measure.name: None if value is NOTHING else plain_value(value)
            for measure, value in zip(measures, result.values, strict=True)
        }
        yield Ended(result.row, reward.of(str(result.row.status), figures))
