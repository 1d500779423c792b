"""Curves pass through the figures they are drawn from."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from osler.core.pictures import Blow, Electrophoresis, Nomogram
from osler.pictures.curves import blown, density, line_at
from osler.pictures.sheet import Axis, steps
from tests.pictures.samples import blows


@given(blows)
def test_a_blow_reaches_its_fev1_in_a_second_and_its_fvc_in_the_end(blow: Blow) -> None:
    curve = blown(blow)
    assert np.interp(1, curve.seconds, curve.litres) == pytest.approx(blow.fev1_l, rel=0.01)
    assert curve.litres[-1] == pytest.approx(blow.fvc_l)
    assert curve.flow.max() == pytest.approx(blow.peak_l_per_s)
    assert (np.diff(curve.litres) > 0).all()
    assert (np.diff(curve.seconds) > 0).all()


def test_an_obstructed_blow_sags_and_a_free_one_does_not() -> None:
    def middle(blow: Blow) -> float:
        """Flow at half the volume as a share of the straight line from the peak to the end."""
        curve = blown(blow)
        return float(np.interp(blow.fvc_l / 2, curve.litres, curve.flow) / (blow.peak_l_per_s / 2))

    assert middle(Blow(fev1_l=1.3, fvc_l=2.8, peak_l_per_s=4.3)) < 0.5
    assert middle(Blow(fev1_l=1.42, fvc_l=1.62, peak_l_per_s=2.9)) > 0.9


@given(st.floats(1, 60), st.floats(0, 60), st.floats(0.1, 0.9))
def test_the_area_under_a_densitogram_is_the_protein(albumin: float, spike: float, place: float) -> None:
    picture = Electrophoresis(
        albumin=albumin, alpha1=2, alpha2=6, beta=8, gamma=5, spike=(place, spike) if spike else None
    )
    assert density(picture).mean() == pytest.approx(albumin + 21 + spike, rel=0.02)


@given(st.floats(10, 500), st.floats(4, 20))
def test_the_treatment_line_halves_every_four_hours(at_4h: float, hours: float) -> None:
    picture = Nomogram(hours=4, level_mg_per_l=0, line_at_4h_mg_per_l=at_4h)
    assert line_at(picture, 4) == pytest.approx(at_4h)
    assert line_at(picture, hours + 4) == pytest.approx(line_at(picture, hours) / 2)


@given(st.floats(-100, 100), st.floats(0.01, 1000), st.integers(3, 15))
def test_values_on_an_axis_are_round_and_inside(low: float, span: float, count: int) -> None:
    values = steps(low, low + span, count)
    assert values == sorted(values)
    assert all(low - span * 1e-3 - 1e-6 <= value <= low + span * 1.001 + 1e-6 for value in values)
    assert count / 3 <= len(values) <= count + 1


def test_an_axis_may_run_downwards_or_by_ratios() -> None:
    assert Axis(120, -10).share(120) == 0
    assert Axis(1, 100, log=True).share(10) == pytest.approx(0.5)
