"""Paired comparison of runs on the worlds that both have played; unfair comparisons are refused.

Of more than two runs every pair is compared, and the runs are ranked (`osler.stats.ranks`).

a plain figure             paired by world, clustered by case (`osler.stats.paired.paired`)
a ratio of sums (a gain)   the difference of both ratios (`paired_ratio`)
a cost per success         the difference of both (`paired_per_success`)
"""

from __future__ import annotations

import json
import sys
from array import array
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from math import isnan
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import model_serializer
from pydantic_core import from_json

from osler.core.events import Frozen
from osler.core.measure import INF, NOTHING, Kind, Measure, Ratio, Value, score
from osler.core.protocol import Protocol
from osler.errors import BadInput
from osler.runs.judged_episodes import Grader
from osler.runs.measure_sums import MeasureSums
from osler.runs.measured import measured
from osler.runs.run import protocol_of
from osler.stats.intervals import Estimate, too_few_scored
from osler.stats.paired import Difference, adjusted, paired, paired_per_success, paired_ratio
from osler.store.permitted_store import for_reader
from osler.store.records import EpisodeRow, RunInfo
from osler.store.store import Store
from osler.studies.comparable import (
    check_one_protocol,
    differing,
    never_met,
    other_cases,
    other_judges,
    reasons,
    setting,
)
from osler.studies.ranking import PassPower, Ranked, passed, ranked

SIGN: Final = "second minus first"
FAMILIES: Final = "all pairs for the primary score, all pairs and scores together for further ones"
"""The families of tests within which p-values are adjusted."""
UNSCORED: Final = (float("nan"), float("nan"))
"""The array entry (part, whole) of an unscored episode, or of a pair that does not fit."""
_NOTHING: Final = (0.0, float("nan"))
"""The array entry (part, whole) of an episode with nothing to score."""

World = tuple[Any, ...]


class Compared(Frozen):
    """The comparison of two runs on one score: `difference` is second minus first, over the pairs scored in
    both.

    Its `p_holm` is adjusted within its family: the primary score over all pairs of runs (none for a single
    pair), or all further scores over all pairs.
    """

    score: str
    kind: Kind
    difference: Difference

    @model_serializer
    def as_json(self) -> dict[str, Any]:
        """Return plain JSON."""
        result = self.difference
        return {
            "score": self.score,
            "kind": self.kind,
            "difference": {name: getattr(result, name) for name in ("value", "low", "high", "n_pairs")},
            **{name: getattr(result, name) for name in ("p", "p_holm", "equivalent", "method")},
            "first_mean": result.first,
            "second_mean": result.second,
            **{name: getattr(result, name) for name in ("cases", "unscored", "bounds")},
        }


class Comparison(Frozen):
    """The comparison of two runs. `scores` is empty if `refused` gives reasons; `unpaired` counts episodes of
    worlds that only one of them played, `differs` maps settings to the values in the first and the second."""

    first: str
    second: str
    judge: str
    margin: float | None
    wanted: tuple[str, ...]
    scores: tuple[Compared, ...]
    unpaired: int
    differs: dict[str, tuple[Any, Any]]
    refused: tuple[str, ...]


class Comparisons(NamedTuple):
    """The comparison of several runs: every pair, in the order (first, second), (first, third), ...

    There are no ranks if a pair is refused, or if neither more nor less of the primary score is better;
    `passes` only of right-or-wrong scores with repeats, over the worlds that all runs played.
    """

    runs: tuple[str, ...]
    measure: Measure
    pairs: tuple[Comparison, ...]
    ranks: tuple[Ranked, ...] = ()
    passes: tuple[PassPower, ...] = ()

    @property
    def refused(self) -> list[str]:
        """Every reason for which a pair was refused, once."""
        return list(dict.fromkeys(reason for pair in self.pairs for reason in pair.refused))


class PlayedRun(NamedTuple):
    """A run as read: (part, whole) of each measure by world, each world's ordinal, the case hash by case id,
    and by case hash the cluster and the versions that judged its episodes."""

    values: dict[World, array[float]]
    ordinals: dict[World, int]
    hashes: dict[str, str]
    clusters: dict[str, str]
    versions: dict[str, set[str]]


