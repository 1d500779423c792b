"""Weights and the veto: no weights with which a veto is worth more than a turn without one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from osler.errors import BadInput
from osler.training.reward.weighing import HIGHEST, LOWEST, PAPER, RewardItem, Weighing

ITEMS = (
    RewardItem("A-1", "a", "", vetoes=True),
    RewardItem("A-2", "a", ""),
    RewardItem("B-1", "b", ""),
    RewardItem("B-2", "b", "", vetoes=True),
)
NAMES = tuple(item.name for item in ITEMS)
MARK = st.integers(LOWEST, HIGHEST)


@given(
    st.dictionaries(st.sampled_from(NAMES), st.floats(0, 1e6)),
    st.tuples(MARK, MARK, MARK, MARK),
    st.sets(st.sampled_from(NAMES), min_size=1),
)
def test_the_floor_is_below_every_sum_without_a_veto(
    weights: dict[str, float], marks: tuple[int, ...], present: set[str]
) -> None:
    held = Weighing(ITEMS, "floor", weights)
    given_marks = {name: mark for name, mark in zip(NAMES, marks, strict=True) if name in present}
    score = held.total(given_marks, present)
    assert score.total is not None
    if score.vetoed:
        assert score.total == held.penalty(present)
        assert score.total < held.lowest(present) + 1e-9
    else:
        assert score.total > held.penalty(present)
        assert held.lowest(present) <= score.total + 1e-6
        assert score.total <= held.highest(present) + 1e-6


def test_the_sums_of_the_paper() -> None:
    held = Weighing(ITEMS, "paper")
    assert held.total({"A-1": 2, "A-2": 1, "B-1": -2, "B-2": 0}, NAMES).total == 1
    assert held.total({"A-1": -1, "A-2": 2, "B-1": 2, "B-2": 2}, NAMES).total == PAPER
    assert Weighing(ITEMS).penalty(NAMES) == -5


@pytest.mark.parametrize("weights", [{"A-2": 7.0}, {"A-2": 3.5, "B-1": 4.0}])
def test_the_papers_veto_is_refused_where_a_sum_may_fall_to_it(weights: dict[str, float]) -> None:
    Weighing(ITEMS, "floor", weights)
    if sum(weights.values()) * 2 + 2 * (2 - len(weights)) >= -PAPER:
        with pytest.raises(BadInput, match="not above -15"):
            Weighing(ITEMS, "paper", weights)


@pytest.mark.parametrize("weight", [-1.0, float("nan"), float("inf"), True])
def test_weights_are_finite_and_not_negative(weight: float) -> None:
    with pytest.raises(BadInput):
        Weighing(ITEMS, "floor", {"A-2": weight})


@pytest.mark.parametrize(
    "marks",
    [
        {"A-1": 2, "A-2": 2, "B-1": 2},
        {"A-1": 2, "A-2": 2, "B-1": 2, "B-2": 3},
        {"A-1": 2, "A-2": 2, "B-1": 2, "B-2": True},
        {"A-1": 2, "A-2": 2, "B-1": 2, "B-2": 2, "C-1": 2},
    ],
)
def test_marks_are_complete_named_and_in_range(marks: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="mark"):
        Weighing(ITEMS).total(marks, NAMES)


def test_an_unknown_policy_is_refused() -> None:
    with pytest.raises(BadInput, match="floor"):
        Weighing(ITEMS, "soft")  # type: ignore[arg-type]
