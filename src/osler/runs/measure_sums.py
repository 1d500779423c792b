"""Estimates of measures over episodes in one pass, from sums by case and never from every episode's value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from osler.core.measure import NOTHING, Measure, Ratio, Value
from osler.stats.case_sums import CaseSums, Places
from osler.stats.cluster_t import Floats
from osler.stats.intervals import Estimate, per_success, ratio_interval

_BATCH: Final = 2048
"""Rows held before they are added, because adding column by column is several times as fast."""


class MeasureSums:
    """An accumulator of measures over episodes in any order; its memory grows only with different cases."""

    def __init__(self, measures: Sequence[Measure]) -> None:
        self._measures = measures
        self._sums = CaseSums(len(measures))
        self._unscored = [0] * len(measures)
        self._rows: list[Sequence[Value]] = []
        self._places: list[int] = []

    def add(self, cluster: str, values: Sequence[Value]) -> None:
        """Add an episode of a cluster, its values in the order of the measures."""
        self._places.append(self._sums.place(cluster))
        self._rows.append(values)
        if len(self._rows) >= _BATCH:
            self._flush()

    def join(self, other: MeasureSums) -> None:
        """Add the episodes of another accumulator of the same measures."""
        self._flush()
        other._flush()
        self._sums.join(other._sums)
        self._unscored = [mine + its for mine, its in zip(self._unscored, other._unscored, strict=True)]

    def results(self) -> dict[str, Estimate]:
        """Return the estimate of each measure by name, with an interval clustered by case."""
        self._flush()
        order = self._sums.order()
        return {one.name: self._estimate(at, one, order) for at, one in enumerate(self._measures)}

    def _estimate(self, at: int, measure: Measure, order: Places) -> Estimate:
        parts, wholes, counts = self._sums.column(at, order)
        how, unscored = measure.interval, self._unscored[at]
        if how == "per success":
            return per_success(parts, wholes, unscored).within(measure.least, measure.most)
        ratio = ratio_interval(parts, wholes, unscored, proportion=how == "proportion")
        return replace(ratio, n=int(counts.sum())).within(measure.least, measure.most)

    def _flush(self) -> None:
        places = np.array(self._places, np.intp)
        for at, values in enumerate(zip(*self._rows, strict=True)):
            self._unscored[at] += values.count(None)
            scored, parts, wholes = _taken_apart(values)
            if len(parts):
                self._sums.add(at, places if scored is None else places[scored], parts, wholes)
        self._rows, self._places = [], []


def _taken_apart(values: Sequence[Value]) -> tuple[Places | None, Floats, Floats | None]:
    """The indexes of the scored values (`None`: all are), their parts, and their wholes (`None`: all 1)."""
    if Ratio in set(map(type, values)):
        scored = [at for at, value in enumerate(values) if value is not None and value is not NOTHING]
        held = [values[at] for at in scored]
        parts = [float(one.part if isinstance(one, Ratio) else one) for one in held]  # type: ignore[arg-type]
        wholes = [float(one.whole) if isinstance(one, Ratio) else 1.0 for one in held]
        return np.array(scored, np.intp), np.array(parts, np.float64), np.array(wholes, np.float64)
    plain = np.array(values, np.float64)  # None becomes NaN
    if not np.isnan(plain).any():
        return None, plain, None
    there = np.flatnonzero([value is not None for value in values])
    return there, plain[there], None
