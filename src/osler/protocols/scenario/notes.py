"""What a run of scenarios shows beside its measures: what repeats say, and how far completion can get."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import asdict

from osler.core.measure import Scored
from osler.core.summary import Notes, NoteTaker
from osler.judging.rubric.judgement import RubricJudgement
from osler.reports.cells import number
from osler.stats.intervals import Estimate, mean_interval, pass_power


class _Repeats:
    """The repeats of one scenario: whether each got every critical item right, and how often each item held
    among those with verdicts."""

    def __init__(self, cluster: str) -> None:
        self.cluster = cluster
        self.critical = list[float]()
        self.judged = 0
        self.held: dict[str, int] = defaultdict(int)

    def add(self, judged: RubricJudgement) -> None:
        if (value := judged.scores.critical.value) is not None:
            self.critical.append(value)
        if judged.scores.completion.value is not None:
            self.judged += 1
            for verdict in judged.verdicts:
                self.held[verdict.id] += bool(verdict.holds)

    def agreements(self) -> list[float]:
        """The share of the repeats that agree with the commonest verdict, for each item."""
        if self.judged < 2:
            return []
        return [max(held, self.judged - held) / self.judged for held in self.held.values()]


class ScenarioNoteTaker(NoteTaker):
    """An accumulator of how repeats agree, and of the completion of a play without fault.

    In JSON, `pass_k` (pass^k) maps k to the chance that k repeats of a scenario all get every critical item
    right (its `n` counts scenarios), `agreement` is the share of repeats that agree with an item's commonest
    verdict, and `completion_reachable` the completion, over all items, of a play without fault.
    """

    def __init__(self) -> None:
        self._repeats: dict[str, _Repeats] = {}
        self._most = self._items = 0

    def add(self, episode: Scored, cluster: str) -> None:
        """Take in an ended episode and its judgement."""
        judged: RubricJudgement | None = episode.judgement
        if judged is None:
            return
        self._repeats.setdefault(episode.row.case_hash, _Repeats(cluster)).add(judged)
        good = [item.traits for item in judged.rubric.items if not item.traits.negative or item.traits.group]
        self._most += sum(not one.group for one in good) + len({one.group for one in good if one.group})
        self._items += len(judged.rubric.items)

    def notes(self, measures: Mapping[str, Estimate]) -> Notes:
        """Return the notes on the episodes so far."""
        passes, agreed = self._passes(), self._agreement()
        reachable = self._most / self._items if self._items else None
        lines = []
        if reachable is not None and reachable < 1:
            lines.append(
                "Completion counts items that speak against the examinee like all others, as published: a"
                f" play without fault reaches {number(reachable, True)} of it here, and 100 % net."
            )
        if agreed is not None:
            each = ", ".join(f"pass^{k} {number(estimate.value, True)}" for k, estimate in passes.items())
            lines.append(
                f"Over repeats: {each} (every critical item right); verdicts agree in"
                f" {number(agreed.value, True)}"
            )
        value = {
            "pass_k": {str(k): asdict(estimate) for k, estimate in passes.items()},
            "agreement": asdict(agreed) if agreed else None,
            "completion_reachable": reachable,
        }
        return Notes(value, tuple(lines))

    def _passes(self) -> dict[int, Estimate]:
        tries = {
            key: (round(sum(one.critical)), len(one.critical))
            for key, one in self._repeats.items()
            if one.critical
        }
        most = max((n for _, n in tries.values()), default=0)
        return {k: pass_power(tries, k) for k in range(1, most + 1)} if most > 1 else {}

    def _agreement(self) -> Estimate | None:
        values: dict[str, list[float]] = defaultdict(list)
        for key in sorted(self._repeats):
            one = self._repeats[key]
            values[one.cluster].extend(one.agreements())
        return mean_interval(values, proportion=True) if any(values.values()) else None
