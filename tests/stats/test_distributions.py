"""Student's t and Fisher's F against published tables and closed forms."""

from __future__ import annotations

from math import atan, pi, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from osler.stats.distributions import f_quantile, t_above, t_quantile, t_two_sided


@pytest.mark.parametrize(
    ("freedom", "share", "value"),
    [
        *((1, 0.975, 12.706), (2, 0.975, 4.303), (5, 0.975, 2.571), (10, 0.975, 2.228), (29, 0.975, 2.045)),
        *((60, 0.975, 2.000), (120, 0.975, 1.980), (1, 0.95, 6.314), (10, 0.95, 1.812), (30, 0.95, 1.697)),
        *((1, 0.995, 63.657), (10, 0.995, 3.169), (1_000_000, 0.975, 1.960)),
    ],
)
def test_t_quantiles_agree_with_tables(freedom: int, share: float, value: float) -> None:
    assert t_quantile(freedom, share) == pytest.approx(value, abs=6e-4)


@pytest.mark.parametrize(
    ("first", "second", "value"),
    [(1, 1, 647.79), (5, 10, 4.2361), (3, 20, 3.8587), (10, 10, 3.7168), (60, 120, 1.5299)],
)
def test_f_quantiles_agree_with_tables(first: int, second: int, value: float) -> None:
    assert f_quantile(0.975, first, second) == pytest.approx(value, rel=2e-4)
    assert f_quantile(0.025, second, first) == pytest.approx(1 / value, rel=2e-4)


@given(st.floats(-300, 300))
def test_one_and_two_degrees_of_freedom_have_closed_forms(t: float) -> None:
    assert t_two_sided(t, 1) == pytest.approx(1 - 2 / pi * atan(abs(t)), abs=1e-12)
    assert t_above(t, 2) == pytest.approx((1 - t / sqrt(2 + t * t)) / 2, abs=1e-12)


@given(st.floats(1, 5000), st.floats(0.6, 0.999))
def test_a_quantile_is_exceeded_as_often_as_it_says(freedom: float, share: float) -> None:
    assert t_above(t_quantile(freedom, share), freedom) == pytest.approx(1 - share, abs=1e-9)


@pytest.mark.parametrize("freedom", [0.0, -1.0])
def test_no_quantile_is_made_up_without_degrees_of_freedom(freedom: float) -> None:
    with pytest.raises(ValueError, match="degrees of freedom"):
        t_quantile(freedom)
