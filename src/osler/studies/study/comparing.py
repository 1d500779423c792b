"""Paired comparison of a study's conditions on their protocol's measures.

Two conditions meet the same worlds, so episodes with the same ordinal are a pair; only pairs scored on both
sides count, clustered by case.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import stdev
from typing import Final, NamedTuple

import numpy as np

from osler.core.config import Config
from osler.core.measure import NOTHING, Measure, Value
from osler.errors import Status
from osler.reports.study_report import ConditionSummary
from osler.runs.judged_episodes import Grader
from osler.runs.measured import Measured, estimates, measured
from osler.runs.rejudging import episode_of, judge_again
from osler.runs.run import config_of
from osler.runs.stored_case import stored
from osler.runs.totals import totals
from osler.stats.cluster_t import Floats
from osler.stats.paired import Difference
from osler.store.permitted_store import for_reader
from osler.store.records import RunInfo
from osler.store.store import Store
from osler.studies.compare import UNSCORED, difference_of, parts_of
from osler.studies.report_parts import parts_of as parts_of_report
from osler.studies.study.design import Study, marks_beside

NOBODY: Final = "nobody"


class JudgeMarks(NamedTuple):
    """The named judge of a study's runs: the grader its verdicts are stored under, and the scores in them;
    without scores of its own it gives the protocol's measures."""

    grader: Grader
    scores: tuple[Measure, ...]


class PlayedCondition(NamedTuple):
    """A condition as it was played: its configuration, its episodes by ordinal with their values in the order
    of `measures`, and its run's summary."""

    config: Config
    measures: tuple[Measure, ...]
    episodes: dict[int, Measured]
    summary: ConditionSummary

    def values(self, measure: Measure) -> dict[int, Value]:
        """Return each episode's value of a measure, by ordinal."""
        place = self.measures.index(measure)
        return {ordinal: one.values[place] for ordinal, one in self.episodes.items()}


def read(run: RunInfo, store: Store, study: Study, marked: JudgeMarks | None = None) -> PlayedCondition:
    """Read a run of a study back, with what a named judge `marked`; if an earlier version of the built-in
    judge judged it, judge it again first."""
    store = for_reader(store, "study")
    if _outdated(run, store):
        judge_again(run, store)
    protocol, config = study.plays, config_of(run)
    measures, rows = protocol.measures, list(measured(run, store, protocol.measures, _instead(marked)))
    if marked and marked.scores:
        measures += marks_beside(protocol, marked.scores)
        beside = measured(run, store, marked.scores, marked.grader)
        rows = [
            one._replace(values=one.values + other.values) for one, other in zip(rows, beside, strict=True)
        ]
    judge = marked.grader.name if _instead(marked) and marked else protocol.judges[0].name
    versions = {f"{judge} {one.version}" for one in rows if one.version}
    if marked and marked.scores:
        versions |= {
            f"{name} {version}" for name, version in store.graders(run.id) if name == marked.grader.name
        }
    whole = totals(run, store)
    result = estimates(rows, measures)
    summary = ConditionSummary(
        run=run.name,
        episodes=len(rows),
        ended=dict(whole.ended),
        found={one.spoken: result[one.name] for one in measures},
        sd=_over_repeats(rows, measures, config.repeats),
        exchanges=whole.exchanges,
        grader=", ".join(sorted(versions)) or NOBODY,
        label=whole.label,
        rejected=whole.notes.value.get("rejected", {}),
        unguided_rounds=whole.notes.value.get("unguided_rounds", 0),
    )
    return PlayedCondition(config, measures, {one.row.ordinal: one for one in rows}, summary)


def _instead(marked: JudgeMarks | None) -> Grader | None:
    """Return the grader whose judgements the protocol's own measures are read from, if not the built-in."""
    return marked.grader if marked and not marked.scores else None


def _over_repeats(rows: Sequence[Measured], measures: Sequence[Measure], repeats: int) -> dict[str, float]:
    """Return the standard deviation of each figure over the repeats of a run, each a pass over all cases, by
    spoken name; none where a repeat has no value."""
    if repeats < 2:
        return {}
    passes = [
        estimates([one for one in rows if one.row.ordinal % repeats == n], measures) for n in range(repeats)
    ]
    result = {}
    for one in measures:
        values = [each[one.name].value for each in passes]
        scored = [value for value in values if value is not None]
        if len(scored) == repeats:
            result[one.spoken] = round(stdev(scored), 6)
    return result


def _outdated(run: RunInfo, store: Store) -> bool:
    """Whether the last ended episode was judged by an outdated version of the judge."""
    last = None
    for row in store.episodes(run.id):
        last = last if row.status in (Status.DIVERGED, Status.DELETED) else row.ordinal
    if last is None:
        return False
    row, trace, judgements = store.record(run.id, last)
    case = stored(store, config_of(run).model)(row.case_hash)
    grader, version, _ = episode_of(run, store)(last, case).judged(trace)
    return (grader, version) not in {(one.grader, one.version) for one in judgements}


def difference(measure: Measure, against: PlayedCondition, condition: PlayedCondition) -> Difference:
    """Return the paired difference `condition` minus `against` on one measure."""
    first, second = against.values(measure), condition.values(measure)
    paired = parts_of_report(against.config.plays).pairs
    clusters: list[str] = []
    pairs: list[tuple[tuple[float, float], tuple[float, float]]] = []
    for ordinal in sorted(first.keys() & second.keys()):
        mine, theirs = against.episodes[ordinal], condition.episodes[ordinal]
        one, other = first[ordinal], second[ordinal]
        nothing = one is NOTHING or other is NOTHING
        fits = nothing or paired((against.config, condition.config), (mine.row, theirs.row))
        clusters.append(mine.cluster)
        pairs.append((parts_of(one), parts_of(other)) if fits else (UNSCORED, UNSCORED))
    table: Floats = np.array(pairs, np.float64).reshape(len(pairs), 2, 2)
    return difference_of(measure, clusters, table)
