"""The results of a study over all streams: matrices, metrics and transfer, with intervals over streams and
cases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from functools import reduce
from typing import Final, Literal

import numpy as np

from osler.protocols.consultation.longitudinal.design import ARMS, MEANT, WITH_CARDS, Arm, Design
from osler.protocols.consultation.longitudinal.findings import (
    FIGURES,
    ONE_STREAM,
    RESAMPLING,
    SHARES,
    Audited,
    Compared,
    Condition,
    LongitudinalReport,
    PlanShown,
    Spent,
    StageShown,
)
from osler.protocols.consultation.longitudinal.load_results import FATES, Cards, Cost, StreamData
from osler.protocols.consultation.longitudinal.metrics import (
    BESIDE_NONE,
    BESIDE_ORACLE,
    METRICS,
    Metric,
    kept,
    mean_of,
    only,
    square,
)
from osler.protocols.consultation.longitudinal.planning import Plan, Stream, same_diagnosis
from osler.protocols.consultation.longitudinal.run_stream import Studied
from osler.stats.intervals import Bounded, Estimate, too_few_scored
from osler.stats.learning_over_time import Cell
from osler.stats.two_way_clustering import Crossed, Floats, Mask, crossed, figure, means

COMPARED: Final[tuple[tuple[Arm, Arm], ...]] = (
    ("memory", "none"),
    ("wrong", "none"),
    ("oracle", "memory"),
    ("small", "memory"),
)
_MOST_SHOWN: Final = 20


def report_of(
    studied: Studied,
    streams: Sequence[StreamData],
    status: Literal["done", "paused", "interrupted"] = "done",
    why: str = "",
) -> LongitudinalReport:
    """Return the report of a study, over the streams that have been played to their end."""
    design, plan = studied.design, studied.plan
    results = _Results(design, plan, streams) if streams else None
    audited = Audited(
        clean=not any(one.violations for one in streams),
        retrievals=sum(one.retrievals for one in streams),
        cards=sum(one.given for one in streams),
        violations=tuple(each for one in streams for each in one.violations)[:_MOST_SHOWN],
    )
    return LongitudinalReport(
        key=studied.key,
        design=design.model_dump(mode="json"),
        cases=studied.source.label,
        cases_fingerprint=studied.source.fingerprint,
        status=status,
        why=why,
        plan=PlanShown(
            blocks=tuple((block.name, len(block.pool), len(block.probes)) for block in plan.blocks),
            taught=sum(map(len, plan.streams[0].taught)),
            held_out=len(plan.held_out),
            reserved=len(plan.reserved),
            streams=len(plan.streams),
            done=len(streams),
        ),
        conditions=results.conditions() if results else {},
        compared=results.compared() if results else (),
        stages=results.stages() if results else (),
        fates=_fates(streams),
        audit=audited,
        headline=design.use.headline,
        curve=curve_words(design),
        resampling=RESAMPLING if len(plan.streams) > 1 else ONE_STREAM,
    )


class _Results:
    """The scores as arrays of shape (streams, stages, held-out cases), NaN where unscored."""

    def __init__(self, design: Design, plan: Plan, streams: Sequence[StreamData]) -> None:
        self._design, self._plan, self._streams = design, plan, streams
        self._places = plan.held_out
        blocks = [plan.block_of(place) for place in self._places]
        self._block = np.array([-1 if block is None else block for block in blocks])
        self._size = len(plan.blocks)
        self._draws = crossed(len(streams), self._block.tolist())
        self._scores: dict[Arm, Floats] = {arm: self._array(arm) for arm in ARMS}
        self._covered: Mask = np.array([self._covers(one.stream) for one in streams])

    def conditions(self) -> dict[str, Condition]:
        """Return every arm with its figures."""
        return {arm: self._condition(arm) for arm in ARMS}

    def compared(self) -> tuple[Compared, ...]:
        """Return the differences on held-out cases after the last stage, split by taught and untaught
        diagnosis."""
        result = []
        for arm, against in COMPARED:
            for name, mask in (("covered", self._covered), ("uncovered", ~self._covered)):
                difference = self._difference(arm, against, mask)
                result.append(Compared(condition=arm, against=against, cases=name, difference=difference))
        return tuple(result)

    def stages(self) -> tuple[StageShown, ...]:
        """Return maturation, update response and retention of the arm `memory`, stage by stage."""
        result = []
        for stage in range(self._size):
            taught = [one.taught[stage] for one in self._streams]
            result.append(
                StageShown(
                    stream=_over_streams(taught),
                    probes={arm: self._probes(arm, stage) for arm in ARMS},
                    response=self._change(stage, stage, stage - 1),
                    retention=self._change(stage, self._size - 1, stage) if stage < self._size - 1 else None,
                )
            )
        return tuple(result)

    def _condition(self, arm: Arm) -> Condition:
        scores, none = self._scores[arm], self._scores["none"]
        matrix = self._columns(scores)
        result = {
            **self._metrics(METRICS, matrix),
            **self._metrics(BESIDE_NONE, self._columns(scores, none[:, :1], self._within(arm))),
            **self._metrics(BESIDE_ORACLE, self._columns(scores, self._scores["oracle"])),
        }
        gap = self._gap(arm, "none")
        result["negative_transfer"] = self._mean(np.where(np.isnan(gap), gap, gap < 0), share=True)
        intervals = {name: result[name] for name in (*FIGURES, "negative_transfer")}
        cards = [reduce(Cards.plus, one.cards[arm]) for one in self._streams] if arm in WITH_CARDS else []
        given = reduce(Cards.plus, cards, Cards())
        judged = given.given - given.unjudged
        r = square(means(matrix, np.ones((1, len(matrix))))[0], self._size)
        return Condition(
            label=MEANT[arm],
            R=[[_rounded(cell) for cell in row] for row in r],
            **{name: one.value for name, one in intervals.items()},
            intervals=intervals,
            transfer=self._difference(arm, "none", self._covered),
            transfer_uncovered=self._difference(arm, "none", ~self._covered),
            memory_precision=_rounded(given.helpful / judged) if judged else None,
            cards_given=given.given,
            cards_helpful=given.helpful,
            cards_unjudged=given.unjudged,
            memory_size=[self._mean_size(arm, stage) for stage in range(self._size)] if cards else [],
            retained=[self._metric(kept(distance), matrix, share=True) for distance in range(self._size)],
            unscored=sum(
                score is None for one in self._streams for at in one.scores[arm] for score in at.values()
            ),
            cost=self._spent(arm),
        )

    def _metrics(self, wanted: Mapping[str, Metric], columns: Floats) -> dict[str, Estimate]:
        return {name: self._metric(metric, columns, share=name in SHARES) for name, metric in wanted.items()}

    def _metric(self, metric: Metric, columns: Floats, *, share: bool) -> Estimate:
        probes = np.tile(self._block >= 0, len(self._streams))
        estimate = figure(
            columns, lambda row: metric(row, self._size), self._draws, meant=probes, least=_least(share)
        )
        return _withheld(estimate, self._draws)

    def _mean(self, scores: Floats, mask: Mask | None = None, *, share: bool = False) -> Estimate:
        """Return the mean of (streams, cases) scores, restricted to a mask."""
        wanted = np.ones(scores.shape, np.bool_) if mask is None else mask
        column = np.where(wanted, scores, np.nan).reshape(-1, 1)
        estimate = figure(column, only, self._draws, meant=wanted.ravel(), least=_least(share))
        return _withheld(estimate, self._draws)

    def _array(self, arm: Arm) -> Floats:
        repeated = self._size if arm == "none" else 1
        return np.array(
            [
                [[_nan(at.get(place)) for place in self._places] for at in one.scores[arm] * repeated]
                for one in self._streams
            ]
        )

    def _within(self, arm: Arm) -> Floats:
        """Return the scores at the points within the blocks, of shape (streams, points, cases), each of the
        stage in which its case's block was taught; NaN for cases of no block."""
        scores, none = self._scores[arm], self._scores["none"]
        points = self._design.within(1)
        result = np.full((len(self._streams), len(points), len(self._places)), np.nan)
        for at, one in enumerate(self._streams):
            for stage, number in enumerate(one.stream.blocks):
                mine = np.flatnonzero(self._block == number)
                taught = len(one.stream.taught[stage])
                for point, cases in enumerate(self._design.within(taught)):
                    if arm == "none" or (cases == 0 and stage == 0):
                        result[at, point, mine] = none[at, 0, mine]
                    elif cases in (0, taught):
                        result[at, point, mine] = scores[at, stage - (cases == 0), mine]
                    else:
                        held = one.within[arm][stage][cases]
                        result[at, point, mine] = [_nan(held.get(self._places[place])) for place in mine]
        return result

    def _columns(self, *parts: Floats) -> Floats:
        """Reshape (streams, stages, cases) scores to (streams * cases, stages * blocks), part after part: a
        score goes to the column of its stage and of its block's position in the stream's order. A case with
        any score missing in a stream is left out, so that all columns are over the same cases."""
        scores = np.concatenate(parts, axis=1)
        scores = np.where(np.isnan(scores).any(axis=1, keepdims=True), np.nan, scores)
        streams, stages, cases = scores.shape
        result = np.full((streams, cases, stages, self._size), np.nan)
        for at, one in enumerate(self._streams):
            for place, number in enumerate(one.stream.blocks):
                mine = self._block == number
                result[at, mine, :, place] = scores[at][:, mine].T
        return result.reshape(streams * cases, stages * self._size)

    def _covers(self, stream: Stream) -> list[bool]:
        """Return, for each held-out case, whether the stream was taught its diagnosis."""
        named = {kind.place: kind.diagnosis for kind in self._plan.kinds}
        taught = {named[place] for block in stream.taught for place in block}
        return [any(same_diagnosis(named[place], each) for each in taught) for place in self._places]

    def _gap(self, arm: Arm, against: Arm) -> Floats:
        """Return the (streams, cases) array of differences after the last stage, pair by pair."""
        gap: Floats = self._scores[arm][:, -1, :] - self._scores[against][:, -1, :]
        return gap

    def _difference(self, arm: Arm, against: Arm, mask: Mask) -> Bounded:
        mean = self._mean(self._gap(arm, against), mask)
        return Bounded(**asdict(mean), bounds=_bounds(mean))

    def _probes(self, arm: Arm, stage: int) -> Estimate:
        scores = self._scores[arm][:, stage, :]
        return self._mean(scores, np.broadcast_to(self._block >= 0, scores.shape), share=True)

    def _change(self, stage: int, after: int, before: int) -> Estimate:
        """Return the change in score on the block learnt at a stage: after stage `after` minus after stage
        `before`; before the first stage there is no memory."""
        scores = self._scores["memory"]
        then = scores[:, before, :] if before >= 0 else self._scores["none"][:, 0, :]
        learnt = np.array([self._block == one.stream.blocks[stage] for one in self._streams])
        return self._mean(scores[:, after, :] - then, learnt)

    def _unscored(self, arm: Arm) -> int:
        return sum(score is None for one in self._streams for at in one.scores[arm] for score in at.values())

    def _mean_size(self, arm: Arm, stage: int) -> float:
        return round(float(np.mean([one.sizes[arm][stage] for one in self._streams])), 2)

    def _spent(self, arm: Arm) -> Spent:
        """Return the costs of probing and, in arms with cards, of teaching, per stage, over all streams."""
        stages = len(self._streams[0].costs[arm])
        probing = [
            reduce(Cost.plus, (one.costs[arm][stage] for one in self._streams), Cost())
            for stage in range(stages)
        ]
        teaching = [
            reduce(Cost.plus, (one.teaching[stage] for one in self._streams), Cost())
            for stage in range(self._size if arm in WITH_CARDS else 0)
        ]
        within = [
            reduce(Cost.plus, (one.within_costs[arm][stage] for one in self._streams), Cost())
            for stage in range(self._size if arm in WITH_CARDS else 0)
        ]
        last = self._scores[arm][:, -1, :]
        right = int(np.nansum(last))
        return Spent(
            probing=[one.row() for one in probing],
            within=[one.row() for one in within],
            teaching=[one.row() for one in teaching],
            per_correct=_rounded(probing[-1].points / right) if right else None,
        )


