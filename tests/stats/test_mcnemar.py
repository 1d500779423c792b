"""McNemar's exact test, against the binomial test of scipy."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from osler.stats.mcnemar import mcnemar_exact

COUNTS = st.integers(0, 400)


@given(COUNTS, COUNTS)
def test_p_is_that_of_scipy(one: int, other: int) -> None:
    found = mcnemar_exact(one, other)
    if one + other:
        assert found == pytest.approx(binomtest(one, one + other, 0.5).pvalue, rel=1e-9, abs=1e-300)


@given(COUNTS, COUNTS)
def test_the_sides_may_be_swapped(one: int, other: int) -> None:
    assert mcnemar_exact(one, other) == mcnemar_exact(other, one)


def test_nothing_differs_nothing_is_said() -> None:
    assert mcnemar_exact(0, 0) == 1.0
    assert mcnemar_exact(7, 7) == 1.0


def test_counts_are_not_negative() -> None:
    with pytest.raises(ValueError, match="negative"):
        mcnemar_exact(-1, 2)