class RunsRead(NamedTuple):
    """Runs of one protocol as read for a comparison: each by its id, on these measures, by this judge."""

    runs: Sequence[RunInfo]
    measures: Sequence[Measure]
    judge: str
    played: Mapping[int, PlayedRun]


def compare(
    first: RunInfo,
    second: RunInfo,
    store: Store,
    scores: Sequence[str] = (),
    *,
    grader: str | None = None,
    margin: float | None = None,
) -> Comparison:
    """Compare two stored runs, pair by pair. The first of `scores` is the primary one, to which the
    equivalence `margin` applies; by default it is the protocol's headline.

    Raises BadInput if a score is unknown, or the runs are of different protocols.
    """
    return compare_all((first, second), store, scores, grader=grader, margin=margin).pairs[0]


def compare_all(
    runs: Sequence[RunInfo],
    store: Store,
    scores: Sequence[str] = (),
    *,
    grader: str | None = None,
    margin: float | None = None,
) -> Comparisons:
    """Compare every two of these runs.

    There are two families of tests: the primary score (the first) over all pairs, and all further scores over
    all pairs; p is Holm-adjusted within each. Raises BadInput as `compare` does.
    """
    store = for_reader(store, "comparison")
    return compare_shown(runs, store, scores, grader=grader, margin=margin)


def compare_shown(
    runs: Sequence[RunInfo],
    store: Store,
    scores: Sequence[str] = (),
    *,
    grader: str | None = None,
    margin: float | None = None,
    with_first: bool = False,
) -> Comparisons:
    """As `compare_all`, of what a larger reader, such as a report, has been shown."""
    return comparisons_of(read_runs(runs, store, scores, grader), margin, with_first=with_first)


def shown_first(protocol: Protocol) -> list[str]:
    """The names of the scores that are compared unless others are named: the headline and those beside it."""
    return [one.name for one in protocol.measures if one is protocol.measures[0] or one.beside]


def read_runs(
    runs: Sequence[RunInfo], store: Store, scores: Sequence[str] = (), grader: str | None = None
) -> RunsRead:
    """Read runs of one protocol for `comparisons_of`, each once. Raises BadInput as `compare` does."""
    protocol = check_one_protocol(*runs)
    measures = measures_of(runs, store, scores, grader)
    chosen = Grader(grader) if grader else None
    played = {run.id: played_run(run, store, measures, chosen) for run in runs}
    return RunsRead(runs, measures, grader or protocol.graders[0], played)


def comparisons_of(read: RunsRead, margin: float | None = None, *, with_first: bool = False) -> Comparisons:
    """Compare every two of the runs that were read, or only every further one `with_first`."""
    runs, measures = read.runs, read.measures
    places = [pair for pair in combinations(range(len(runs)), 2) if not (with_first and pair[0])]
    pairs = _adjusted([_pair(runs[i], runs[j], read, margin) for i, j in places])
    comparisons = Comparisons(runs=tuple(run.name for run in runs), measure=measures[0], pairs=tuple(pairs))
    if comparisons.refused or with_first:
        return comparisons
    gaps = {place: pair.scores[0].difference for place, pair in zip(places, pairs, strict=True)}
    return comparisons._replace(
        ranks=ranked(comparisons.runs, gaps, measures[0]),
        passes=_passes(comparisons.runs, runs, read.played, measures[0]),
    )


def estimates_of(run: PlayedRun, measures: Sequence[Measure]) -> dict[str, Estimate]:
    """Return the estimate of each measure over all episodes of a run that was read, by name."""
    sums = MeasureSums(measures)
    for world, held in run.values.items():
        pairs = zip(measures, held[::2], held[1::2], strict=True)
        sums.add(run.clusters[world[0]], tuple(_value_of(*one) for one in pairs))
    return sums.results()


