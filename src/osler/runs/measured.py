"""Measures of stored episodes, and their estimates over any of them.

This is common to all protocols: summaries, comparisons, studies, reports and tables read from here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

from pydantic_core import from_json

from osler.core.measure import Measure, Scored, Value
from osler.core.trace import Trace
from osler.judging.scores import UNSCORED
from osler.runs.judged_episodes import Grader, judged_episodes
from osler.runs.measure_sums import MeasureSums
from osler.runs.run import protocol_of
from osler.runs.stored_case import stored
from osler.stats.intervals import Estimate
from osler.store.records import EpisodeRow, Judgement, RunInfo
from osler.store.store import Store


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
    for one, _ in measured_and_scored(run, store, measures, grader):
        yield one


def measured_and_scored(
    run: RunInfo, store: Store, measures: Sequence[Measure], grader: Grader | None = None
) -> Iterator[tuple[Measured, Scored]]:
    """Yield what `measured` does, each episode also as the measures see it."""
    read = _reader(run, store, grader)
    cluster_of = clusters(run, store)
    for row, trace, judgements in _episodes(run, store, measures, grader):
        scored, version = read(row, trace, judgements)
        yield Measured(row, _values(scored, measures), version, cluster_of(row.case_hash)), scored


def measured_one(run: RunInfo, store: Store, ordinal: int, measures: Sequence[Measure]) -> tuple[Value, ...]:
    """The values of one ended episode in the order of the measures, as `measured` gives them."""
    row, trace, judgements = store.record(run.id, ordinal, earlier=True)
    scored, _ = _reader(run, store, None)(row, partial(_itself, trace), judgements)
    return _values(scored, measures)


def _values(scored: Scored, measures: Sequence[Measure]) -> tuple[Value, ...]:
    spoilt = scored.row.status in UNSCORED
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
) -> Callable[[EpisodeRow, Callable[[], Trace], Sequence[Judgement]], tuple[Scored, str]]:
    """Return a function that finds and parses the judgement that counts among an episode's, latest first; it
    returns the episode as a measure sees it, and the judgement's version, "" if there is none."""
    protocol = protocol_of(run)
    case_of = stored(store, protocol.config.model)
    graders = [Grader(name) for name in protocol.judges[0].graders] if grader is None else [grader]

    def read(
        row: EpisodeRow, trace: Callable[[], Trace], judgements: Sequence[Judgement]
    ) -> tuple[Scored, str]:
        case = partial(case_of, row.case_hash)
        for one in graders:
            foreign = None
            mine = [each for each in judgements if each.grader == one.name]
            for judgement in reversed([each for each in mine if one.version in ("", each.version)]):
                body = from_json(judgement.body)
                if protocol.judgement is None:
                    return Scored(row, body, trace, None, case), judgement.version
                try:
                    judged = protocol.judgement(case, body)
                    return Scored(row, body, trace, judged, case), judgement.version
                except ValueError:
                    foreign = foreign or (Scored(row, body, trace, None, case), judgement.version)
            # Another kind of judge is read by its scores' names; an unreadable one of ours is outdated.
            if foreign and one.name not in protocol.graders:
                return foreign
        return Scored(row, None, trace, None, case), ""

    return read


def estimates(rows: Iterable[Measured], measures: Sequence[Measure]) -> dict[str, Estimate]:
    """Return the estimate of each measure over some episodes, by name."""
    sums = MeasureSums(measures)
    for row in rows:
        sums.add(row.cluster, row.values)
    return sums.results()
