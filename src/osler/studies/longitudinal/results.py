"""All streams of a study together: matrices, metrics, transfer, with intervals over streams and cases."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any, Final, Literal

import numpy as np

from osler.judging import longitudinal as over_time
from osler.judging.crossed import Floats, crossed, figure, means
from osler.judging.longitudinal import Cell, Figure, Matrix
from osler.judging.statistics import Estimate
from osler.reports.longitudinal import (
    Audited,
    Compared,
    Condition,
    LongitudinalReport,
    PlanShown,
    Spent,
    StageShown,
)
from osler.reports.summary import Interval
from osler.studies.longitudinal.design import ARMS, MEANT, WITH_CARDS, Arm
from osler.studies.longitudinal.planning import Plan, Stream
from osler.studies.longitudinal.playing import Studied
from osler.studies.longitudinal.reading import FATES, Cards, Cost, Lived

COMPARED: Final[tuple[tuple[Arm, Arm], ...]] = (
    ("memory", "none"),
    ("wrong", "none"),
    ("oracle", "memory"),
    ("small", "memory"),
)
_MOST_SHOWN: Final = 20


def report_of(
    studied: Studied,
    streams: Sequence[Lived],
    status: Literal["done", "paused", "interrupted"] = "done",
    why: str = "",
) -> LongitudinalReport:
    """What a study found, over the streams that have been played to their end."""
    design, plan = studied.design, studied.plan
    results = _Results(plan, streams) if streams else None
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
    )


class _Results:
    """Scores as arrays: (streams, stages, held-out cases), NaN where unscored."""

    def __init__(self, plan: Plan, streams: Sequence[Lived]) -> None:
        self._plan, self._streams = plan, streams
        self._places = plan.held_out
        blocks = [plan.block_of(place) for place in self._places]
        self._block = np.array([-1 if block is None else block for block in blocks])
        self._size = len(plan.blocks)
        self._draws = crossed(len(streams), self._block.tolist())
        self._scores: dict[Arm, Floats] = {arm: self._array(arm) for arm in ARMS}
        self._covered = np.array([self._covers(one.stream) for one in streams])

    def conditions(self) -> dict[str, Condition]:
        """Every arm with its figures."""
        return {arm: self._condition(arm) for arm in ARMS}

    def compared(self) -> tuple[Compared, ...]:
        """Differences on held-out cases after the last stage, by whether their diagnosis was taught."""
        found = []
        for arm, against in COMPARED:
            for name, mask in (("covered", self._covered), ("uncovered", ~self._covered)):
                difference = _interval(self._difference(arm, against, mask))
                found.append(Compared(condition=arm, against=against, cases=name, difference=difference))
        return tuple(found)

    def stages(self) -> tuple[StageShown, ...]:
        """Maturation, update response and retention of the arm `memory`, stage by stage."""
        found = []
        for stage in range(self._size):
            taught = [one.taught[stage] for one in self._streams]
            found.append(
                StageShown(
                    stream=_interval(_over_streams(taught)),
                    probes={arm: self._probes(arm, stage) for arm in ARMS},
                    response=self._change(stage, stage, stage - 1),
                    retention=self._change(stage, self._size - 1, stage) if stage < self._size - 1 else None,
                )
            )
        return tuple(found)

    def _condition(self, arm: Arm) -> Condition:
        scores, none = self._scores[arm], self._scores["none"]
        matrix = self._columns(scores)
        both = np.hstack([matrix, self._columns(none)[:, : self._size]])
        oracle = np.hstack([matrix, self._columns(self._scores["oracle"])])
        size = self._size

        def metric(of: Callable[[Matrix], Figure | Cell], columns: Floats = matrix) -> Estimate:
            return figure(columns, lambda row: _value(of(_square(row, size))), self._draws)

        def forward(row: Floats) -> float | None:
            return over_time.forward_transfer(_square(row, size), _cells(row[size * size :])).value

        def curve(row: Floats) -> float | None:
            r, b = _square(row, size), _cells(row[size * size :])
            before = [b[0], *(r[j - 1][j] for j in range(1, size))]
            return over_time.learning_curve_area([[before[j], r[j][j]] for j in range(size)]).value

        def hard(row: Floats) -> float | None:
            r, o = _square(row, size), _square(row[size * size :], size)
            cells = over_time.intransigence(r, [o[j][j] for j in range(size)])
            return _mean_of(cells)

        last, first = scores[:, -1, :], none[:, -1, :]
        mine, theirs = _cells(last.ravel()), _cells(first.ravel())
        negative = over_time.negative_transfer(theirs, mine)
        intervals = {
            "acc": metric(over_time.final_accuracy),
            "bwt": metric(over_time.backward_transfer),
            "fwt": figure(both, forward, self._draws),
            "forgetting": metric(over_time.forgetting),
            "lca": figure(both, curve, self._draws),
            "intransigence": figure(oracle, hard, self._draws),
            "anytime": metric(over_time.anytime_accuracy),
            "worst_case": metric(over_time.worst_case_accuracy),
        }
        cards = [reduce(Cards.plus, one.cards[arm]) for one in self._streams] if arm in WITH_CARDS else []
        given = reduce(Cards.plus, cards, Cards())
        judged = given.given - given.unjudged
        r = _square(means(matrix, np.ones((1, len(matrix))))[0], size)
        return Condition(
            label=MEANT[arm],
            R=[[_rounded(cell) for cell in row] for row in r],
            **{name: one.value for name, one in intervals.items()},
            intervals={name: _interval(one) for name, one in intervals.items()},
            transfer=_interval(self._difference(arm, "none", self._covered)),
            transfer_uncovered=_interval(self._difference(arm, "none", ~self._covered)),
            negative_transfer=_rounded(negative.value),
            memory_precision=_rounded(given.helpful / judged) if judged else None,
            cards_given=given.given,
            cards_helpful=given.helpful,
            cards_unjudged=given.unjudged,
            memory_size=[self._mean_size(arm, stage) for stage in range(size)] if arm in WITH_CARDS else [],
            retained=[_interval(metric(_kept(distance))) for distance in range(size)],
            unscored=int(np.isnan(scores).sum()),
            cost=self._spent(arm),
        )

    def _array(self, arm: Arm) -> Floats:
        repeated = self._size if arm == "none" else 1
        return np.array(
            [
                [[_nan(at.get(place)) for place in self._places] for at in one.scores[arm] * repeated]
                for one in self._streams
            ]
        )

    def _columns(self, scores: Floats) -> Floats:
        """(streams * cases, stages * blocks): a score stands in the column of its stage and of the place its
        block has in the stream's order."""
        streams, stages, cases = scores.shape
        found = np.full((streams, cases, stages, self._size), np.nan)
        for at, one in enumerate(self._streams):
            for place, number in enumerate(one.stream.blocks):
                mine = self._block == number
                found[at, mine, :, place] = scores[at][:, mine].T
        return found.reshape(streams * cases, stages * self._size)

    def _covers(self, stream: Stream) -> list[bool]:
        """For each held-out case, whether the stream was taught its diagnosis."""
        named = {kind.place: kind.diagnosis for kind in self._plan.kinds}
        taught = {named[place] for block in stream.taught for place in block}
        return [named[place] in taught for place in self._places]

    def _difference(self, arm: Arm, against: Arm, mask: Any) -> Estimate:
        gap = self._scores[arm][:, -1, :] - self._scores[against][:, -1, :]
        column = np.where(mask, gap, np.nan).reshape(-1, 1)
        return figure(column, lambda row: _cells(row)[0], self._draws)

    def _probes(self, arm: Arm, stage: int) -> Interval:
        scores = np.where(self._block >= 0, self._scores[arm][:, stage, :], np.nan)
        return _interval(figure(scores.reshape(-1, 1), lambda row: _cells(row)[0], self._draws))

    def _change(self, block: int, after: int, before: int) -> Interval:
        """The score on the block learnt at stage `block`, after stage `after` minus after stage `before`;
        before the first stage there is no memory."""
        scores = self._columns(self._scores["memory"])
        now = scores[:, after * self._size + block]
        then = (
            scores[:, before * self._size + block]
            if before >= 0
            else self._columns(self._scores["none"])[:, block]
        )
        return _interval(figure((now - then).reshape(-1, 1), lambda row: _cells(row)[0], self._draws))

    def _mean_size(self, arm: Arm, stage: int) -> float:
        return round(float(np.mean([one.sizes[arm][stage] for one in self._streams])), 2)

    def _spent(self, arm: Arm) -> Spent:
        """What probing and, with cards, teaching took, stage by stage, over all streams."""
        stages = len(self._streams[0].costs[arm])
        probing = [
            reduce(Cost.plus, (one.costs[arm][stage] for one in self._streams), Cost())
            for stage in range(stages)
        ]
        teaching = [
            reduce(Cost.plus, (one.teaching[stage] for one in self._streams), Cost())
            for stage in range(self._size if arm in WITH_CARDS else 0)
        ]
        last = self._scores[arm][:, -1, :]
        right = int(np.nansum(last))
        return Spent(
            probing=[one._asdict() for one in probing],
            teaching=[one._asdict() for one in teaching],
            per_correct=_rounded(probing[-1].points / right) if right else None,
        )


