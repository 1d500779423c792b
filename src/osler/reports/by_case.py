"""A run case by case: how often each was answered rightly, what it cost, and which episode went worst.

Reads one episode at a time; memory grows with cases, not episodes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

import numpy as np

from osler.judging.judge import UNSCORED
from osler.judging.statistics import ClusterSums, Estimate, ratio_interval, wilson
from osler.store.rows import EpisodeRow

_RIGHT, _COST = 0, 1
_HARM: Final = ("unsafe_acts", "contraindicated_tests")

Bad = tuple[int, int, int, int]
"""How badly an episode went: harms, whether it was wrong, critical steps missed, minus its ordinal."""


class CaseFigures(NamedTuple):
    """One case of a run. `right` is the share over its repeats, `cost` their mean in tariff points."""

    hash: str
    id: str
    right: Estimate
    cost: float | None


class ByCase:
    """Adds up a run's episodes by the content hash of their case, in any order."""

    def __init__(self) -> None:
        self._sums = ClusterSums(2)
        self._ids: dict[str, str] = {}
        self._worst: dict[str, Bad] = {}

    def add(self, episode: EpisodeRow, scores: Mapping[str, Any] | None) -> None:
        """Add an ended episode; `scores` are those of its judgement, `None` where it has none."""
        right = scores["correct"]["value"] if scores else None
        cost = None if episode.status in UNSCORED else float(episode.cost)
        self._sums.add(episode.case_hash, (right, cost))
        self._ids.setdefault(episode.case_hash, episode.case_id)
        if scores and (bad := _badness(episode.ordinal, scores)):
            self._worst[episode.case_hash] = max(bad, self._worst.get(episode.case_hash, bad))

    def figures(self) -> list[CaseFigures]:
        """Every case in the order of its hash. The interval is Wilson's over the repeats of that one case."""
        sums, counts = self._sums.arrays()
        episodes = self._sums.episodes_by_cluster()
        found = []
        for place, key in enumerate(self._sums.clusters()):
            n = float(counts[place, _RIGHT])
            right = wilson(float(sums[place, _RIGHT]), n, round(float(episodes[place]) - n))
            paid = float(counts[place, _COST])
            cost = round(float(sums[place, _COST]) / paid, 6) if paid else None
            found.append(CaseFigures(key, self._ids[key], right, cost))
        return found

    def groups(self, group_of: Mapping[str, str]) -> dict[str, Estimate]:
        """The share answered rightly by group of cases, clustered by case; `group_of` is by case hash."""
        sums, counts = self._sums.arrays()
        episodes = self._sums.episodes_by_cluster()
        names = np.array([group_of[key] for key in self._sums.clusters()], dtype=object)
        found = {}
        for name in sorted(set(names)):
            mine = names == name
            right, scored = sums[mine, _RIGHT], counts[mine, _RIGHT]
            unscored = round(float(episodes[mine].sum() - scored.sum()))
            found[str(name)] = ratio_interval(right, scored, unscored, proportion=True)
        return found

    def as_if(self) -> tuple[float, float] | None:
        """The share as if every unscored episode were wrong, and as if right; `None` without episodes."""
        total = self._sums.episodes
        if not total:
            return None
        sums, counts = self._sums.arrays()
        right, scored = float(sums[:, _RIGHT].sum()), float(counts[:, _RIGHT].sum())
        return round(right / total, 6), round((right + total - scored) / total, 6)

    def worst(self, most: int) -> list[int]:
        """The ordinals of the worst episodes, one a case: harmful ones, then wrong ones, then those that
        missed most critical steps."""
        return [-bad[3] for bad in sorted(self._worst.values(), reverse=True)[:most]]


def _badness(ordinal: int, scores: Mapping[str, Any]) -> Bad | None:
    values = {name: found["value"] or 0 for name, found in scores.items()}
    harms = sum(int(values.get(name, 0)) for name in _HARM)  # an older grader may not have scored them
    wrong = int(scores["correct"]["value"] == 0)
    missed = int(values.get("critical_missed", 0))
    return (harms, wrong, missed, -ordinal) if harms or wrong else None