def _passes(
    names: Sequence[str], runs: Sequence[RunInfo], read: Mapping[int, PlayedRun], measure: Measure
) -> tuple[PassPower, ...]:
    """Return pass^k of each run, over the worlds that all of them played."""
    played = [read[run.id] for run in runs]
    common = set(played[0].values).intersection(*(one.values for one in played))
    return tuple(
        each
        for name, one in zip(names, played, strict=True)
        for each in passed(
            name,
            {world: (held[0], held[1]) for world, held in one.values.items() if world in common},
            one.clusters,
            measure,
        )
    )


def _pair(
    first: RunInfo,
    second: RunInfo,
    read: RunsRead,
    margin: float | None,
) -> Comparison:
    one, other, measures, judge = read.played[first.id], read.played[second.id], read.measures, read.judge
    common = [world for world in one.values if world in other.values]
    refused = [*reasons(first, second), *other_cases(one.hashes, other.hashes)]
    if any(measure.judged for measure in measures):
        refused += other_judges(first, second, one.versions, other.versions, judge)
    if not common and not refused:
        refused.append(never_met(first, second))
    result: list[Compared] = []
    if not refused:
        cases = [one.clusters[world[0]] for world in common]
        shape = (len(common), 2, len(measures), 2)
        both = (side.values[world] for world in common for side in (one, other))
        table = np.frombuffer(b"".join(both)).reshape(shape)
        margins = [margin, *[None] * (len(measures) - 1)]
        for place, (measure, most) in enumerate(zip(measures, margins, strict=True)):
            gap = difference_of(measure, cases, table[:, :, place], most)
            result.append(Compared(score=measure.name, kind=measure.kind, difference=gap))
    return Comparison(
        first=first.name,
        second=second.name,
        judge=judge,
        margin=margin,
        wanted=tuple(measure.name for measure in measures),
        scores=tuple(result),
        unpaired=len(one.values) + len(other.values) - 2 * len(common),
        differs=differing(first, second),
        refused=tuple(refused),
    )


def worlds_of(run: RunInfo) -> Callable[[EpisodeRow], World]:
    """Return a function from an episode of a run to its world: case, seed, number of occurrence, and whatever
    else of the configuration its protocol's worlds depend on. Call it in the order of ordinals.

    Two results are equal if `osler.core.episode.Episode.world` is, which is not stored.
    """
    how = run.manifest["configuration"]
    fields = protocol_of(run).config.world
    rest = tuple(sys.intern(json.dumps(setting(run, name), sort_keys=True)) for name in fields)
    counts: Counter[tuple[str, str]] = Counter()

    def world_of(row: EpisodeRow) -> World:
        seed = sys.intern(f"{how['seed']}/{row.ordinal % how['repeats']}")
        case = sys.intern(row.case_hash)
        counts[case, seed] += 1
        return (case, seed, counts[case, seed], *rest)

    return world_of


def measures_of(
    runs: Sequence[RunInfo], store: Store, scores: Sequence[str], grader: str | None
) -> list[Measure]:
    """Return the requested measures, by default the headline. Those of a grader outside the protocol are read
    by name."""
    protocol = protocol_of(runs[0])
    if grader is None or grader in protocol.graders:
        return [protocol.measure(name) for name in scores] if scores else [protocol.measures[0]]
    known = _measures_by_name(protocol)
    given = _scores_of(runs, store, grader)
    result = []
    for name in scores or [next((one for one in known if one in given), next(iter(given), ""))]:
        if given and name not in given and (name not in known or known[name].judged):
            others = (one.name for one in protocol.measures if not one.judged)
            hint = f"known: {', '.join(sorted({*given, *others}))}"
            raise BadInput(f"{grader} gives no score {name!r}", where="--score", hint=hint)
        result.append(known[name] if name in known else _by_name(name, given.get(name)))
    return result


def _measures_by_name(protocol: Protocol) -> dict[str, Measure]:
    """The measures of a protocol and of its model judge, by name and alias."""
    result = {name: one for one in protocol.measures for name in (one.name, *one.aliases)}
    marks = protocol.model_judge.marks if protocol.model_judge else ()
    return result | {one.name: one for one in marks if one.name not in result}


