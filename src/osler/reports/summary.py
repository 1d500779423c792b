"""The summary of a run: every figure with its interval and its number of unscored episodes.

`Summary` reads one episode at a time and keeps sums per case, so its memory grows with cases, not episodes.
Intervals are clustered by case (`osler.stats.intervals` says which kind is used when).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final, NamedTuple

import numpy as np
from pydantic import Field
from pydantic_core import from_json

from osler.core.events import Frozen
from osler.errors import Status
from osler.judging.scores import NAMES, OLDER_GRADER, UNSCORED, Judgement
from osler.stats.intervals import (
    Bounded,
    ClusterSums,
    Estimate,
    Floats,
    bounds,
    per_success,
    ratio_interval,
    ratio_intervals,
)

LABEL: Final = (
    "Built-in players are baselines, not language models; what a built-in judge scores over them checks the"
    " instrument and is no evidence about medicine or teaching. For education and research only."
)
WITH_MODELS: Final = (
    "Language models sat in: {seats}. Judged by a built-in judge, which reads words; a model judge or a"
    " clinician may see otherwise. For education and research only."
)
PROPORTIONS: Final = frozenset(
    {"correct", "premature_closure", "right_but_unsupported", "provisional_correct"}
)
SHARES: Final = frozenset(
    {
        "repeated_questions",
        "fact_coverage",
        "finding_coverage",
        "exam_precision",
        "exam_recall",
        "exam_f1",
        "premature_closure",
        "right_but_unsupported",
        "provisional_correct",
        "confidence",
        "management_met",
        "safety_done",
        "must_not_miss",
        "supporting_evidence",
        "follow_up",
    }
)
WITHIN_ONE: Final = PROPORTIONS | SHARES | {"brier"}
"""Figures that lie between 0 and 1."""
_COUNTED: Final = ("turns", "tests", "minutes", "cost")
_PLACES: Final = tuple(NAMES.index(name) for name in _COUNTED)
_CORRECT: Final = NAMES.index("correct")
_COST: Final = NAMES.index("cost")
_NOT_JUDGED: Final = {"value": None, "reason": "not_judged"}
_OLDER: Final = {"value": None, "reason": OLDER_GRADER}


class Figures(NamedTuple):
    """The resources an episode used, from its outcome: turns, tests, simulated minutes, cost in tariff
    points, exchanges."""

    turns: int
    tests: int
    minutes: int
    cost: int
    exchanges: int


@dataclass(frozen=True, slots=True)
class KindAccuracy(Estimate):
    """Accuracy on one kind of task; `chance` is what guessing would score, `None` for open-ended tasks."""

    chance: float | None = None


class RunSummary(Frozen):
    """The results of a run. `wall_s` is wall-clock seconds; every other time is simulated.

    `unscored_because` counts, by score, the reasons for unscored episodes; `judged_by` counts the episodes
    that each grader and version has judged.
    """

    run: str
    episodes: int
    ended: dict[str, int]
    accuracy: Bounded
    by_kind: dict[str, KindAccuracy]
    turns_mean: float | None
    tests_mean: float | None
    cost_mean: float | None
    exchanges: int
    wall_s: float
    process: dict[str, Estimate]
    cost_per_correct: Estimate
    unscored_because: dict[str, dict[str, int]]
    judged_by: dict[str, int] = Field(default_factory=dict)
    label: str = LABEL


class Summary:
    """An accumulator of episodes, added in any order, that gives the summary of their run."""

    def __init__(self, run: str, modelled: Sequence[str] = ()) -> None:
        """Start an empty summary; `modelled` are the seats played by language models."""
        self._run = run
        self._label = WITH_MODELS.format(seats=", ".join(modelled)) if modelled else LABEL
        self._ended: Counter[str] = Counter()
        self._exchanges = 0
        self._chances: dict[str, list[float]] = {}
        self._sums = ClusterSums(len(NAMES) + 1)
        self._because: Counter[tuple[str, str]] = Counter()

    def add(
        self,
        status: Status,
        case: str,
        kind: str,
        chance: float | None,
        figures: Figures,
        judgement: Judgement | dict[str, Any] | str | None,
    ) -> None:
        """Add an ended episode. `judgement` may be its JSON text; `case` is the case's content hash.

        The resources it used count unless the episode ended in a status that is never scored (`UNSCORED`).
        """
        self._ended[status] += 1
        self._exchanges += figures.exchanges
        row, because = _values(judgement)
        if status not in UNSCORED:
            for name, place, figure in zip(_COUNTED, _PLACES, figures, strict=False):
                row[place] = figure
                because.pop(name, None)
        self._because.update(because.items())
        row.append(None if row[_CORRECT] is None else row[_COST])
        self._sums.add(f"{kind}\x1f{case}", row)
        if chance is not None:
            held = self._chances.setdefault(kind, [0.0, 0.0])
            held[0] += chance
            held[1] += 1

    def result(self, wall_s: float) -> RunSummary:
        """Return the summary of the run so far."""
        sums, counts = self._sums.arrays()
        episodes = self._sums.episodes
        scored = counts.sum(axis=0)
        unscored = [round(episodes - count) for count in scored[: len(NAMES)]]
        found = dict(
            zip(
                NAMES,
                ratio_intervals(
                    sums[:, :-1],
                    counts[:, :-1],
                    unscored,
                    [name in WITHIN_ONE for name in NAMES],
                ),
                strict=True,
            )
        )
        correct = found["correct"]
        rights = float(sums[:, _CORRECT].sum())
        per_correct = per_success(sums[:, -1], sums[:, _CORRECT], correct.unscored)
        return RunSummary(
            run=self._run,
            episodes=episodes,
            ended={str(status): count for status, count in sorted(self._ended.items())},
            accuracy=Bounded(**asdict(correct), bounds=bounds(rights, correct.n, correct.unscored)),
            by_kind=self._by_kind(sums, counts),
            turns_mean=found["turns"].value,
            tests_mean=found["tests"].value,
            cost_mean=found["cost"].value,
            exchanges=self._exchanges,
            wall_s=round(wall_s, 3),
            process={name: _within(found[name], name) for name in NAMES if name != "correct"},
            cost_per_correct=_within(per_correct, "cost_per_correct"),
            unscored_because=self._reasons(),
            label=self._label,
        )

    def _reasons(self) -> dict[str, dict[str, int]]:
        """Return, for each score missing somewhere, the number of episodes by reason."""
        found: dict[str, dict[str, int]] = {}
        for (name, reason), count in sorted(self._because.items()):
            found.setdefault(name, {})[reason] = count
        return found

    def _by_kind(self, sums: Floats, counts: Floats) -> dict[str, KindAccuracy]:
        kinds = np.array([key.split("\x1f", 1)[0] for key in self._sums.clusters()], dtype=object)
        episodes = self._sums.episodes_by_cluster()
        found = {}
        for kind in sorted(set(kinds)):
            mine = kinds == kind
            right, scored = sums[mine, _CORRECT], counts[mine, _CORRECT]
            left = round(float(episodes[mine].sum() - scored.sum()))
            total, number = self._chances.get(kind, (0.0, 0.0))
            found[str(kind)] = KindAccuracy(
                **asdict(ratio_interval(right, scored, left, proportion=True)),
                chance=round(total / number, 6) if number else None,
            )
        return found


def _within(estimate: Estimate, name: str) -> Estimate:
    """Clip a figure to its range: nothing below 0, no share or Brier score above 1."""
    return estimate.within(0.0, 1.0 if name in WITHIN_ONE else float("inf"))


def _values(
    judgement: Judgement | dict[str, Any] | str | None,
) -> tuple[list[float | None], dict[str, str]]:
    """Return each score's value in the order of `NAMES`, and the reasons for those that are `None`.

    A score that an older grader did not give is `None` like any other.
    """
    values: list[float | None] = []
    because: dict[str, str] = {}
    if isinstance(judgement, Judgement):
        for name in NAMES:
            score = judgement.scores[name]
            values.append(score.value)
            if score.value is None:
                because[name] = score.reason
        return values, because
    body = from_json(judgement, cache_strings="keys") if isinstance(judgement, str) else judgement
    scores: Mapping[str, Any] = body["scores"] if body else {}
    missing = _OLDER if body else _NOT_JUDGED
    for name in NAMES:
        found = scores.get(name, missing)
        values.append(found["value"])
        if found["value"] is None:
            because[name] = found.get("reason", "")
    return values, because
