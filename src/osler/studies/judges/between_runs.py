"""The difference between two runs under each judge, and as people's labels of some episodes correct it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Final, NamedTuple

import numpy as np

from osler.core.events import Frozen
from osler.stats.intervals import Estimate
from osler.stats.judged_difference import LabelPlan, Side, corrected_difference, labels_needed
from osler.stats.paired import Difference
from osler.store.records import RunInfo
from osler.store.store import Store
from osler.studies.comparable import other_cases, reasons
from osler.studies.compare import PlayedRun, World, difference_of
from osler.studies.judges.score_table import ScoreTable, jury_scores
from osler.studies.rating.people_labels import people_labels, question_of
from osler.studies.rating.scales import Scale

JURY: Final = "jury"


class Between(Frozen):
    """The difference between two runs under one judge, or the jury, second minus first, on the worlds that
    both played. `corrected` is what people would have found, as their labels of some episodes tell: in shares
    (of yes where the question is one of yes or no), or in marks; `plan` are the labels needed for a wanted
    width of it. Both are `None` without labels. Nothing is computed if `refused` gives reasons."""

    first: str
    second: str
    judge: str
    difference: Difference | None = None
    corrected: Estimate | None = None
    plan: LabelPlan | None = None
    refused: tuple[str, ...] = ()


class ReadScore(NamedTuple):
    """One score as read: its table, the row of each world by run id, and each run as one judge saw it."""

    table: ScoreTable
    rows: Mapping[int, Mapping[World, int]]
    played: Mapping[int, PlayedRun]


class Labels(NamedTuple):
    """People's labels beside one judge's scores, episode by episode, both as shares; `step` is the least
    difference between two labels and `unit` what a share of 1 is worth."""

    sides: Side
    step: float
    unit: float


def labels_of(
    runs: Sequence[RunInfo], store: Store, scale: Scale | None, table: ScoreTable, judge: tuple[int, str]
) -> Labels | None:
    """The labels beside one judge (its place in the table, and its grader's name); `None` if no question of
    the scale is answered by its score, or nobody gave any."""
    at, grader = judge
    question = question_of(scale, grader, table.measure.name) if scale else None
    result = people_labels(runs, store, question) if question else {}
    if question is None or not result:
        return None
    plain = table.plain[:, at].tolist()
    judged = [np.nan if np.isnan(value) else question.judged(value) for value in plain]
    rated = [result.get(key, np.nan) for key in table.keys]
    unit = float(question.item.top) if question.item.marked else 1.0
    return Labels(Side(np.array(judged), np.array(rated)), question.step, unit)


def between_runs(
    runs: Sequence[RunInfo], score: ReadScore, labels: Mapping[str, Labels | None], width: float | None
) -> Iterator[Between]:
    """Yield the difference of every two runs under each judge, and under the jury; `width` asks how many
    labels a corrected interval of that width takes."""
    table, jury = score.table, jury_scores(score.table)
    for first, second in combinations(runs, 2):
        refused = [
            *reasons(first, second),
            *other_cases(score.played[first.id].hashes, score.played[second.id].hashes),
        ]
        one, other = score.rows[first.id], score.rows[second.id]
        common = [world for world in one if world in other]
        if not common and not refused:
            refused = ["they share no world: the same case with the same seed and persona"]
        rows = [one[world] for world in common], [other[world] for world in common]
        cases = [table.cases[at] for at in rows[0]]
        for judge in (*table.judges, *([JURY] if jury is not None else [])):
            ends = {"first": first.name, "second": second.name, "judge": judge}
            if refused:
                yield Between(**ends, refused=tuple(refused))
                continue
            if judge == JURY and jury is not None:
                parts = np.stack([jury, np.where(np.isnan(jury), np.nan, 1.0)], axis=-1)
            else:
                parts = table.parts[:, table.judges.index(judge)]
            gap = difference_of(table.measure, cases, np.stack([parts[rows[0]], parts[rows[1]]], axis=1))
            yield _corrected(Between(**ends, difference=gap), cases, rows, labels.get(judge), width)


def _corrected(
    between: Between,
    cases: Sequence[str],
    rows: tuple[list[int], list[int]],
    labels: Labels | None,
    width: float | None,
) -> Between:
    """A difference with its correction by people's labels, over the pairs that the judge scored on both
    sides."""
    if labels is None:
        return between
    first, second = (Side(*(column[at] for column in labels.sides)) for at in rows)
    scored = ~(np.isnan(first.judged) | np.isnan(second.judged))
    held = [case for case, there in zip(cases, scored.tolist(), strict=True) if there]
    first, second = (Side(*(column[scored] for column in side)) for side in (first, second))
    if not held:
        return between
    result = corrected_difference(held, first, second, labels.step)
    ends = {name: _times(getattr(result, name), labels.unit) for name in ("value", "low", "high")}
    plan = None
    if width is not None:
        plan = labels_needed(held, first, second, labels.step, width / labels.unit)
    if plan is not None:
        plan = replace(plan, now=plan.now * labels.unit, narrowest=plan.narrowest * labels.unit)
    corrected = Estimate(**ends, n=result.n, unscored=result.unscored)
    return between.model_copy(update={"corrected": corrected, "plan": plan})


def _times(value: float | None, unit: float) -> float | None:
    return None if value is None else round(value * unit, 6)