def curve_words(design: Design) -> str:
    """Say what the learning-curve area is computed from."""
    how = (
        "each case was consulted with what was written back after the one before"
        if design.write == "online"
        else "the block was consulted with the memory from before it, and the points within are what its "
        "first cases would have left"
    )
    return (
        f"LCA: {design.points} points a block, from before its first case to after its last, each a score on "
        f"the block's probes; {how}."
    )


def _fates(streams: Sequence[StreamData]) -> list[dict[str, int]]:
    """Return the counts of taught cases by fate, stage by stage, over all streams."""
    if not streams:
        return []
    return [
        {fate: sum(one.fates[stage][fate] for one in streams) for fate in FATES}
        for stage in range(len(streams[0].fates))
    ]


def _bounds(estimate: Estimate) -> tuple[float, float] | None:
    """Return the bounds of a difference if too many pairs are unscored: all of those counted against it, and
    all for it."""
    if estimate.value is None or not too_few_scored(estimate.n, estimate.unscored):
        return None
    total, whole = estimate.value * estimate.n, estimate.n + estimate.unscored
    return round((total - estimate.unscored) / whole, 6), round((total + estimate.unscored) / whole, 6)


def _nan(cell: Cell) -> float:
    return float("nan") if cell is None else cell


def _over_streams(taught: Sequence[Sequence[Cell]]) -> Estimate:
    """Return the mean score of one stage's cases as they were taught, with an interval over streams; `n` and
    `unscored` count streams."""
    column = np.array([_nan(mean_of(cells)) for cells in taught]).reshape(-1, 1)
    draws = crossed(len(taught), [0])
    return _withheld(figure(column, only, draws, least=_least(True)), draws)


def _least(share: bool) -> float | None:
    """The least value of a figure; `None` for that of a difference."""
    return 0.0 if share else None


def _withheld(estimate: Estimate, draws: Crossed) -> Estimate:
    """Return an estimate without its interval if there is one stream: how much another would differ, nothing
    tells."""
    return estimate if draws.streams > 1 else replace(estimate, low=None, high=None)


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(float(value), 6)
