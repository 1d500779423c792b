"""Figures over all streams, from scores that are made up here."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from osler.cases.model import Case
from osler.protocols.consultation.longitudinal.design import WITH_CARDS, Arm, Design
from osler.protocols.consultation.longitudinal.findings import SHARES, LongitudinalReport, difference_words
from osler.protocols.consultation.longitudinal.load_results import FATES, Cards, Cost, ModelUsage, StreamData
from osler.protocols.consultation.longitudinal.planning import Block, Kind, Plan, Stream
from osler.protocols.consultation.longitudinal.results import report_of
from osler.protocols.consultation.longitudinal.run_stream import Studied
from osler.runs.cached_source import InMemory
from osler.stats import learning_over_time as over_time
from osler.stats.learning_over_time import Cell

NAMES = ("Gout", "Migraine", "Asthma", "Acute pyelonephritis", "Gout", "Migraine", "Asthma", "Sarcoidosis")
KINDS = tuple(Kind(at, f"case-{at}", name, "") for at, name in enumerate(NAMES))
PLAN = Plan(
    KINDS,
    (Block(0, "one", (0, 3), (4, 6)), Block(1, "two", (1,), (5,))),
    (7,),
    (Stream(0, 0, (0, 1), ((0,), (1,))), Stream(1, 0, (1, 0), ((1,), (0, 3)))),
)
Score = Callable[[int, Arm, int, int], Cell]


NOTHING = InMemory[Case]("made up", (), "0")


def lived(number: int, score: Score, **changes: object) -> StreamData:
    scores: dict[Arm, tuple[Mapping[int, Cell], ...]] = {
        arm: tuple(
            {place: score(number, arm, stage, place) for place in PLAN.held_out}
            for stage in range(1 if arm == "none" else 2)
        )
        for arm in ("none", *WITH_CARDS)
    }
    two: tuple[int, int] = (1, 1)
    found = StreamData(
        stream=PLAN.streams[number],
        scores=scores,
        within=dict.fromkeys(WITH_CARDS, ({}, {})),
        within_costs=dict.fromkeys(WITH_CARDS, (Cost(), Cost())),
        costs={arm: (Cost(1),) * len(each) for arm, each in scores.items()},
        cards={arm: (Cards(4, 1, 2),) * 2 for arm in WITH_CARDS},
        sizes=dict.fromkeys(WITH_CARDS, two),
        taught=((1.0,), (0.0, None)),
        teaching=(Cost(1), Cost(2)),
        fates=(dict.fromkeys(FATES, 0),) * 2,
        retrievals=0,
        given=0,
        violations=(),
    )
    return found._replace(**changes)  # type: ignore[arg-type]


def report(score: Score) -> LongitudinalReport:
    study = Studied(Design(blocks=2, reserved=0.1, points=2), PLAN, "key", NOTHING)
    fates = ({"medical record": 1}, {"medical record": 1})
    names = ("medical record", "experience record", "discarded", "unverified", "unscored")
    full = tuple({name: one.get(name, 0) for name in names} for one in fates)
    return report_of(study, [lived(number, score, fates=full) for number in (0, 1)])


def remembers(number: int, arm: Arm, stage: int, place: int) -> Cell:
    """Right in memory where the case's block was learnt."""
    blocks = PLAN.streams[number].blocks[: stage + 1]
    return float(arm != "none" and PLAN.block_of(place) in blocks)


def test_a_matrix_is_in_the_order_in_which_each_stream_learns() -> None:
    found = report(remembers).conditions["memory"]
    assert found.R == [[1.0, 0.0], [1.0, 1.0]]
    assert found.acc == over_time.final_accuracy(found.R).value
    assert found.lca == over_time.learning_curve_area([[0.0, 1.0], [0.0, 1.0]]).value
    assert (found.bwt, found.fwt, found.forgetting, found.intransigence) == (0, 0, 0, 0)
    assert [one.value for one in found.retained] == [1.0, 1.0]


def test_a_learning_curve_has_points_within_its_blocks() -> None:
    """b = 0 and all alone are no curve."""
    taught = ((0, 3, 1, 2), (4, 5, 6, 7))
    plan = PLAN._replace(streams=(Stream(0, 0, (0, 1), taught), Stream(1, 0, (1, 0), taught)))
    study = Studied(Design(blocks=2, points=5), plan, "key", NOTHING)
    assert study.design.within(4) == (1, 2, 3)

    def inner(number: int) -> tuple[dict[int, dict[int, Cell]], ...]:
        blocks = [plan.blocks[at].probes for at in plan.streams[number].blocks]
        return tuple({b: dict.fromkeys(probes, b / 4) for b in (1, 2, 3)} for probes in blocks)

    streams = []
    for number in (0, 1):
        one = lived(number, remembers, stream=plan.streams[number])
        streams.append(one._replace(within=dict.fromkeys(WITH_CARDS, inner(number))))
    found = report_of(study, streams).conditions
    curve = [[0.0, 0.25, 0.5, 0.75, 1.0]] * 2
    assert found["memory"].lca == over_time.learning_curve_area(curve).value == 0.5
    assert found["none"].lca == 0
    assert "5 points a block" in report_of(study, streams).curve


