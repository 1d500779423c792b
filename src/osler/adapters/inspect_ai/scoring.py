"""The scorer: the measures of a protocol, which the solver has put down; what is missing is unscored."""

from __future__ import annotations

from typing import Any, Final

from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, mean, metric, scorer, stderr
from inspect_ai.solver import TaskState

from osler.adapters.inspect_ai.playing import CLUSTER, tabled
from osler.adapters.inspect_ai.record import STORED
from osler.core.protocol import Protocol

RATIOS: Final = "ratios"
NOT_ENDED: Final = (
    "the encounter was stopped before its end (a limit, an error or an interruption), so it is unscored"
)


@metric
def n() -> Metric:
    """The number of encounters (of cases, where several epochs were reduced) that a figure is about."""

    def count(scores: list[SampleScore]) -> float:
        return float(len(scores))

    return count


@metric(scores="unreduced")
def pooled(measure: str) -> Metric:
    """A ratio of sums over all encounters."""

    def ratio(scores: list[SampleScore]) -> float:
        pairs = [(one.score.metadata or {})[RATIOS][measure] for one in scores]
        whole = sum(pair[1] for pair in pairs)
        return sum(pair[0] for pair in pairs) / whole if whole else float("nan")

    return ratio


def metrics_of(protocol: Protocol) -> dict[str, list[Metric]]:
    """The metrics of each measure in Inspect's table."""
    return {
        one.name: [pooled(one.name)] if one.ratio else [mean(), stderr(cluster=CLUSTER), n()]
        for one in tabled(protocol)
    }


@scorer(metrics=[mean()])
def measures() -> Scorer:
    """The measures of an encounter that has ended; the task says which metrics there are."""

    async def score(state: TaskState, target: Target) -> Score:
        record = state.store.get(STORED)
        if record is None:
            return Score.unscored(explanation=NOT_ENDED)
        if record["unscored"]:
            return Score.unscored(explanation=record["unscored"])
        result: dict[str, Any] = record["measures"]
        ratios = {name: value for name, value in result.items() if isinstance(value, list | tuple)}
        return Score(
            value={name: _number(value) for name, value in result.items()},
            explanation=f"{record['status']}: {record['exchanges']} exchanges",
            metadata={RATIOS: ratios},
        )

    return score


def _number(value: Any) -> float:
    """A value as a number; NaN is unscored, in every metric and reducer of Inspect."""
    if isinstance(value, list | tuple):
        return float(value[0]) / float(value[1])
    return float("nan") if value is None else float(value)
