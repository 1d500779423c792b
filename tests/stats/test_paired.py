"""Paired differences: the published interval, clusters, equivalence, what is unscored; judges that err."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from osler.stats import paired as paired_module
from osler.stats.cluster_t import Floats, Pivot
from osler.stats.distributions import t_quantile
from osler.stats.intervals import per_success
from osler.stats.judge_error import corrected_rate
from osler.stats.log_pair import LogPair, log_pair
from osler.stats.paired import Difference, bootstrap, holm, paired, paired_per_success, paired_ratio

NAN = float("nan")


def names(count: int, repeats: int = 1) -> list[str]:
    return [f"case {n}" for n in range(count) for _ in range(repeats)]


def answers(*counts: int) -> tuple[Floats, Floats]:
    """`counts` pairs that are right both, right first only, right second only, and wrong both."""
    first = np.repeat([1.0, 1.0, 0.0, 0.0], counts)
    second = np.repeat([1.0, 0.0, 1.0, 0.0], counts)
    return first, second


def test_the_difference_is_second_minus_first_with_bonett_and_prices_interval() -> None:
    found = paired(names(40), *answers(20, 3, 9, 8))
    assert (found.value, found.first, found.second, found.n_pairs) == (0.15, 0.575, 0.725, 40)
    only_first, only_second = (3 + 1) / 42, (9 + 1) / 42
    centre = only_second - only_first
    error = ((only_first + only_second - centre**2) / 42) ** 0.5
    assert found.low == pytest.approx(centre - t_quantile(39) * error, abs=1e-6)
    assert found.high == pytest.approx(centre + t_quantile(39) * error, abs=1e-6)


@given(st.floats(-50, 50), st.floats(0.01, 10), st.integers(1, 200), st.floats(-0.3, 0.3))
def test_interval_and_p_of_a_pivot_are_one_statement(
    centre: float, error: float, freedom: int, bend: float
) -> None:
    pivot = Pivot(centre, error, freedom, bend)
    for end in pivot.interval():
        assert pivot.p(end) == pytest.approx(0.05, rel=1e-3)
    low, high = pivot.interval(0.9)
    assert pivot.p(low) == pytest.approx(0.1, rel=1e-3)
    assert low < high


pairs = st.lists(st.tuples(st.sampled_from("abcdefgh"), st.integers(0, 1), st.integers(0, 1)), min_size=1)


@given(pairs)
def test_the_other_way_round_is_the_same_with_the_other_sign(rows: list[tuple[str, int, int]]) -> None:
    cases = [case for case, _, _ in rows]
    first, second = (np.array([row[side] for row in rows], np.float64) for side in (1, 2))
    found, turned = paired(cases, first, second), paired(cases, second, first)
    if found.low is None or found.high is None or turned.low is None or turned.high is None:
        assert found.cases == 1
        return
    assert (found.low, found.high) == pytest.approx((-turned.high, -turned.low), abs=2e-6)
    assert found.p == pytest.approx(turned.p)
    assert found.value is not None
    assert found.low <= found.value <= found.high
    if abs(found.low) > 1e-5 and abs(found.high) > 1e-5:
        assert found.p is not None
        assert (found.p < 0.05) == (not found.low <= 0 <= found.high)


def test_repeats_that_always_agree_add_no_certainty() -> None:
    first, second = answers(20, 3, 9, 8)
    once = paired(names(40), first, second)
    often = paired(names(40, 6), np.repeat(first, 6), np.repeat(second, 6))
    assert (often.low, often.high, often.p) == pytest.approx((once.low, once.high, once.p), abs=1e-6)
    assert (often.n_pairs, often.cases) == (240, 40)


def test_pairs_that_all_agree_do_not_prove_that_all_pairs_agree() -> None:
    few, many = paired(names(20), *answers(12, 0, 0, 8)), paired(names(400), *answers(250, 0, 0, 150))
    assert few.value == many.value == 0
    assert few.high == pytest.approx(0.135, abs=0.01)
    assert many.high == pytest.approx(0.007, abs=0.001)


def test_equivalence_needs_the_narrower_interval_inside_the_margin() -> None:
    close = paired(names(400), *answers(250, 8, 8, 134), margin=0.05)
    assert close.equivalent is True
    assert paired(names(400), *answers(250, 8, 8, 134), margin=0.01).equivalent is False
    assert paired(names(40), *answers(25, 1, 1, 13), margin=0.05).equivalent is False, "too few to tell"
    assert paired(names(400), *answers(250, 8, 8, 134)).equivalent is None


def test_above_5_per_cent_unscored_there_are_bounds_and_no_equivalence() -> None:
    first, second = np.array([1.0, 1.0, NAN, NAN]), np.array([1.0, NAN, 0.0, NAN])
    found = paired(names(4), first, second, margin=0.9, share=True)
    assert (found.n_pairs, found.unscored, found.value) == (1, 3, 0)
    assert found.bounds == ((0 - 1 - 1 - 1) / 4, (0 + 0 + 0 + 1) / 4)
    assert found.equivalent is None
    few = paired(names(100), np.r_[np.ones(96), [NAN] * 4], np.ones(100), share=True)
    assert (few.bounds, few.unscored) == (None, 4)
    assert paired(["a"], np.array([NAN]), np.array([1.0])) == Difference(unscored=1)


def test_figures_without_a_scale_need_spread() -> None:
    cost = np.linspace(10, 50, 30)
    assert paired(names(30), cost, cost + 5) == Difference(5, None, None, None, 30, 35, 30, 30, 0)
    rng = np.random.default_rng(1).normal(size=30)
    found = paired(names(30), cost, cost + rng + 5)
    assert found.low is not None
    assert found.low > 4
    assert found.p is not None
    assert found.p < 1e-9


def test_what_a_success_costs_is_compared_by_resampling_cases() -> None:
    random = np.random.default_rng(4)
    rights = (random.random((200, 2)) < 0.5).astype(np.float64)
    costs = random.gamma(4, [25, 35], (200, 2))
    found = paired_per_success(names(200), costs, rights, margin=500)
    first, second = costs.sum(axis=0) / rights.sum(axis=0)
    assert found.value == pytest.approx(second - first, abs=1e-5)
    assert found.low is not None
    assert found.high is not None
    assert found.low < second - first < found.high
    assert found.equivalent is True
    assert paired_per_success(names(200), costs, rights, margin=500) == found
    assert paired_per_success(names(200), costs, rights * [0, 1]).value is None
    same = paired_per_success(names(200), costs[:, [0, 0]], rights[:, [0, 0]])
    assert (same.value, same.low, same.p) == (0, None, None)


def prices(cases: int, share: float) -> tuple[list[str], Floats, Floats]:
    """Costs with a long tail and answers that share half of their difficulty, of two runs."""
    random = np.random.default_rng(cases)
    hard = random.random((cases, 1))
    rights = np.where(random.random((cases, 2)) < 0.5, hard, random.random((cases, 2))) < share
    costs = np.array([100.0, 130.0]) * np.exp(
        random.normal(0, 0.5, (cases, 1)) + random.normal(0, 0.8, (cases, 2))
    )
    return names(cases), costs, rights.astype(np.float64)


@pytest.mark.parametrize("share", [0.1, 0.5, 0.95])
def test_many_cases_are_not_resampled_and_their_interval_is_much_the_same(share: float) -> None:
    given = prices(400, share)
    drawn = paired_per_success(*given, margin=10)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(paired_module, "MOST_RESAMPLED", 399)
        found = paired_per_success(*given, margin=10)
    assert (drawn.method, found.method) == ("resampled cases 1", "both logarithms 1")
    assert (found.value, found.first, found.second, found.n_pairs, found.cases, found.equivalent) == (
        *(drawn.value, drawn.first, drawn.second, drawn.n_pairs, drawn.cases, drawn.equivalent),
    )
    assert None not in (drawn.low, drawn.high, found.low, found.high)
    width = drawn.high - drawn.low  # type: ignore[operator]
    assert (found.low, found.high) == pytest.approx((drawn.low, drawn.high), abs=0.05 * width)
    assert found.p == pytest.approx(drawn.p, rel=0.2, abs=0.02)


def test_a_hundred_thousand_cases_are_compared_in_a_moment() -> None:
    given = prices(100_000, 0.5)
    found = paired_per_success(*given)
    assert found.method == "both logarithms 1"
    assert found == paired_per_success(*given)
    assert found.low is not None
    assert found.high is not None
    assert found.high - found.low < 10


def test_successes_in_few_of_many_cases_give_no_interval() -> None:
    cases, costs, _ = prices(2_500, 0.5)
    rights = np.zeros((2_500, 2))
    rights[:4], rights[4, 0] = 1, 1
    found = paired_per_success(cases, costs, rights)
    assert (found.low, found.p, found.method) == (None, None, "")
    rights[4] = 1
    assert paired_per_success(cases, costs, rights).low is not None
    same = paired_per_success(cases, costs[:, [0, 0]], rights)
    assert (same.value, same.low, same.p) == (0, None, None)


sides = st.tuples(st.floats(0.01, 1e4), st.floats(0.001, 1))


@given(sides, sides, st.floats(-1, 1), st.integers(2000, 10**6))
def test_interval_and_p_of_two_logarithms_are_one_statement(
    first: tuple[float, float], second: tuple[float, float], correlation: float, freedom: int
) -> None:
    pair = LogPair(first[0], second[0], first[0] * first[1], second[0] * second[1], correlation, freedom)
    low, high = pair.interval()
    assert low <= second[0] - first[0] <= high
    assert 0 <= pair.p() <= 1
    if min(abs(low), abs(high)) > 1e-9 * max(first[0], second[0]):
        assert (pair.p() < 0.05) == (low > 0 or high < 0)
    turned = LogPair(pair.second, pair.first, pair.second_error, pair.first_error, correlation, freedom)
    assert turned.interval() == pytest.approx((-high, -low))
    assert turned.p() == pytest.approx(pair.p(), abs=1e-9)


def test_of_one_side_that_does_not_vary_the_other_sides_interval_is_left() -> None:
    random = np.random.default_rng(3)
    costs = np.stack([np.full(3000, 50.0), random.gamma(2, 30, 3000)], axis=1)
    found = log_pair(costs, np.ones((3000, 2)))
    assert found is not None
    alone = per_success(costs[:, 1], np.ones(3000))
    assert alone.low is not None
    assert alone.high is not None
    assert found.interval() == pytest.approx((alone.low - 50, alone.high - 50), abs=1e-5)


def test_every_interval_names_its_method() -> None:
    first, second = answers(20, 3, 9, 8)
    marks = np.linspace(0, 3, 40)
    ratios = np.stack([marks, np.ones(40)], axis=1)
    assert paired(names(40), first, second).method == "right or wrong 1"
    assert paired(names(40), marks, marks[::-1]).method == "mean 1"
    assert paired_ratio(names(40), ratios, ratios[::-1]).method == "ratio 1"
    assert paired(names(2), marks[:2], marks[1::-1]).method == ""


def test_groups_of_many_cases_vary_as_the_cases_do(monkeypatch: pytest.MonkeyPatch) -> None:
    """Costs far from 0, in groups of uneven sizes: what counts is what a case adds to the expected total."""
    monkeypatch.setattr(paired_module, "MOST_RESAMPLED", 200)
    random = np.random.default_rng(8)
    costs = 1_000 + random.gamma(2, 20, (270, 2)).cumsum(axis=1)
    drawn = bootstrap(costs)
    assert np.cov(drawn.T) == pytest.approx(np.cov(costs.T) * 269, rel=0.2)
    assert drawn.mean(axis=0) == pytest.approx(costs.sum(axis=0), rel=1e-3)


def test_the_bootstrap_draws_whole_cases() -> None:
    drawn = bootstrap(np.array([[1.0, 10.0], [2.0, 20.0], [3.0, 30.0]]))
    assert drawn.shape == (10_000, 2)
    assert (drawn[:, 1] == 10 * drawn[:, 0]).all()
    assert drawn[:, 0].mean() == pytest.approx(6, abs=0.05)


def test_holm_agrees_with_a_worked_example() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([]) == []


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_holm_lies_between_p_and_bonferroni_and_keeps_the_order(ps: list[float]) -> None:
    adjusted = holm(ps)
    for p, q in zip(ps, adjusted, strict=True):
        assert p <= q <= min(1.0, p * len(ps)) + 1e-12
    ranked = [q for _, q in sorted(zip(ps, adjusted, strict=True))]
    assert ranked == sorted(ranked)


def test_a_judged_rate_is_corrected_for_the_judges_errors() -> None:
    found = corrected_rate(30, 100, (90, 100), (95, 100))
    assert found.value == pytest.approx((0.3 + 0.95 - 1) / (0.9 + 0.95 - 1), abs=1e-6)
    sure = corrected_rate(300, 1000, (10**7, 10**7), (10**7, 10**7))
    assert sure.value == pytest.approx(0.3)
    assert sure.low == pytest.approx(0.2724, abs=0.002), "as wide as the rate itself where the judge is sure"
    unsure = corrected_rate(300, 1000, (9, 10), (9, 10))
    assert unsure.low is not None
    assert unsure.high is not None
    assert unsure.high - unsure.low > 0.2
    # Half are right, and only the judge's specificity is uncertain: half of its error is left.
    half = corrected_rate(0.55 * 10**6, 10**6, (10**7, 10**7), (45, 50))
    assert half.value == pytest.approx(0.5)
    assert half.low is not None
    assert half.high is not None
    assert half.high - half.low == pytest.approx(2 * 1.96 * 0.5 * (0.9 * 0.1 / 50) ** 0.5 / 0.9, rel=0.1)
    assert corrected_rate(30, 100, (5, 10), (5, 10)).value is None, "no better than chance"
    assert corrected_rate(0, 0, (9, 10), (9, 10)).value is None


@given(st.integers(0, 50), st.integers(0, 30), st.integers(0, 30))
def test_a_corrected_rate_is_a_share_inside_its_interval(right: int, hits: int, refusals: int) -> None:
    found = corrected_rate(right, 50, (hits, 30), (refusals, 30))
    if found.value is not None:
        assert found.low is not None
        assert found.high is not None
        assert 0 <= found.low <= found.value <= found.high <= 1