def test_one_stream_ends_in_a_report_whose_intervals_are_withheld_with_the_reason() -> None:
    plan = PLAN._replace(streams=PLAN.streams[:1])
    study = Studied(Design(blocks=2, points=2), plan, "key", NOTHING)
    found = report_of(study, [lived(0, remembers)])
    memory = found.conditions["memory"]
    assert memory.acc == 1.0
    assert {(one.low, one.high) for one in memory.intervals.values()} == {(None, None)}
    assert {(one.difference.low, one.difference.high) for one in found.compared} == {(None, None)}
    assert found.stages[0].stream.value is not None
    assert "one stream, so one memory" in found.resampling


def test_intervals_of_shares_stay_within_them_however_few_the_streams() -> None:
    def seldom(number: int, arm: Arm, stage: int, place: int) -> Cell:
        return float(arm != "none" and number == 0 and place in (4, 7))

    found = report(seldom)
    shares = [
        one.intervals[name] for one in found.conditions.values() for name in (*SHARES, "negative_transfer")
    ]
    shares += [one.probes["memory"] for one in found.stages] + [one.stream for one in found.stages]
    known = [one for one in shares if one.low is not None and one.high is not None]
    assert known
    assert all(0 <= (one.low or 0) <= (one.value or 0) <= (one.high or 0) <= 1 for one in known)
    assert (found.conditions["memory"].transfer.low or 0) < 0, "a difference goes down to -1"


def test_what_is_unscored_is_counted_and_never_a_zero() -> None:
    def score(number: int, arm: Arm, stage: int, place: int) -> Cell:
        lost = (number, arm, stage, place) == (0, "memory", 1, 4)
        return None if lost else remembers(number, arm, stage, place)

    found = report(score).conditions["memory"]
    assert found.unscored == 1
    assert found.acc == 1.0
    assert (found.intervals["acc"].n, found.intervals["acc"].unscored) == (5, 1)
    assert (found.transfer.value, found.transfer.n, found.transfer.unscored) == (1.0, 3, 1)
    assert (found.intervals["negative_transfer"].n, found.intervals["negative_transfer"].unscored) == (7, 1)


def test_above_five_per_cent_unscored_there_are_bounds_and_no_headline() -> None:
    def score(number: int, arm: Arm, stage: int, place: int) -> Cell:
        lost = (number, arm, place) == (0, "memory", 4)
        return None if lost else remembers(number, arm, stage, place)

    transfer = report(score).conditions["memory"].transfer
    assert transfer.bounds == pytest.approx(((3 - 1) / 4, 1.0))
    assert difference_words(transfer) == "between +0.500 and +1.000, too many unscored"


def test_before_and_after_are_of_the_same_cases() -> None:
    """A case that was hard, and lost after the last stage, must not look like something learnt."""

    def score(number: int, arm: Arm, stage: int, place: int) -> Cell:
        hard = place == 4
        if arm == "memory" and hard and stage == 1:
            return None
        return 0.0 if arm == "none" or hard else 1.0

    found = report(score).conditions["memory"]
    assert found.bwt == 0.0
    assert found.forgetting == 0.0


def test_taught_under_another_name_is_taught() -> None:
    """The judge takes the one name for the other, so memory may help: not a case of the unknown."""
    aura = KINDS[7]._replace(diagnosis="Migraine with aura")
    names = (*KINDS[:7], aura)
    study = Studied(Design(blocks=2, points=2), PLAN._replace(kinds=names), "key", NOTHING)
    fates = tuple(dict.fromkeys(("medical record", "experience record"), 0) for _ in range(2))
    full = [{**fate, "discarded": 0, "unverified": 0, "unscored": 0} for fate in fates]
    found = report_of(study, [lived(n, remembers, fates=tuple(full)) for n in (0, 1)]).conditions["memory"]
    assert (found.transfer.n, found.transfer_uncovered.n) == (6, 2)
    assert report(remembers).conditions["memory"].transfer_uncovered.n == 4


def test_tokens_that_one_endpoint_did_not_report_are_unknown_in_all() -> None:
    whole = Cost(1, used=ModelUsage(2, 100, 10)).plus(Cost(1, used=ModelUsage(1, None, 5)))
    assert whole.row()["calls"] == 3
    assert (whole.row()["prompt_tokens"], whole.row()["completion_tokens"]) == (None, 15)
