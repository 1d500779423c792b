"""Intervals over streams that meet the same cases."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from osler.stats.two_way_clustering import Floats, crossed, figure, means


def mean(row: Floats) -> float | None:
    return None if np.isnan(row[0]) else float(row[0])


def column(scores: Floats) -> Floats:
    return scores.reshape(-1, 1)


def coverage(draw: Callable[[np.random.Generator], Floats], truth: float, studies: int = 200) -> float:
    held = 0
    for seed in range(studies):
        scores = draw(np.random.default_rng(seed))
        found = figure(column(scores), mean, crossed(scores.shape[0], [0] * scores.shape[1], 200), 9.0)
        assert found.low is not None
        assert found.high is not None
        held += found.low <= truth <= found.high
    return held / studies


def test_the_value_is_the_plain_mean_and_what_is_unscored_is_left_out() -> None:
    scores = np.array([[1.0, 0.0, np.nan], [1.0, 1.0, 0.0]])
    found = figure(column(scores), mean, crossed(2, [0, 0, 0]))
    assert found.value == pytest.approx(3 / 5)
    assert found.n == 5


def test_one_way_in_which_scores_hang_together_is_enough_to_widen_an_interval() -> None:
    random = np.random.default_rng(1)
    alone = random.normal(0, 1, (9, 40))
    by_stream = alone + random.normal(0, 1, (9, 1))
    by_case = alone + random.normal(0, 1, (1, 40))

    def width(scores: Floats) -> float:
        found = figure(column(scores), mean, crossed(9, [0] * 40), 9.0)
        assert found.low is not None
        assert found.high is not None
        return found.high - found.low

    assert width(by_stream) > 2 * width(alone)
    assert width(by_case) > 1.5 * width(alone)


@pytest.mark.parametrize("between", ["nothing", "streams", "cases", "both"])
def test_intervals_hold_the_truth(between: str) -> None:
    def draw(random: np.random.Generator) -> Floats:
        scores = random.normal(0, 1, (9, 30))
        if between in ("streams", "both"):
            scores += random.normal(0, 0.5, (9, 1))
        if between in ("cases", "both"):
            scores += random.normal(0, 0.5, (1, 30))
        return scores

    assert 0.9 <= coverage(draw, 0.0) <= 0.995


def test_blocks_are_drawn_within_themselves() -> None:
    draws = crossed(3, [0, 0, 1, -1, -1])
    by_case = draws.by_case.reshape(-1, 3, 5)
    assert (by_case[:, :, :2].sum(axis=2) == 2).all()
    assert (by_case[:, :, 2] == 1).all()
    assert (draws.by_stream.reshape(-1, 3, 5).sum(axis=1) == 3).all()


def test_without_spread_or_scores_there_is_no_interval() -> None:
    same = figure(np.zeros((6, 1)), mean, crossed(2, [0, 0, 0]))
    assert (same.value, same.low, same.high) == (0.0, None, None)
    none = figure(np.full((6, 1), np.nan), mean, crossed(2, [0, 0, 0]))
    assert (none.value, none.n) == (None, 0)
    assert np.isnan(means(np.full((2, 1), np.nan), np.ones((1, 2)))).all()


def test_one_stream_has_an_interval_for_itself_alone() -> None:
    found = figure(np.arange(8.0).reshape(-1, 1), mean, crossed(1, [0] * 8), 99.0)
    assert found.low is not None
    assert found.low < 3.5 < (found.high or 0)


def test_blocks_of_two_cases_do_not_look_surer_than_they_are() -> None:
    strata, held = [at // 2 for at in range(10)], 0
    draws = crossed(4, strata, 300)
    for seed in range(200):
        random = np.random.default_rng(seed)
        scores = (
            random.normal(0, 0.2, (4, 1)) + random.normal(0, 0.5, (1, 10)) + random.normal(0, 0.3, (4, 10))
        )
        found = figure(column(scores), mean, draws, 9.0)
        assert found.low is not None
        assert found.high is not None
        held += found.low <= 0 <= found.high
    assert 0.91 <= held / 200 <= 0.985


def test_what_is_meant_and_has_no_score_is_unscored() -> None:
    scores = np.array([[1.0, np.nan, np.nan], [0.0, 1.0, np.nan]])
    meant = np.array([[True, True, False], [True, True, False]])
    found = figure(column(scores), mean, crossed(2, [0, 0, 0]), meant=meant.ravel())
    assert (found.n, found.unscored) == (3, 1)


@pytest.mark.parametrize(("streams", "cases"), [(1, 1), (1, 4), (2, 1), (3, 5)])
def test_equal_scores_have_no_interval_however_few_streams_there_are(streams: int, cases: int) -> None:
    scores = column(np.full((streams, cases), 1 / 3))
    found = figure(scores, mean, crossed(streams, [0] * cases))
    assert (found.value, found.low, found.high) == (0.333333, None, None)
