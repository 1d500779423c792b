"""One picture of each kind, and the ranges that any picture of a kind may be drawn from."""

from __future__ import annotations

from typing import Final, get_args

from hypothesis import strategies as st

from osler.core.pictures import (
    Audiogram,
    Blow,
    Ecg,
    Electrophoresis,
    GrowthChart,
    Lead,
    Nomogram,
    Observations,
    Picture,
    Spirometry,
)

LEADS: Final[tuple[Lead, ...]] = get_args(Lead)
SAMPLES: Final[tuple[Picture, ...]] = (
    Ecg(rate_per_min=72, st_mm={"II": 2, "aVL": -1}, q_waves=("III",), s_waves=("I",)),
    Spirometry(
        predicted=Blow(fev1_l=3, fvc_l=3.9, peak_l_per_s=8),
        before=Blow(fev1_l=1.4, fvc_l=2.8, peak_l_per_s=4),
        after=Blow(fev1_l=1.9, fvc_l=3.1, peak_l_per_s=5),
    ),
    Audiogram(right={500: 10, 4000: 20}, left={500: 30, 4000: 70}, left_bone={500: 30}, right_bone={500: 5}),
    GrowthChart(
        measure="weight",
        unit="kg",
        age_unit="weeks",
        points=((0, 3.4), (4, 4.1)),
        centiles={"2nd": ((0, 2.6), (8, 4.1)), "50th": ((0, 3.4), (8, 5.4))},
    ),
    Electrophoresis(albumin=40, alpha1=2, alpha2=6, beta=8, gamma=9, spike=(0.8, 12)),
    Nomogram(hours=6, level_mg_per_l=120),
    Observations(minutes=(0, 30), heart_rate=(90, None), systolic=(120, 110), diastolic=(70, 64)),
)

_mm = st.dictionaries(st.sampled_from(LEADS), st.floats(-20, 20), max_size=4)
ecgs = st.builds(
    Ecg,
    rate_per_min=st.floats(21, 299),
    irregular=st.floats(0, 0.5),
    p_waves=st.booleans(),
    pr_ms=st.floats(80, 400),
    qrs_ms=st.floats(50, 240),
    qt_ms=st.floats(200, 700),
    axis_degrees=st.floats(-180, 180),
    st_mm=_mm,
    t_mm=_mm,
    q_waves=st.lists(st.sampled_from(LEADS), max_size=3).map(tuple),
    baseline_mm=st.floats(0, 2),
)


@st.composite
def _blows(draw: st.DrawFn) -> Blow:
    fvc = draw(st.floats(0.8, 6.5))
    fev1 = fvc * draw(st.floats(0.35, 0.92))
    return Blow(fev1_l=fev1, fvc_l=fvc, peak_l_per_s=fev1 * draw(st.floats(1.8, 3.2)))


blows = _blows()
_hearing = st.dictionaries(st.sampled_from((125, 750, 8000)), st.floats(-10, 120), max_size=3)
_fraction = st.floats(0, 150)


@st.composite
def _growth(draw: st.DrawFn) -> GrowthChart:
    ages = sorted(draw(st.sets(st.integers(0, 130), min_size=1, max_size=4)))
    values = st.floats(0, 300)
    line = tuple((float(age), draw(values)) for age in ages)
    return GrowthChart(
        measure="height", unit="cm", age_unit="years", points=line, centiles={"0.4th": line[:1], "50th": line}
    )


@st.composite
def _observations(draw: st.DrawFn) -> Observations:
    minutes = tuple(sorted(draw(st.sets(st.integers(0, 100_000), min_size=1, max_size=5))))
    value = st.one_of(st.none(), st.floats(0, 300))
    series = st.lists(value, min_size=len(minutes), max_size=len(minutes)).map(tuple)
    return Observations(
        minutes=minutes, heart_rate=draw(series), systolic=draw(series), diastolic=draw(series)
    )


pictures: st.SearchStrategy[Picture] = st.one_of(
    ecgs,
    st.builds(Spirometry, predicted=blows, before=blows, after=st.one_of(st.none(), blows)),
    st.builds(Audiogram, right=_hearing, left=_hearing, right_bone=_hearing),
    _growth(),
    st.builds(
        Electrophoresis,
        albumin=_fraction,
        alpha1=_fraction,
        alpha2=_fraction,
        beta=_fraction,
        gamma=_fraction,
        spike=st.one_of(st.none(), st.tuples(st.floats(0, 1), _fraction)),
    ),
    st.builds(Nomogram, hours=st.floats(0.1, 24), level_mg_per_l=st.floats(0, 1000)),
    _observations(),
)
