"""Intervals: reference values, the rule that chooses, and whether they cover."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from osler.stats.intervals import (
    ClusterSums,
    Estimate,
    bounds,
    mean_interval,
    paired_difference,
    pass_power,
    per_success,
    wilson,
)


@pytest.mark.parametrize(
    ("successes", "n", "low", "high"),
    [(8, 10, 0.4902, 0.9433), (0, 10, 0.0, 0.2775), (10, 10, 0.7225, 1.0), (50, 100, 0.4038, 0.5962)],
)
def test_wilson_agrees_with_published_values(successes: int, n: int, low: float, high: float) -> None:
    found = wilson(successes, n)
    assert found.low == pytest.approx(low, abs=1e-4)
    assert found.high == pytest.approx(high, abs=1e-4)


def test_nothing_scored_has_no_value_and_says_how_many_were_left_out() -> None:
    found = wilson(0, 0, unscored=7)
    assert (found.value, found.low, found.high, found.n, found.unscored) == (None, None, None, 0, 7)
    assert mean_interval({}, unscored=3).value is None


@given(st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilson_stays_between_0_and_1_and_holds_its_value(pair: tuple[int, int]) -> None:
    found = wilson(*pair)
    assert found.value is not None
    assert found.low is not None
    assert found.high is not None
    assert 0 <= found.low <= found.value <= found.high <= 1


def test_bounds_only_above_5_per_cent_unscored() -> None:
    assert bounds(80, 95, 5) is None
    assert bounds(40, 50, 50) == (0.4, 0.9)


def test_one_episode_a_case_is_wilson() -> None:
    values = {f"case {n}": [float(n < 8)] for n in range(10)}
    assert mean_interval(values, proportion=True) == wilson(8, 10)


def test_repeats_that_always_agree_add_no_certainty() -> None:
    once = {f"case {n:02}": [float(n < 12)] for n in range(20)}
    often = {case: held * 50 for case, held in once.items()}
    narrow, wide = mean_interval(often, proportion=True), mean_interval(once, proportion=True)
    assert narrow.n == 1000
    assert narrow.high is not None
    assert narrow.low is not None
    assert wide.high is not None
    assert wide.low is not None
    assert narrow.high - narrow.low > 0.9 * (wide.high - wide.low)


def test_all_right_is_not_certainty() -> None:
    found = mean_interval({f"case {n}": [1.0] * 10 for n in range(40)}, proportion=True)
    assert found.value == 1.0
    assert found.low == pytest.approx(wilson(40, 40).low)


def test_the_order_of_episodes_changes_no_digit() -> None:
    random = np.random.default_rng(5)
    values = {f"case {n}": list(random.normal(size=3)) for n in range(100)}
    backwards = dict(reversed(values.items()))
    assert mean_interval(values) == mean_interval(backwards)


def test_one_cluster_has_a_mean_and_no_interval() -> None:
    found = mean_interval({"only": [1.0, 3.0]})
    assert (found.value, found.low, found.high) == (2.0, None, None)


def test_pairs_are_cases_both_have() -> None:
    found = paired_difference({"a": [0], "b": [0], "d": [1]}, {"a": [1, 1], "b": [0], "c": [1]})
    assert (found.value, found.n, found.unscored) == (0.5, 2, 2), "second minus first"


def test_repeats_that_tell_nothing_new_are_worth_one() -> None:
    often = {f"case {n:02}": [float(n < 28)] * 7 for n in range(30)}
    found, once = mean_interval(often, proportion=True), wilson(28, 30)
    assert (found.low, found.high, found.n) == (once.low, once.high, 210)


def test_a_graded_share_is_surer_than_a_right_or_wrong_one() -> None:
    graded = {f"case {n}": [0.4 + 0.2 * (n % 2)] for n in range(40)}
    found, coin = mean_interval(graded, proportion=True), wilson(20, 40)
    assert found.value == 0.5
    assert found.low == pytest.approx(0.468, abs=0.002)
    assert coin.low == pytest.approx(0.352, abs=0.002)


def test_skewness_moves_the_interval_towards_the_long_tail() -> None:
    cost = {f"case {n}": [1.0] for n in range(30)} | {f"dear {n}": [9.0] for n in range(3)}
    found = mean_interval(cost)
    assert found.value is not None
    assert found.low is not None
    assert found.high is not None
    assert found.high - found.value > 1.2 * (found.value - found.low)


def test_values_that_are_all_the_same_have_no_spread_to_judge_by() -> None:
    assert mean_interval({f"case {n}": [6.0] for n in range(50)}) == Estimate(6.0, None, None, 50, 0)


@given(st.lists(st.tuples(st.floats(1, 1000), st.integers(0, 1)), min_size=2, max_size=40))
def test_cost_per_success_is_the_reverse_of_successes_per_cost(episodes: list[tuple[float, int]]) -> None:
    costs = np.array([cost for cost, _ in episodes])
    rights = np.array([float(right) for _, right in episodes])
    found, turned = per_success(costs, rights), per_success(rights, costs)
    if found.value is None:
        assert not rights.any()
        return
    assert found.value == pytest.approx(costs.sum() / rights.sum(), abs=1e-6)
    if found.low is not None and found.high is not None:
        assert 0 <= found.low <= found.value <= found.high
        if found.low > 0.01 and turned.high is not None:
            assert found.low * turned.high == pytest.approx(1, rel=0.01)


def test_pass_power_is_the_chance_that_every_try_succeeds() -> None:
    found = pass_power({"a": (4, 4), "b": (2, 4), "c": (0, 4), "d": (1, 1)}, 2)
    assert found.value == pytest.approx((1 + 1 / 6 + 0) / 3, abs=1e-6)
    assert (found.n, found.unscored) == (3, 1)
    with pytest.raises(ValueError, match="k is at least 1"):
        pass_power({}, 0)


@given(st.dictionaries(st.text(max_size=3), st.integers(0, 6), min_size=1), st.integers(1, 5))
def test_more_tries_never_pass_more_often(rights: dict[str, int], k: int) -> None:
    tries = {case: (right, 6) for case, right in rights.items()}
    once, often = pass_power(tries, k).value, pass_power(tries, k + 1).value
    assert once is not None
    assert often is not None
    assert 0 <= often <= once <= 1


def test_cluster_sums_leave_out_what_was_not_scored() -> None:
    sums = ClusterSums(2)
    for n in range(5000):
        sums.add(f"case {n % 3}", [1.0, None if n % 2 else 2.0])
    added, counted = sums.arrays()
    assert sums.clusters() == ["case 0", "case 1", "case 2"]
    assert added.sum(axis=0).tolist() == [5000.0, 5000.0]
    assert counted.sum(axis=0).tolist() == [5000.0, 2500.0]


def test_a_mean_of_shares_has_no_interval_below_five_cases_and_answers_have_one() -> None:
    shares = {f"case {n}": [0.4 + 0.1 * n] for n in range(5)}
    assert mean_interval(shares, proportion=True).low is not None
    four = mean_interval({name: shares[name] for name in sorted(shares)[:4]}, proportion=True)
    assert (four.value, four.low, four.high, four.n) == (0.55, None, None, 4)
    assert mean_interval({"a": [1.0], "b": [0.0]}, proportion=True) == wilson(1, 2)
    repeated = mean_interval({"a": [1.0, 0.0, 1.0], "b": [1.0, 1.0, 1.0]}, proportion=True)
    assert repeated.low is not None, "right or wrong, with repeats"
