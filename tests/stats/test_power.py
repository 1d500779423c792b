"""Power: the textbook's figures, simulated tests, and questions that answer each other."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from osler.stats.paired import paired
from osler.stats.power import Design, cases_needed, greatest_correlation, power, smallest_difference


@pytest.mark.parametrize(("base", "difference"), [(0.5, 0.1), (0.3, -0.1), (0.8, 0.1)])
def test_independent_answers_need_what_the_textbook_says(base: float, difference: float) -> None:
    z = NormalDist().inv_cdf
    spread = base * (1 - base) + (base + difference) * (1 - base - difference)
    rule = (z(0.975) + z(0.8)) ** 2 * spread / difference**2
    assert cases_needed(Design(base), difference, 0.8) == pytest.approx(rule, rel=0.05)


@pytest.mark.parametrize(
    ("base", "difference", "correlation"), [(0.5, 0.1, 0.0), (0.9, 0.05, 0.3), (0.6, 0.3, 0.2)]
)
def test_the_test_finds_the_difference_as_often_as_promised(
    base: float, difference: float, correlation: float
) -> None:
    cases = cases_needed(Design(base, correlation), difference, 0.8)
    assert cases is not None
    random = np.random.default_rng(8)
    second = base + difference
    shared = correlation * (base * (1 - base) * second * (1 - second)) ** 0.5
    both = base * second + shared
    table = [both, base - both, second - both, 1 - base - second + both]
    names, found = [str(n) for n in range(cases)], 0
    for _ in range(600):
        counts = random.multinomial(cases, table)
        gap = paired(names, np.repeat([1.0, 1, 0, 0], counts), np.repeat([1.0, 0, 1, 0], counts))
        found += gap.low is not None and gap.low > 0
    assert 0.75 <= found / 600 <= 0.88


@pytest.mark.parametrize(
    ("base", "difference", "correlation", "repeats", "alike"),
    [(0.7, -0.1, 0.2, 3, 0.5), (0.5, 0.1, 0.3, 5, 0.8), (0.6, 0.15, 0.0, 4, 0.3), (0.8, 0.08, 0.25, 2, 1.0)],
)
def test_repeats_of_cases_have_the_power_stated(
    base: float, difference: float, correlation: float, repeats: int, alike: float
) -> None:
    """Answers with exactly these correlations: with probability `correlation` (as far as two shares can
    correlate) all episodes of a case share their luck, else each run's repeats do, or nobody does."""
    shares = np.array([base, base + difference])
    together = correlation / greatest_correlation(base, difference)
    own = (alike - together) / (1 - together)
    assert 0 <= together <= alike
    cases = cases_needed(Design(base, correlation, repeats, alike), difference, 0.8)
    assert cases is not None
    names = np.repeat(np.arange(cases), repeats).astype(str).tolist()
    random, found, studies = np.random.default_rng(11), 0, 400
    for _ in range(studies):
        luck = random.random((2, cases, repeats))
        by_run = (random.random((1, cases, 1)) < own) & np.ones((2, 1, 1), bool)
        luck = np.where(by_run, random.random((2, cases, 1)), luck)
        luck = np.where(random.random((1, cases, 1)) < together, random.random((1, cases, 1)), luck)
        right = (luck < shares[:, None, None]).astype(np.float64).reshape(2, -1)
        gap = paired(names, right[0], right[1], share=True)
        assert gap.low is not None
        assert gap.high is not None
        found += gap.low > 0 if difference > 0 else gap.high < 0
    assert 0.74 <= found / studies <= 0.87


@given(st.floats(0.05, 0.9), st.floats(0, 0.6), st.integers(5, 5000))
def test_the_smallest_difference_needs_just_these_cases(base: float, correlation: float, cases: int) -> None:
    design = Design(base, correlation)
    found = smallest_difference(design, cases, 0.8)
    if found is None:
        assert power(design, 1 - base, cases) < 0.8
    else:
        assert power(design, found, cases) == pytest.approx(0.8, abs=0.01)
        assert 0 < found <= 1 - base


@given(st.floats(0.1, 0.6), st.floats(0.05, 0.3), st.integers(1, 20))
def test_more_cases_repeats_and_likeness_never_need_more(base: float, rise: float, repeats: int) -> None:
    plain = cases_needed(Design(base), rise, 0.8)
    assert plain is not None
    assert power(Design(base), rise, plain) >= 0.8 > power(Design(base), rise, plain - 1)
    alike = greatest_correlation(base, rise) / 2
    assert (cases_needed(Design(base, alike), rise, 0.8) or 0) <= plain
    repeated = cases_needed(Design(base, 0.0, repeats, 0.5), rise, 0.8)
    assert repeated is not None
    assert plain / 2 - 3 <= repeated <= plain
    assert cases_needed(Design(base, 0.0, repeats, 1.0), rise, 0.8) == plain


def test_what_cannot_be_shown_has_no_number() -> None:
    assert cases_needed(Design(0.5), 1e-6, 0.8) is None
    assert smallest_difference(Design(1.0), 1000, 0.8) is None
    assert smallest_difference(Design(0.95), 10, 0.8) is None
    assert power(Design(0.5), 0.4, 1) == 0
