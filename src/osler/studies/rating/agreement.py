"""Inter-rater agreement on stored runs, and the agreement of judges with the raters."""

from __future__ import annotations

import sys
from array import array
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby
from math import isnan
from typing import NamedTuple

import numpy as np
from pydantic import Field
from pydantic_core import from_json

from osler.core.events import Frozen
from osler.errors import BadInput
from osler.judging.scores import UNSCORED
from osler.reports.rating_boxes import Box
from osler.stats.intervals import mean_interval
from osler.store.permitted_store import for_reader
from osler.store.records import Judgement, RunInfo
from osler.store.store import Store
from osler.studies.comparable import check_one_protocol
from osler.studies.rating.inter_rater import BetweenRaters, between_raters
from osler.studies.rating.item_agreement import ByItem, items_rated
from osler.studies.rating.ratings import PREFIX, levels_of, rater_of
from osler.studies.rating.scales import Scale, ScaleItem
from osler.studies.rating.with_judge import JudgedEpisode, WithJudge, as_share, with_judge


class Agreement(Frozen):
    """The agreement of raters with each other, and of judges with raters.

    `episodes` of these runs could be rated, `rated` of them (of `cases` cases) were by at least one person,
    `shared` by two or more; `raters` counts episodes by rater, `other_versions` ratings on another version of
    the scale. `boxes` are box plots of the graded items; yes-or-no items have none. On a scale for a rubric's
    items the figures are over all items together and by competency, and `by_item` has each item.
    """

    runs: tuple[str, ...]
    scale: str
    version: str
    episodes: int
    rated: int
    cases: int
    shared: int
    raters: dict[str, int]
    other_versions: int
    between_raters: dict[str, BetweenRaters]
    with_judges: tuple[WithJudge, ...]
    boxes: tuple[Box, ...]
    by_item: tuple[ByItem, ...] = Field(default=(), exclude_if=lambda items: not items)


class _Judged(NamedTuple):
    """The scores of one judge: the episodes' places, and their scores in a flat array, one per item; NaN
    means unscored, or that the item has no counterpart."""

    places: array[int]
    scores: array[float]


class _Gathered(NamedTuple):
    """The episodes that an export may draw: each one's case by place, the raters' levels by item for rated
    ones, and the scores of each judge (name, version). Compact, as few are rated but all are judged."""

    cases: list[str]
    people: dict[int, dict[str, dict[str, int | None]]]
    judges: dict[tuple[str, str], _Judged]
    others: Counter[str]


def agreement(store: Store, runs: Sequence[RunInfo], scale: Scale) -> Agreement:
    """Read the runs and compare. Raises BadInput if none of them has a rating on this scale, and if it does
    not fit their protocol."""
    runs = list({run.id: run for run in runs}.values())
    scale.check_fits(check_one_protocol(*runs), rubrics=True)
    store = for_reader(store, "rating")
    if scale.each == "item":
        return _by_items(store, runs, scale)
    result = _Gathered([], {}, {}, Counter())
    for run in runs:
        _gather(store, run, scale, result)
    counts = Counter(name for people in result.people.values() for name in people)
    if not counts:
        raise _unrated(runs, scale, result.others)
    raters = sorted(counts)
    cases = [result.cases[place] for place in result.people]
    return Agreement(
        runs=tuple(run.name for run in runs),
        scale=scale.name,
        version=scale.full_version,
        episodes=len(result.cases),
        rated=len(result.people),
        cases=len(set(cases)),
        shared=sum(len(people) > 1 for people in result.people.values()),
        raters={name: counts[name] for name in raters},
        other_versions=result.others.total(),
        between_raters={
            item.id: between_raters(item, cases, _table(result, item, raters), raters) for item in scale.items
        },
        with_judges=tuple(_with_judges(scale, result)),
        boxes=tuple(_boxes(scale, result, raters)),
    )


def _unrated(runs: Sequence[RunInfo], scale: Scale, others: Counter[str]) -> BadInput:
    hint = "osler rate import SHEET... --key KEY"
    if others:
        hint = "they are rated on another version of this scale: give it with --scale FILE.yaml"
    names = ", ".join(run.name for run in runs)
    return BadInput(f"no one has rated this on {scale.full_version}", where=names, hint=hint)


def _by_items(store: Store, runs: Sequence[RunInfo], scale: Scale) -> Agreement:
    result = items_rated(store, runs, scale)
    if not result.raters:
        raise _unrated(runs, scale, result.others)
    return Agreement(
        runs=tuple(run.name for run in runs),
        scale=scale.name,
        version=scale.full_version,
        episodes=result.episodes,
        rated=result.rated,
        cases=result.cases,
        shared=result.shared,
        raters=dict(sorted(result.raters.items())),
        other_versions=result.others.total(),
        between_raters=result.between_raters(scale),
        with_judges=tuple(result.with_judges(scale)),
        boxes=(),
        by_item=result.by_item(),
    )


def _boxes(scale: Scale, found: _Gathered, raters: Sequence[str]) -> Iterator[Box]:
    """Yield the boxes, raters first, then judges, each on the episodes that were rated on the item."""
    for column, item in enumerate(scale.items):
        if item.yes_from is None:
            yield from _raters_boxes(item, found, raters)
            yield from _judges_boxes(item, column, len(scale.items), found)