def _fates(streams: Sequence[Lived]) -> list[dict[str, int]]:
    """What became of taught cases, stage by stage, over all streams."""
    if not streams:
        return []
    return [
        {fate: sum(one.fates[stage][fate] for one in streams) for fate in FATES}
        for stage in range(len(streams[0].fates))
    ]


def _kept(distance: int) -> Callable[[Matrix], Cell]:
    """The mean score on blocks learnt so many stages ago."""
    return lambda r: _mean_of([r[at + distance][at] for at in range(len(r) - distance)])


def _square(row: Floats, size: int) -> Matrix:
    cells = _cells(row[: size * size])
    return [cells[at * size : (at + 1) * size] for at in range(size)]


def _cells(row: Floats) -> list[Cell]:
    return [None if value != value else value for value in row.tolist()]


def _nan(cell: Cell) -> float:
    return float("nan") if cell is None else cell


def _value(found: Figure | Cell) -> float | None:
    return found.value if isinstance(found, Figure) else found


def _mean_of(cells: Sequence[Cell]) -> float | None:
    held = [cell for cell in cells if cell is not None]
    return sum(held) / len(held) if held else None


def _over_streams(taught: Sequence[Sequence[Cell]]) -> Estimate:
    """The mean score of the cases of one stage as they were taught, with an interval over streams."""
    held = [
        np.mean([c for c in cells if c is not None]) for cells in taught if any(c is not None for c in cells)
    ]
    column = np.array(held, np.float64).reshape(-1, 1)
    return figure(column, lambda row: _cells(row)[0], crossed(len(held), [0]))


def _interval(found: Estimate) -> Interval:
    return Interval(value=found.value, low=found.low, high=found.high, n=found.n, unscored=found.unscored)


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(float(value), 6)
