"""The electrocardiogram's waves stand where the figures say."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from osler.core.pictures import Ecg, Lead
from osler.pictures.ecg import Signal, beats, trace
from tests.pictures.samples import LEADS


def after_onset(ecg: Ecg, lead: Lead, ms: float | Signal) -> Signal:
    """The height of a lead in mm so long after the onset of a QRS."""
    onsets = beats(ecg, 10)
    return trace(ecg, lead, onsets[4] + np.atleast_1d(ms) / 1000, onsets)


@given(st.sampled_from(LEADS), st.floats(-4, 4))
def test_the_st_segment_of_a_lead_has_its_height(lead: Lead, mm: float) -> None:
    ecg = Ecg(rate_per_min=60, qt_ms=420, st_mm={lead: mm})
    for ms in (115, 130):
        assert after_onset(ecg, lead, ms)[0] == pytest.approx(mm, abs=0.15)
    other: Lead = "V6" if lead != "V6" else "I"
    assert after_onset(ecg, other, 120)[0] == pytest.approx(0, abs=0.15)


@given(st.sampled_from(LEADS), st.floats(-3, 3), st.floats(-8, 8))
def test_the_peak_of_t_has_its_height(lead: Lead, st_mm: float, t_mm: float) -> None:
    ecg = Ecg(rate_per_min=60, st_mm={lead: st_mm}, t_mm={lead: t_mm})
    assert after_onset(ecg, lead, 0.78 * ecg.qt_ms)[0] == pytest.approx(t_mm, abs=0.2)


@given(st.floats(-180, 180))
def test_limb_leads_add_up_as_on_a_true_tracing(axis: float) -> None:
    ecg = Ecg(rate_per_min=70, axis_degrees=axis)
    ms = np.arange(-200, 450, 5.0)
    one, two, three, foot = (after_onset(ecg, lead, ms) for lead in ("I", "II", "III", "aVF"))
    assert np.allclose(one + three, two, atol=1e-9)
    assert np.allclose(foot, (two + three) / 2, atol=1e-9)


@pytest.mark.parametrize(
    ("axis", "up", "down"), [(60, "II", "aVR"), (-40, "aVL", "aVF"), (120, "III", "aVL")]
)
def test_the_axis_says_which_lead_points_up(axis: float, up: Lead, down: Lead) -> None:
    ecg = Ecg(rate_per_min=70, axis_degrees=axis)
    ms = np.arange(0, 90, 1.0)
    assert after_onset(ecg, up, ms).max() > 7
    assert after_onset(ecg, down, ms).min() < -3


@given(st.floats(30, 200), st.floats(0, 0.35))
def test_beats_keep_the_rate_and_spread_as_said(rate: float, irregular: float) -> None:
    ecg = Ecg(rate_per_min=rate, irregular=irregular)
    onsets = beats(ecg, 10)
    intervals = np.diff(onsets[2 : 3 + round(10 * rate / 60)])
    mean = 60 / rate
    assert intervals.mean() == pytest.approx(mean)
    assert intervals.min() >= mean * (1 - 1.3 * irregular) - 1e-9
    assert intervals.max() <= mean * (1 + 2.1 * irregular) + 1e-9
    assert onsets[0] < 0
    assert onsets[-1] > 10


def test_an_irregular_rhythm_has_no_order() -> None:
    intervals = np.diff(beats(Ecg(rate_per_min=120, irregular=0.2, p_waves=False), 10)[3:])
    ups = np.sign(np.diff(intervals))
    assert intervals.max() / intervals.min() > 1.4
    assert 3 < np.count_nonzero(np.diff(ups)) < len(ups) - 1, "neither a trend nor a strict alternation"


def test_without_p_waves_the_baseline_wavers_instead() -> None:
    usual = Ecg(rate_per_min=70, pr_ms=160)
    none = usual.model_copy(update={"p_waves": False})
    wavering = none.model_copy(update={"baseline_mm": 1.0})
    before = np.arange(-180, -40, 2.0)
    assert after_onset(usual, "II", before).max() > 1
    assert np.abs(after_onset(none, "II", before)).max() < 0.1
    assert 0.2 < np.ptp(after_onset(wavering, "V1", np.arange(-400, 0, 2.0))) < 3


def test_the_pr_segment_of_a_lead_has_its_height() -> None:
    ecg = Ecg(rate_per_min=70, pr_ms=160, pr_segment_mm={"II": -1})
    assert after_onset(ecg, "II", -30)[0] == pytest.approx(-1, abs=0.15)
    assert after_onset(ecg, "V5", -30)[0] == pytest.approx(0, abs=0.15)


def test_named_leads_have_a_wide_q_or_a_deep_s() -> None:
    usual = Ecg(rate_per_min=70)
    marked = usual.model_copy(update={"q_waves": ("III",), "s_waves": ("I",)})
    ms = np.arange(0, 100, 1.0)
    assert after_onset(usual, "III", ms).min() > -1.5
    deep = after_onset(marked, "III", ms) < -1
    assert 18 <= np.count_nonzero(deep) <= 60, "milliseconds below the baseline"
    assert after_onset(marked, "I", ms).min() < -3.5
