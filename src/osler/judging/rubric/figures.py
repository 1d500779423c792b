"""Rubric scores of many episodes as figures with 95 % intervals, clustered by source case.

    completion_micro    items that hold / items, over all items of all scored episodes
    completion_macro    mean over episodes of each one's completion
    net                 mean over episodes of each one's net score; only this mean is clipped to 0 and 1
    critical, harm      share of episodes with every critical item right, and with harm done

An episode that could not be scored is counted, never taken as 0; one whose rubric has nothing to score is
counted separately.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import NamedTuple

import numpy as np

from osler.cases.rubrics.model import COMPETENCIES, Competency
from osler.judging.rubric.judgement import RubricJudgement
from osler.judging.rubric.scores import NOT_ASKED, Scores
from osler.judging.scores import Score
from osler.stats.intervals import Estimate, bounds, mean_interval, ratio_interval


@dataclass(frozen=True, slots=True)
class Figure(Estimate):
    """A value with its interval over `n` scored episodes of `clusters` source cases.

    `unscored` episodes could not be scored, `without` had nothing to score. `bounds` are the value if all
    unscored were 0 and if all were 1, given if more than 5 % are unscored: then report them, not the value.
    """

    without: int = 0
    clusters: int = 0
    bounds: tuple[float, float] | None = None


class Figures(NamedTuple):
    """The figures of a set of episodes; `items` is the number of items behind `completion_micro`."""

    completion_micro: Figure
    completion_macro: Figure
    net: Figure
    critical: Figure
    harm: Figure
    items: int


class Judged(NamedTuple):
    """A judgement and the cluster that its source case belongs to."""

    cluster: str
    judgement: RubricJudgement


def figures(judged: Sequence[Judged]) -> Figures:
    """The figures over all items."""
    return _figures([_Row(one.cluster, one.judgement.scores, len(one.judgement.verdicts)) for one in judged])


def figures_by_competency(judged: Sequence[Judged]) -> dict[Competency, Figures]:
    """The figures of each of the six competencies, over the episodes whose rubric has items of it."""
    return {name: _figures(_rows(judged, name)) for name in COMPETENCIES}


def figures_json(found: Figures) -> dict[str, object]:
    """Figures as plain JSON."""
    return {
        name: asdict(held) if isinstance(held, Figure) else held for name, held in found._asdict().items()
    }


class _Row(NamedTuple):
    cluster: str
    scores: Scores
    items: int


def _rows(judged: Iterable[Judged], name: Competency) -> list[_Row]:
    return [
        _Row(one.cluster, one.judgement.by_competency[name], len(one.judgement.rubric.of(name)))
        for one in judged
        if name in one.judgement.by_competency
    ]


def _figures(rows: Sequence[_Row]) -> Figures:
    micro, items = _micro(rows)
    return Figures(
        completion_micro=micro,
        completion_macro=_mean(rows, lambda scores: scores.completion, proportion=True),
        net=_clipped(_mean(rows, lambda scores: scores.net, proportion=False)),
        critical=_mean(rows, lambda scores: scores.critical, proportion=True),
        harm=_mean(rows, lambda scores: scores.harm, proportion=True),
        items=items,
    )


def _micro(rows: Sequence[_Row]) -> tuple[Figure, int]:
    held: dict[str, float] = defaultdict(float)
    asked: dict[str, int] = defaultdict(int)
    scores = [row.scores.completion for row in rows]
    for row in rows:
        if row.scores.completion.value is not None:
            held[row.cluster] += row.scores.completion.value * row.items
            asked[row.cluster] += row.items
    order = sorted(asked)
    sums = np.array([float(round(held[cluster])) for cluster in order])
    counts = np.array([float(asked[cluster]) for cluster in order])
    unscored, without = _left_out(scores)
    n = len(scores) - unscored - without
    ratio = ratio_interval(sums, counts, unscored, proportion=True)
    missed = sum(row.items for row in rows if row.scores.completion.value is None)
    edges = bounds(float(sums.sum()), int(counts.sum()), missed)
    return _figure(replace(ratio, n=n), without, len(order), edges), int(counts.sum())


def _mean(rows: Sequence[_Row], of: Callable[[Scores], Score], *, proportion: bool) -> Figure:
    values: Mapping[str, list[float]] = defaultdict(list)
    for row in rows:
        value = of(row.scores).value
        if value is not None:
            values[row.cluster].append(value)
    unscored, without = _left_out([of(row.scores) for row in rows])
    mean = mean_interval(values, unscored, proportion)
    total = sum(sum(held) for held in values.values())
    return _figure(mean, without, len(values), bounds(total, mean.n, unscored))


def _left_out(scores: Sequence[Score]) -> tuple[int, int]:
    """The numbers of scores that could not be computed and that had nothing to score."""
    missing = [score.reason for score in scores if score.value is None]
    without = sum(reason in NOT_ASKED for reason in missing)
    return len(missing) - without, without


def _figure(estimate: Estimate, without: int, clusters: int, edges: tuple[float, float] | None) -> Figure:
    return Figure(**asdict(estimate), without=without, clusters=clusters, bounds=edges)


def _clipped(figure: Figure) -> Figure:
    """A figure clipped to 0 and 1, including its interval and its bounds."""
    edges = figure.bounds and (min(1.0, max(0.0, figure.bounds[0])), min(1.0, max(0.0, figure.bounds[1])))
    return replace(figure.within(0.0, 1.0), bounds=edges)
