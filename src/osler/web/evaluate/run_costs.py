"""Money, tokens and time of compared runs beside their score, and which of them no other dominates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from osler.core.measure import Measure
from osler.runs.usage import Used
from osler.stats.dominance import dominance
from osler.web.evaluate.compare_runs_schemas import Axis, RunCost
from osler.web.evaluate.schemas import Figure

AXES: Final[tuple[Axis, ...]] = ("money", "tokens", "seconds")


class Spent(NamedTuple):
    """A run with its primary score, the number of its episodes and what its models used; `apart` from the
    others if it must not be compared with the baseline."""

    score: Figure
    episodes: int
    used: Used
    apart: bool


def costs_of(runs: Sequence[Spent], measure: Measure) -> list[RunCost]:
    """The costs of runs in their order, each with the axes on whose frontier it lies."""
    costs = [_cost(place, run) for place, run in enumerate(runs)]
    return [
        one.model_copy(
            update={"frontier": [axis for axis in AXES if one.run in _frontier(axis, runs, costs, measure)]}
        )
        for one in costs
    ]


def _frontier(axis: Axis, runs: Sequence[Spent], costs: Sequence[RunCost], measure: Measure) -> set[int]:
    """The places of the runs on a frontier; one whose score or cost is unknown, or that stands apart, is
    neither on it nor before another."""
    if measure.better == "neither":
        return set()
    known = [
        (one.run, amount, one.value)
        for one, run in zip(costs, runs, strict=True)
        if (amount := getattr(one, axis)) is not None and one.value is not None and not run.apart
    ]
    sign = -1.0 if measure.better == "less" else 1.0
    amounts, values = (np.array([one[at] for one in known], np.float64) for at in (1, 2))
    beaten = np.asarray(dominance(amounts, sign * values).any(axis=0))
    return {place for (place, _, _), worse in zip(known, beaten.tolist(), strict=True) if not worse}


def _cost(place: int, run: Spent) -> RunCost:
    rows = [one for each in run.used.values() for one in each.values()]
    money = _sum(rows, "cost")
    tokens_in, tokens_out = (_sum(rows, name) for name in ("prompt_tokens", "completion_tokens"))
    together = None if tokens_in is None or tokens_out is None else tokens_in + tokens_out
    seconds, answered = _sum(rows, "seconds"), _sum(rows, "answered")

    def each(amount: float | None) -> float | None:
        return None if amount is None or not run.episodes else round(amount / run.episodes, 6)

    return RunCost(
        run=place,
        episodes=run.episodes,
        value=run.score.value,
        low=run.score.low,
        high=run.score.high,
        models=bool(rows),
        priced=money is not None,
        money=each(money),
        tokens_in=each(tokens_in),
        tokens_out=each(tokens_out),
        tokens=each(together),
        seconds=each(seconds),
        seconds_a_call=round(seconds / answered, 3) if seconds is not None and answered else None,
        frontier=[],
    )


def _sum(rows: Sequence[Mapping[str, Any]], name: str) -> float | None:
    """The sum over seats and endpoints, unknown if one summand is; 0 without language models."""
    values = [row.get(name) for row in rows]
    return None if None in values else float(sum(value or 0 for value in values))
