"""Intervals: reference values, the rule that chooses, and whether they cover."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from osler.judging.statistics import (
    ClusterSums,
    bounds,
    mean_interval,
    paired_difference,
    ratio_interval,
    ratio_intervals,
    t_quantile,
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


@pytest.mark.parametrize(("freedom", "value"), [(1, 12.7062), (29, 2.0452), (40, 2.0211), (1000, 1.9623)])
def test_t_quantiles_agree_with_tables(freedom: int, value: float) -> None:
    assert t_quantile(freedom) == pytest.approx(value, abs=2e-4)


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
    found = paired_difference({"a": [1, 1], "b": [0], "c": [1]}, {"a": [0], "b": [0], "d": [1]})
    assert (found.value, found.n, found.unscored) == (0.5, 2, 2)


def test_bootstrap_and_robust_interval_agree_where_the_rule_changes() -> None:
    random = np.random.default_rng(3)
    sums = random.binomial(4, random.beta(2, 2, 1001)).astype(float)
    counts = np.full(1001, 4.0)
    robust = ratio_interval(sums, counts, proportion=True)
    resampled = ratio_interval(sums[:-1], counts[:-1], proportion=True)
    assert robust.low == pytest.approx(resampled.low, abs=0.003)
    assert robust.high == pytest.approx(resampled.high, abs=0.003)


@pytest.mark.parametrize("clusters", [8, 20, 60])
@pytest.mark.parametrize("share", [0.5, 0.85])
def test_clustered_proportions_are_covered(clusters: int, share: float) -> None:
    """A 95 % interval holds the truth in about 95 % of 400 worlds, at few clusters and at many."""
    random = np.random.default_rng(clusters)
    worlds = 400 if clusters < 30 else 120
    strength = 3.0
    cases = random.beta(share * strength, (1 - share) * strength, size=(clusters, worlds))
    sums = random.binomial(5, cases).astype(float)
    found = ratio_intervals(sums, np.full_like(sums, 5.0), [0] * worlds, [True] * worlds)
    held = [f.low is not None and f.high is not None and f.low <= share <= f.high for f in found]
    assert 0.90 <= np.mean(held) <= 0.995


def test_means_of_few_clusters_are_covered() -> None:
    random = np.random.default_rng(0)
    sums = random.normal(size=(12, 600)) + random.normal(size=(12, 600))
    found = ratio_intervals(sums, np.ones_like(sums), [0] * 600, [False] * 600)
    held = [f.low is not None and f.high is not None and f.low <= 0 <= f.high for f in found]
    assert 0.92 <= np.mean(held) <= 0.98


def test_cluster_sums_leave_out_what_was_not_scored() -> None:
    sums = ClusterSums(2)
    for n in range(5000):
        sums.add(f"case {n % 3}", [1.0, None if n % 2 else 2.0])
    added, counted = sums.arrays()
    assert sums.clusters() == ["case 0", "case 1", "case 2"]
    assert added.sum(axis=0).tolist() == [5000.0, 5000.0]
    assert counted.sum(axis=0).tolist() == [5000.0, 2500.0]
