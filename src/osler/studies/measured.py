"""Stored episodes as their protocol's measures see them, and what a run comes to by each measure.

What exists here exists for every protocol: summaries, comparisons, studies, reports and tables read this.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from pydantic_core import from_json

from osler.core.measure import Measure, Ratio, Scored, Value
from osler.encounter.trace import Trace
from osler.judging.judge import UNSCORED
from osler.judging.statistics import Estimate, ratio_interval
from osler.store.rows import EpisodeRow, RunInfo
from osler.store.store import Store
from osler.studies.graders import Grader
from osler.studies.judged_episodes import judged_episodes
from osler.studies.runs import protocol_of


class Measured(NamedTuple):
    """A stored episode with its values in the order of the measures (`None`: unscored), and the version of
    the grader that judged it, "" where it has not."""

    row: EpisodeRow
    values: tuple[Value, ...]
    version: str


def usual_grader(run: RunInfo, store: Store) -> Grader:
    """The grader whose scores a run's measures are read from: its protocol's first judge's."""
    known = dict.fromkeys(name for name, _ in store.graders(run.id))
    return Grader(
        next((name for name in protocol_of(run).graders if name in known), protocol_of(run).graders[0])
    )


def measured(
    run: RunInfo, store: Store, measures: Sequence[Measure], grader: Grader | None = None
) -> Iterator[Measured]:
    """Every ended episode of a run, in order. What the simulation spoilt is unscored."""
    grader = grader or usual_grader(run, store)
    for row, judgements in judged_episodes(run, store, earlier=bool(grader.version)):
        found = grader.among(judgements)
        scored = Scored(row, from_json(found.body) if found else None, _trace(run, store, row.ordinal))
        spoilt = row.status in UNSCORED
        values = tuple(None if spoilt else measure.of(scored) for measure in measures)
        yield Measured(row, values, found.version if found else "")


def estimates(rows: Sequence[Measured], measures: Sequence[Measure]) -> dict[str, Estimate]:
    """Each measure over some episodes, its interval clustered by case."""
    found = {}
    for place, measure in enumerate(measures):
        sums: dict[str, list[float]] = {}
        n = 0
        for row in rows:
            value = row.values[place]
            if value is None:
                continue
            part, whole = value if isinstance(value, Ratio) else (value, 1.0)
            held = sums.setdefault(row.row.case_hash, [0.0, 0.0])
            held[0] += part
            held[1] += whole
            n += 1
        parts = np.array([held[0] for held in sums.values()])
        wholes = np.array([held[1] for held in sums.values()])
        estimate = ratio_interval(parts, wholes, len(rows) - n, proportion=measure.share)
        found[measure.name] = within(measure, estimate._replace(n=n))
    return found


def within(measure: Measure, found: Estimate) -> Estimate:
    """An estimate whose interval is cut to where the measure can lie."""

    def cut(end: float | None) -> float | None:
        return None if end is None else min(max(end, measure.least), measure.most)

    return found._replace(low=cut(found.low), high=cut(found.high))


class Totals(NamedTuple):
    """A run by its measures: how its episodes ended, how many exchanges it took, and every measure."""

    episodes: int
    ended: dict[str, int]
    exchanges: int
    measures: dict[str, Estimate]

    def as_json(self) -> dict[str, Any]:
        """Plain JSON, each measure as {value, low, high, n, unscored}."""
        return {
            "episodes": self.episodes,
            "ended": self.ended,
            "exchanges": self.exchanges,
            "measures": {name: found._asdict() for name, found in self.measures.items()},
        }


def totals(run: RunInfo, store: Store, grader: Grader | None = None) -> Totals:
    """Sum a run up by its protocol's measures: the same figures after any number of sittings."""
    measures = protocol_of(run).measures
    rows = list(measured(run, store, measures, grader))
    ended = Counter(str(one.row.status) for one in rows)
    return Totals(
        episodes=len(rows),
        ended=dict(sorted(ended.items())),
        exchanges=sum(one.row.exchanges for one in rows),
        measures=estimates(rows, measures),
    )


def _trace(run: RunInfo, store: Store, ordinal: int) -> Any:
    def read() -> Trace:
        return store.trace(run.id, ordinal)

    return read
