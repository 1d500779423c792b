"""Measures of stored episodes, and their estimates over a run.

This is common to all protocols: summaries, comparisons, studies, reports and tables read from here.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from typing import Any, NamedTuple

from pydantic_core import from_json

from osler.core.attempts import REFUSED, cause_of
from osler.core.measure import Measure, Scored, Value
from osler.core.trace import Trace
from osler.judging.scores import UNSCORED
from osler.runs.judged_episodes import Grader, judged_episodes
from osler.runs.measure_sums import MeasureSums
from osler.runs.run import protocol_of
from osler.runs.stored_case import stored
from osler.stats.intervals import Estimate, bounds
from osler.store.records import EpisodeRow, Judgement, RunInfo
from osler.store.store import Store


class _Read(NamedTuple):
    """The judgement that counts: its version, its JSON, and its parsed form in the protocol."""

    version: str
    body: Mapping[str, Any] | None
    judged: Any


class Measured(NamedTuple):
    """A stored episode with its values in the order of the measures (`None`: unscored, `NOTHING`: nothing to
    score), its case's cluster, and the version of the grader that judged it, "" if none has.
    """

    row: EpisodeRow
    values: tuple[Value, ...]
    version: str
    cluster: str


def measured(
    run: RunInfo, store: Store, measures: Sequence[Measure], grader: Grader | None = None
) -> Iterator[Measured]:
    """Yield every ended episode of a run, in the order of ordinals. An episode spoilt by the simulation is
    unscored.

    Without a `grader`, the protocol's own judge is used, under any of its names.
    """
    read = _reader(run, store, grader)
    cluster_of = clusters(run, store)
    for row, trace, judgements in _episodes(run, store, measures, grader):
        found = read(row, judgements)
        values = _values(row, found, trace, measures)
        yield Measured(row, values, found.version, cluster_of(row.case_hash))


def measured_one(
    run: RunInfo, store: Store, ordinal: int, measures: Sequence[Measure], grader: Grader | None = None
) -> tuple[Value, ...]:
    """The values of one ended episode in the order of the measures, as `measured` gives them."""
    row, trace, judgements = store.record(run.id, ordinal, earlier=True)
    found = _reader(run, store, grader)(row, judgements)
    return _values(row, found, partial(_itself, trace), measures)


def _values(
    row: EpisodeRow, found: _Read, trace: Callable[[], Trace], measures: Sequence[Measure]
) -> tuple[Value, ...]:
    scored = Scored(row, found.body, trace, found.judged)
    spoilt = row.status in UNSCORED
    return tuple(None if spoilt else measure.of(scored) for measure in measures)


def clusters(run: RunInfo, store: Store) -> Callable[[str], str]:
    """Return a lookup from a case's hash to its cluster: the case itself unless the protocol joins cases."""
    protocol = protocol_of(run)
    if protocol.clusters is None:
        return lambda case_hash: case_hash
    case_of = stored(store, protocol.config.model)
    met = {row.case_hash for row in store.episodes(run.id)}
    return protocol.clusters({case_hash: case_of(case_hash) for case_hash in sorted(met)}).__getitem__


def _episodes(
    run: RunInfo, store: Store, measures: Sequence[Measure], grader: Grader | None
) -> Iterator[tuple[EpisodeRow, Callable[[], Trace], Sequence[Judgement]]]:
    """Yield the ended episodes; if a measure needs traces, they are read in bulk, else lazily."""
    earlier = protocol_of(run).judgement is not None or bool(grader and grader.version)
    if any(measure.traced for measure in measures):
        for row, trace, judged in store.records(run.id, earlier=earlier):
            yield row, partial(_itself, trace), judged
    else:
        for row, judgements in judged_episodes(run, store, earlier=earlier):
            yield row, partial(store.trace, run.id, row.ordinal), judgements


def _itself(trace: Trace) -> Trace:
    return trace


