"""Agreement of raters: published worked examples, values of other programs, and what must always hold.

Values marked so were computed once with statsmodels 0.15 (kappa), krippendorff 0.9 and pingouin 0.7.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from osler.stats.agreement import Level, Weights, ac1, alpha, kappa
from osler.stats.icc import icc
from osler.stats.intervals import Estimate

# Krippendorff 2011, "Computing Krippendorff's alpha-reliability": four observers, twelve units.
_: None = None
OBSERVED: list[list[float | None]] = [
    [1, 1, _, 1],
    [2, 2, 3, 2],
    [3, 3, 3, 3],
    [3, 3, 3, 3],
    [2, 2, 2, 2],
    [1, 2, 3, 4],
    [4, 4, 4, 4],
    [1, 1, 2, 1],
    [2, 2, 2, 2],
    [_, 5, 5, 5],
    [_, _, 1, 1],
    [_, _, 3, _],
]
# Shrout and Fleiss 1979, "Intraclass correlations", table 2: six targets, four judges.
JUDGED = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]
TABLE = [[44, 5, 1], [7, 20, 3], [9, 5, 6]]


def ratings(table: list[list[int]]) -> tuple[list[int], list[int]]:
    """Two raters' ratings from the table of how often each pair of them occurs."""
    cells = [(i, j) for i, row in enumerate(table) for j, count in enumerate(row) for _ in range(count)]
    return [i for i, _ in cells], [j for _, j in cells]


def test_kappa_of_a_table_by_hand() -> None:
    found = kappa(*ratings([[45, 15], [25, 15]]))
    assert found.value == pytest.approx((0.60 - 0.54) / (1 - 0.54), abs=1e-6)
    assert found.n == 100


def test_ac1_holds_where_kappa_falls_because_nearly_everything_is_of_one_category() -> None:
    """Gwet 2008, "Computing inter-rater reliability ... in the presence of high agreement", table 1."""
    pairs = ratings([[118, 5], [2, 0]])
    found = ac1(*pairs, order=(0, 1))
    assert found.value == pytest.approx(0.9408, abs=1e-4)
    assert kappa(*pairs).value == pytest.approx(-0.0234, abs=1e-4)
    assert found.low is not None
    assert found.high is not None
    assert found.low < 0.9408 < found.high
    with pytest.raises(ValueError, match="two categories"):
        ac1([1], [1], order=(1,))


@pytest.mark.parametrize(
    ("weights", "value", "low", "high"),  # of statsmodels
    [
        ("none", 0.491525, 0.350158, 0.632893),
        ("linear", 0.473684, 0.322808, 0.624560),
        ("quadratic", 0.454545, 0.270349, 0.638742),
    ],
)
def test_weighted_kappa_agrees_with_another_program(
    weights: Weights, value: float, low: float, high: float
) -> None:
    found = kappa(*ratings(TABLE), order=[0, 1, 2], weights=weights)
    assert found.value == pytest.approx(value, abs=1e-6)
    assert found.low == pytest.approx(low, abs=0.05), "ours is by leaving out, on the logarithm"
    assert found.high == pytest.approx(high, abs=0.05)


@pytest.mark.parametrize(("level", "value"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)])
def test_alpha_agrees_with_krippendorffs_own_example(level: Level, value: float) -> None:
    found = alpha(OBSERVED, level)
    assert found.value == pytest.approx(value, abs=5e-4)
    assert (found.n, found.unscored) == (11, 1)


def test_icc_agrees_with_shrout_and_fleiss_and_with_another_program() -> None:
    found = icc(JUDGED)
    assert found.single.value == pytest.approx(0.2898, abs=1e-4)
    assert found.average.value == pytest.approx(0.6201, abs=1e-4)
    assert (found.single.low, found.single.high) == pytest.approx((0.0188, 0.7611), abs=1e-4)
    assert (found.average.low, found.average.high) == pytest.approx((0.0711, 0.9272), abs=1e-4)


two = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=2, max_size=30)


@given(two, st.sampled_from(["none", "linear", "quadratic"]))
def test_kappa_does_not_mind_who_rated_first_and_is_at_most_1(
    rows: list[tuple[int, int]], weights: Weights
) -> None:
    first, second = [a for a, _ in rows], [b for _, b in rows]
    found, turned = (kappa(a, b, range(4), weights) for a, b in ((first, second), (second, first)))
    assert found == turned
    if found.value is not None:
        assert found.value <= 1
        assert (found.value == 1) == (first == second)
    if found.low is not None and found.high is not None and found.value is not None:
        assert found.low <= found.value <= found.high <= 1


