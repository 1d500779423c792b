"""Longitudinal metrics against matrices worked out by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from osler.errors import BadInput
from osler.stats import learning_over_time as over_time
from osler.stats.learning_over_time import Cell, Figure

R = [
    [0.6, 0.2, 0.1],
    [0.5, 0.8, 0.3],
    [0.4, 0.6, 0.9],
]
NONE = [0.1, 0.1, 0.2]
SCORE = st.floats(0, 1)


def near(value: float, n: int, unscored: int = 0) -> object:
    return (pytest.approx(value), n, unscored)


def test_by_hand() -> None:
    assert over_time.final_accuracy(R) == near((0.4 + 0.6 + 0.9) / 3, 3)
    assert over_time.backward_transfer(R) == near((-0.2 - 0.2) / 2, 2)
    assert over_time.forward_transfer(R, NONE) == near((0.1 + 0.1) / 2, 2)
    assert over_time.forgetting(R) == near((0.2 + 0.2) / 2, 2)
    assert over_time.intransigence(R, [0.7, 0.7, 1.0]) == pytest.approx([0.1, -0.1, 0.1])
    assert over_time.anytime_accuracy(R) == near((0.6 + (0.5 + 0.8) / 2 + (0.4 + 0.6 + 0.9) / 3) / 3, 3)
    # Lowest since learnt: block 0 fell to 0.4, block 1 to 0.6.
    assert over_time.worst_case_accuracy(R) == pytest.approx(0.9 / 3 + 2 / 3 * (0.4 + 0.6) / 2)
    assert over_time.worst_case_accuracy(R, 1) == pytest.approx(0.8 / 2 + 1 / 2 * 0.5)
    assert over_time.worst_case_accuracy(R, 0) == pytest.approx(0.6)


def test_forgetting_counts_from_the_best_there_ever_was() -> None:
    matrix = [[0.3, 0.9, 0.0], [0.7, 0.5, 0.0], [0.6, 0.4, 0.0]]
    assert over_time.forgetting(matrix) == near((0.1 + 0.5) / 2, 2)
    assert over_time.backward_transfer(matrix) == near((0.3 - 0.1) / 2, 2)


def test_learning_curve_area_by_hand() -> None:
    curves = [[0.0, 0.5, 1.0], [0.2, 0.3, 0.4]]
    assert over_time.learning_curve_area(curves) == near((0.1 + 0.4 + 0.7) / 3, 3)


def test_what_is_unscored_is_left_out_and_counted() -> None:
    holed: list[list[Cell]] = [[0.6, 0.2, 0.1], [None, 0.8, 0.3], [0.4, None, 0.9]]
    assert over_time.final_accuracy(holed) == near((0.4 + 0.9) / 2, 2, 1)
    assert over_time.backward_transfer(holed) == near(-0.2, 1, 1)
    assert over_time.forgetting(holed) == Figure(None, 0, 2)
    assert over_time.anytime_accuracy(holed) == near(0.6, 1, 2)
    assert over_time.intransigence(holed, [None, 0.9, 1.0]) == [None, pytest.approx(0.1), pytest.approx(0.1)]
    assert over_time.worst_case_accuracy(holed) is None
    assert over_time.learning_curve_area([[0.5, None], [0.7, 0.1]]) == near(0.6, 1, 1)


def test_nothing_scored_is_no_value() -> None:
    assert over_time.final_accuracy([]) == over_time.forgetting([]) == Figure(None, 0)
    assert over_time.worst_case_accuracy([]) is None
    assert over_time.final_accuracy([[None]]) == Figure(None, 0, 1)
    assert over_time.backward_transfer([[0.5]]) == Figure(None, 0)
    assert over_time.forward_transfer([[0.5]], [0.1]) == Figure(None, 0)


@pytest.mark.parametrize("matrix", [[[0.1, 0.2]], [[0.1], [0.2]], [[0.1, 0.2], [0.3]]])
def test_a_matrix_that_is_not_square_is_refused(matrix: list[list[Cell]]) -> None:
    for metric in (over_time.final_accuracy, over_time.forgetting, over_time.anytime_accuracy):
        with pytest.raises(BadInput, match="as many stages as blocks"):
            metric(matrix)


def test_other_wrong_shapes_are_refused() -> None:
    with pytest.raises(BadInput, match="without memory"):
        over_time.forward_transfer(R, [0.1])
    with pytest.raises(BadInput, match="joint"):
        over_time.intransigence(R, [0.1])
    with pytest.raises(BadInput, match="stage 3"):
        over_time.worst_case_accuracy(R, 3)
    with pytest.raises(BadInput, match="same points"):
        over_time.learning_curve_area([[0.1, 0.2], [0.3]])


@given(st.lists(SCORE, min_size=2, max_size=6))
def test_who_learns_nothing_and_forgets_nothing_scores_nothing(scores: list[float]) -> None:
    same = [scores] * len(scores)
    assert over_time.backward_transfer(same).value == 0
    assert over_time.forgetting(same).value == 0
    assert over_time.forward_transfer(same, scores).value == 0
    assert over_time.intransigence(same, scores) == [0] * len(scores)


@given(
    st.integers(2, 5).flatmap(
        lambda n: st.lists(st.lists(SCORE, min_size=n, max_size=n), min_size=n, max_size=n)
    )
)
def test_forgetting_is_at_least_what_was_lost_since_learning(matrix: list[list[float]]) -> None:
    forgot, back = over_time.forgetting(matrix), over_time.backward_transfer(matrix)
    assert forgot.value is not None
    assert back.value is not None
    assert forgot.value >= -back.value - 1e-12