def _raters_boxes(item: ScaleItem, found: _Gathered, raters: Sequence[str]) -> Iterator[Box]:
    for rater in raters:
        given = {place: people[rater][item.id] for place, people in found.people.items() if rater in people}
        cases = [found.cases[place] for place, level in given.items() if level is not None]
        levels = [level for level in given.values() if level is not None]
        if drawn := box(item, rater, False, item.marked, cases, levels):
            yield drawn


def _judges_boxes(item: ScaleItem, column: int, columns: int, found: _Gathered) -> Iterator[Box]:
    for judge in sorted(found.judges):
        counterpart = item.counterparts.get(_kind(judge[0]))
        if counterpart is None:
            continue
        judged = found.judges[judge]
        scores = zip(judged.places, judged.scores[column::columns], strict=True)
        pairs = [(place, score) for place, score in scores if _levels(found, place, item)]
        shares = [None if isnan(score) else as_share(score, counterpart, item) for _, score in pairs]
        cases = [found.cases[place] for place, _ in pairs]
        levels = [None if share is None else share * item.top for share in shares]
        if drawn := box(item, " ".join(judge), True, item.marked, cases, levels):
            yield drawn


def _table(found: _Gathered, item: ScaleItem, raters: Sequence[str]) -> list[list[int | None]]:
    """Return the levels as a table with a row for each rated episode and a column for each rater."""
    return [[people.get(name, {}).get(item.id) for name in raters] for people in found.people.values()]


def _with_judges(scale: Scale, found: _Gathered) -> Iterator[WithJudge]:
    for column, item in enumerate(scale.items):
        for judge in sorted(found.judges):
            counterpart = item.counterparts.get(_kind(judge[0]))
            if counterpart is not None:
                judged = found.judges[judge]
                scores = judged.scores[column :: len(scale.items)]
                seens = [
                    JudgedEpisode(
                        found.cases[place], None if isnan(score) else score, _levels(found, place, item)
                    )
                    for place, score in zip(judged.places, scores, strict=True)
                ]
                yield with_judge(item, judge, counterpart, seens)


def _levels(found: _Gathered, place: int, item: ScaleItem) -> Sequence[int]:
    if place not in found.people:
        return ()
    given = (levels[item.id] for levels in found.people[place].values())
    return [level for level in given if level is not None]


def _kind(grader: str) -> str:
    return grader.partition(":")[0]


def _gather(store: Store, run: RunInfo, scale: Scale, found: _Gathered) -> None:
    """Merge a run's episodes and judgements into `found`; both come in the order of ordinals."""
    judgements = groupby(store.judgements(run.id, earlier=True), lambda one: one.ordinal)
    ordinal, mine = next(judgements, (sys.maxsize, iter(())))
    for row in store.episodes(run.id):
        while ordinal < row.ordinal:
            ordinal, mine = next(judgements, (sys.maxsize, iter(())))
        if row.status not in UNSCORED:
            for judgement in _counting(mine) if ordinal == row.ordinal else ():
                _add(found, len(found.cases), judgement, scale)
            found.cases.append(sys.intern(row.case_hash))


def _counting(judgements: Iterator[Judgement]) -> Iterator[Judgement]:
    """Yield each judge's last judgement, but all of people's, as another wording is another question."""
    last: dict[str, Judgement] = {}
    for judgement in judgements:
        if judgement.grader.startswith(PREFIX):
            yield judgement
        else:
            last[judgement.grader] = judgement
    yield from last.values()


def _add(found: _Gathered, place: int, judgement: Judgement, scale: Scale) -> None:
    rater = rater_of(scale, judgement.grader)
    if rater is not None and judgement.version != scale.full_version:
        found.others[rater] += 1
    elif rater is not None:
        levels = levels_of(scale, judgement.body)
        if any(level is not None for level in levels.values()):
            found.people.setdefault(place, {})[rater] = levels
    elif not judgement.grader.startswith(PREFIX):
        judge = (judgement.grader, judgement.version)
        judged = found.judges.setdefault(judge, _Judged(array("q"), array("d")))
        scores, kind = from_json(judgement.body)["scores"], _kind(judgement.grader)
        judged.places.append(place)
        for item in scale.items:
            counterpart = item.counterparts.get(kind)
            value = scores.get(counterpart.score, {}).get("value") if counterpart else None
            judged.scores.append(float("nan") if value is None else value)


def box(
    item: ScaleItem, by: str, judge: bool, marks: bool, cases: Sequence[str], levels: Sequence[float | None]
) -> Box | None:
    """Return the box of one rater or judge; a level is `None` for an unscored episode. `marks` are levels
    counted from 1. Returns `None` if nothing was scored."""
    scored = [(case, level) for case, level in zip(cases, levels, strict=True) if level is not None]
    if not scored:
        return None
    first = 1 if marks else 0
    by_case: dict[str, list[float]] = {}
    for case, level in scored:
        by_case.setdefault(case, []).append(level + first)
    values = [level + first for _, level in scored]
    least, lower, middle, upper, most = np.percentile(values, [0, 25, 50, 75, 100]).tolist()
    mean = mean_interval(by_case, len(levels) - len(scored))
    last = item.top + first
    return Box(
        item=item.id,
        by=by,
        judge=judge,
        first=first,
        last=last,
        least=least,
        lower=lower,
        middle=middle,
        upper=upper,
        most=most,
        mean=mean.within(float(first), float(last)),
    )