@given(two)
def test_two_categories_need_no_weights(rows: list[tuple[int, int]]) -> None:
    first, second = [a > 1 for a, _ in rows], [b > 1 for _, b in rows]
    plain, weighted = (kappa(first, second, [False, True], w) for w in ("none", "quadratic"))
    assert plain == weighted


values = st.one_of(st.none(), st.integers(0, 4).map(float))
units = st.lists(st.lists(values, min_size=3, max_size=3), min_size=2, max_size=12)


@given(units, st.sampled_from(["nominal", "ordinal", "interval"]), st.randoms(use_true_random=False))
def test_alpha_does_not_mind_the_order_of_units_or_raters(
    rows: list[list[float | None]], level: Level, random: np.random.Generator
) -> None:
    mixed = [list(row) for row in rows]
    for row in mixed:
        random.shuffle(row)
    random.shuffle(mixed)
    found, other = alpha(rows, level), alpha(mixed, level)
    assert found.value == pytest.approx(other.value)
    assert (found.n, found.unscored) == (other.n, other.unscored)
    assert found.value is None or found.value <= 1


@given(units)
def test_alpha_of_intervals_does_not_mind_the_scale(rows: list[list[float | None]]) -> None:
    scaled = [[None if v is None else 10 * v - 3 for v in row] for row in rows]
    assert alpha(rows, "interval").value == pytest.approx(alpha(scaled, "interval").value)


def test_chance_agreement_is_near_zero_and_the_interval_holds_it() -> None:
    random = np.random.default_rng(2)
    held = []
    for _ in range(200):
        first, second = random.integers(0, 3, (2, 60)).tolist()
        found = kappa(first, second)
        assert found.low is not None
        assert found.high is not None
        held.append(found.low <= 0 <= found.high)
    assert 0.90 <= np.mean(held) <= 0.99


def test_items_of_one_case_are_left_out_together() -> None:
    first, second = ratings(TABLE)
    once = kappa(first, second, clusters=[f"case {n}" for n in range(100)])
    often = kappa(first * 5, second * 5, clusters=[f"case {n}" for n in range(100)] * 5)
    assert (once.value, once.low, once.high) == (often.value, often.low, often.high)
    assert kappa(first, second, clusters=["one"] * 100).low is None


def test_full_agreement_has_no_interval_and_no_variation_no_value() -> None:
    assert kappa([0, 1, 1], [0, 1, 1]) == Estimate(1.0, None, None, 3, 0)
    assert kappa([1, 1, 1], [1, 1, 1]).value is None
    assert alpha([[1, 1], [2, 2]]) == Estimate(1.0, None, None, 2, 0)
    assert alpha([[1, 1], [1, None]]).value is None
    assert icc([[1, 1], [2, 2], [5, 5]]).single == Estimate(1.0, None, None, 3, 0)
    assert icc([[1, 1], [1, 1]]).single.value is None


def test_what_was_not_rated_is_counted() -> None:
    assert kappa([0, 1, None], [0, 1, 1]).unscored == 1
    assert icc([*JUDGED, [1, None, 2, 3]]).single.unscored == 1


@given(st.lists(st.lists(st.integers(0, 9), min_size=3, max_size=3), min_size=3, max_size=15))
def test_an_icc_lies_in_its_interval_and_the_mean_of_raters_is_surer(rows: list[list[int]]) -> None:
    single, average = icc(rows)
    if single.value is None or single.low is None or single.high is None:
        return
    assert single.value <= 1
    assert single.high <= 1
    if single.value > 0:
        assert single.low <= single.value <= single.high
        assert average.value is not None
        assert average.value >= single.value


def test_ill_formed_ratings_are_refused() -> None:
    with pytest.raises(ValueError, match="both ratings"):
        kappa([1], [1, 2])
    with pytest.raises(ValueError, match="not one of the categories"):
        kappa([1, 9], [1, 1], order=[1, 2])
    with pytest.raises(ValueError, match="order"):
        kappa([1], [1], weights="linear")
    with pytest.raises(ValueError, match="two raters"):
        icc([[1], [2]])