def _by_name(name: str, share: bool | None) -> Measure:
    """The measure of a score that the protocol does not know; of one that nothing is known of (`None`), a
    comparison is refused later."""
    if share is None:
        return Measure(name, name, name, "share", score(name))
    return Measure(name, name, name, "share" if share else "mark", score(name), -INF, INF)


def _scores_of(runs: Sequence[RunInfo], store: Store, grader: str) -> dict[str, bool]:
    """Return the scores that a grader gave, and for each whether all values are between 0 and 1."""
    scores: dict[str, bool] = {}
    for run in runs:
        for judgement in store.judgements(run.id):
            if judgement.grader == grader:
                for name, one in from_json(judgement.body)["scores"].items():
                    value = one["value"]
                    scores[name] = scores.get(name, True) and (value is None or 0 <= value <= 1)
    return scores


def played_run(run: RunInfo, store: Store, measures: Sequence[Measure], grader: Grader | None) -> PlayedRun:
    """Read a run by world."""
    result = PlayedRun({}, {}, {}, {}, {})
    world_of, declined = worlds_of(run), list[World]()
    for one in measured(run, store, measures, grader):
        row = one.row
        world = world_of(row)
        result.values[world] = array("d", [end for value in one.values for end in parts_of(value)])
        result.ordinals[world] = row.ordinal
        if row.declined:
            declined.append(world)
        result.hashes[row.case_id] = row.case_hash
        result.clusters[row.case_hash] = one.cluster
        result.versions.setdefault(row.case_hash, set()).update([one.version] if one.version else [])
    headline = protocol_of(run).measures[0]
    if headline.share and too_few_scored(len(result.values) - len(declined), len(declined)):
        for place in [2 * place for place, measure in enumerate(measures) if measure.name == headline.name]:
            for world in declined:  # too many to say how the run would have scored
                result.values[world][place : place + 2] = array("d", UNSCORED)
    return result


def parts_of(value: Value) -> tuple[float, float]:
    """Return a value as part and whole: both NaN if it is unscored, the whole if there was nothing to
    score."""
    if value is NOTHING:
        return _NOTHING
    if value is None:
        return UNSCORED
    return value if isinstance(value, Ratio) else (float(value), 1.0)


def _value_of(measure: Measure, part: float, whole: float) -> Value:
    """The value whose parts these are; see `parts_of`."""
    if isnan(whole):
        return None if isnan(part) else NOTHING
    return Ratio(part, whole) if measure.ratio else part


def difference_of(
    measure: Measure,
    cases: Sequence[str],
    table: NDArray[np.float64],
    margin: float | None = None,
) -> Difference:
    """Return the paired difference of one measure, its interval clipped to what the measure's range allows;
    `table` is (pairs, sides, part and whole) by `parts_of`.

    Omits pairs with nothing to score. Scores of 0 and 1 are right and wrong answers in a share, and numbers
    like others in a count or a mark.
    """
    nothing = np.isnan(table[:, :, 1]) & ~np.isnan(table[:, :, 0])
    asked = np.flatnonzero(~nothing.any(axis=1))
    table, held = table[asked], [cases[place] for place in asked.tolist()]
    parts, wholes = table[:, :, 0], table[:, :, 1]
    if measure.interval == "per success":
        result = paired_per_success(held, parts, wholes, margin)
    elif measure.ratio:
        result = paired_ratio(held, table[:, 0], table[:, 1], margin, measure.share)
    else:
        result = paired(held, parts[:, 0], parts[:, 1], margin, measure.share, marks=not measure.share)
    return result.within(measure.most - measure.least)


def _adjusted(found: Sequence[Comparison]) -> list[Comparison]:
    """Return the comparisons with Holm-adjusted p: the primary score over all pairs, the further ones
    together."""
    primary = [pair.scores[0].difference for pair in found if pair.scores]
    further = [one.difference for pair in found for one in pair.scores[1:]]
    first, rest = iter(adjusted(primary) if len(primary) > 1 else primary), iter(adjusted(further))
    return [
        pair.model_copy(
            update={
                "scores": tuple(
                    one.model_copy(update={"difference": next(rest if place else first)})
                    for place, one in enumerate(pair.scores)
                )
            }
        )
        for pair in found
    ]