def _reader(
    run: RunInfo, store: Store, grader: Grader | None
) -> Callable[[EpisodeRow, Sequence[Judgement]], _Read]:
    """Return a function that finds and parses the judgement that counts among an episode's, latest first."""
    protocol = protocol_of(run)
    case_of = stored(store, protocol.config.model)
    graders = [Grader(name) for name in protocol.judges[0].graders] if grader is None else [grader]

    def read(row: EpisodeRow, judgements: Sequence[Judgement]) -> _Read:
        for one in graders:
            foreign = None
            mine = [each for each in judgements if each.grader == one.name]
            for judgement in reversed([each for each in mine if one.version in ("", each.version)]):
                body = from_json(judgement.body)
                if protocol.judgement is None:
                    return _Read(judgement.version, body, None)
                try:
                    judged = protocol.judgement(partial(case_of, row.case_hash), body)
                    return _Read(judgement.version, body, judged)
                except ValueError:
                    foreign = foreign or _Read(judgement.version, body, None)
            # Another kind of judge is read by its scores' names; an unreadable one of ours is outdated.
            if foreign and one.name not in protocol.graders:
                return foreign
        return _Read("", None, None)

    return read


def estimates(rows: Iterable[Measured], measures: Sequence[Measure]) -> dict[str, Estimate]:
    """Return the estimate of each measure over some episodes, by name."""
    sums = MeasureSums(measures)
    for row in rows:
        sums.add(row.cluster, row.values)
    return sums.results()


class Totals(NamedTuple):
    """The totals of a run: how its episodes ended, how many exchanges it took, and every measure.

    `because` counts the causes of failed ends by status, `refused` those of refused attempts.
    `headline_bounds` replace the headline if it is a share and more than 5 % of the episodes are unscored, or
    more than 5 % were refused or filtered.
    """

    episodes: int
    ended: dict[str, int]
    exchanges: int
    measures: dict[str, Estimate]
    because: dict[str, dict[str, int]] = {}  # noqa: RUF012 - never changed
    headline_bounds: tuple[float, float] | None = None
    refused: dict[str, int] = {}  # noqa: RUF012 - never changed

    @property
    def causes(self) -> dict[str, int]:
        """The causes of failed ends, whatever the status."""
        found = sum(map(Counter, self.because.values()), Counter[str]())
        return dict(sorted(found.items()))

    def as_json(self) -> dict[str, Any]:
        """Return plain JSON, each measure as {value, low, high, n, unscored}."""
        return {
            "episodes": self.episodes,
            "ended": self.ended,
            "ended_because": self.because,
            "causes": self.causes,
            "refused_attempts": self.refused,
            "headline_bounds": self.headline_bounds,
            "exchanges": self.exchanges,
            "measures": {name: asdict(found) for name, found in self.measures.items()},
        }


def totals(run: RunInfo, store: Store, grader: Grader | None = None, *, traced: bool = False) -> Totals:
    """Summarize a run by its protocol's measures: the same figures after any number of sessions. Measures
    that need traces are included only with `traced`."""
    measures = [one for one in protocol_of(run).measures if traced or not one.traced]
    ended, causes = Counter[str](), Counter[tuple[str, str]]()
    exchanges = declined = 0

    def counted() -> Iterator[Measured]:
        nonlocal exchanges, declined
        for one in measured(run, store, measures, grader):
            ended[str(one.row.status)] += 1
            if cause := one.row.cause:
                causes[str(one.row.status), cause] += 1
            exchanges += one.row.exchanges
            declined += one.row.declined
            yield one

    found = estimates(counted(), measures)
    head = found[measures[0].name]
    ends = None
    if measures[0].share and head.n + head.unscored:
        ends = bounds((head.value or 0.0) * head.n, head.n, head.unscored, declined)
    return Totals(
        ended.total(),
        dict(sorted(ended.items())),
        exchanges,
        found,
        by_status(causes),
        headline_bounds=ends,
        refused=refused_attempts(run, store),
    )


def refused_attempts(run: RunInfo, store: Store) -> dict[str, int]:
    """The number of refused attempts of a run's players, by cause."""
    found = Counter[str]()
    for _, line in store.attempts(run.id):
        if REFUSED in line:
            found.update(cause_of(one) for one in json.loads(line) if one["at"] == REFUSED)
    return dict(sorted(found.items()))


def by_status(causes: Mapping[tuple[str, str], int]) -> dict[str, dict[str, int]]:
    """Counts by (status, cause) as counts by cause, by status."""
    found: dict[str, dict[str, int]] = {}
    for (status, cause), count in sorted(causes.items()):
        found.setdefault(status, {})[cause] = count
    return found
