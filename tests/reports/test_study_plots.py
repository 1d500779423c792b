"""Pictures of a study are well-formed, and within their frame whatever they are given."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from osler.reports.study_plots import MOST_SERIES, Axis, Dot, axis_over, difference, lines, radar
from tests.reports.test_html_plots import drawn

NUMBERS = st.none() | st.floats(allow_nan=True, allow_infinity=True)
DOTS = st.builds(Dot, NUMBERS, NUMBERS, NUMBERS, st.floats(-1e6, 1e6))
CORNERS = st.integers(3, 9).flatmap(
    lambda n: st.lists(st.lists(NUMBERS, min_size=n, max_size=n), min_size=1, max_size=MOST_SERIES)
)
SERIES = st.lists(st.lists(DOTS, max_size=4), max_size=MOST_SERIES)
MARKS = Axis((1.0, 4.0, 7.0, 10.0), str)
HOSTILE = 'a"<b>\x1b\u202e'


@given(SERIES)
def test_lines_stay_within_their_frame(series: list[list[Dot]]) -> None:
    root = drawn(
        lines(series, axis_over([dot.value for dots in series for dot in dots], str), HOSTILE, HOSTILE)
    )
    height = float(root.get("height", ""))
    for line in root.iter("line"):
        assert all(0 <= float(line.get(name, "").rstrip("%")) <= 100 for name in ("x1", "x2"))
        assert all(0 <= float(line.get(name, "")) <= height for name in ("y1", "y2"))
    for polygon in root.iter("polygon"):
        for point in (polygon.get("points") or "").split():
            x, y = map(float, point.split(","))
            assert 0 <= x <= 100
            assert 0 <= y <= height


@given(
    st.integers(3, 9).flatmap(
        lambda n: st.lists(st.lists(NUMBERS, min_size=n, max_size=n), min_size=1, max_size=8)
    )
)
def test_a_radar_stays_within_its_frame(series: list[list[float | None]]) -> None:
    root = drawn(radar(series, MARKS, [HOSTILE] * len(series[0]), HOSTILE))
    _, _, width, height = map(float, root.get("viewBox", "").split())
    for polygon in root.iter("polygon"):
        for point in (polygon.get("points") or "").split():
            x, y = map(float, point.split(","))
            assert 0 <= x <= width
            assert 0 <= y <= height


@given(NUMBERS, NUMBERS, NUMBERS)
def test_a_difference_is_drawn_where_it_is_finite(
    value: float | None, low: float | None, high: float | None
) -> None:
    axis = axis_over([value, low, high], str, even=True)
    root = drawn(difference(Dot(value, low, high), axis))
    finite = [end is not None and math.isfinite(end) and abs(end) <= 1e9 for end in (value, low, high)]
    assert len(root.findall(".//path")) == finite[0]
    assert len(root.findall("g/line")) == (finite[1] and finite[2])


@given(st.lists(st.floats(-1e9, 1e9), max_size=5), st.booleans())
def test_an_axis_reaches_every_value_and_has_zero_in_few_steps(values: list[float], even: bool) -> None:
    ticks = axis_over(values, str, even).ticks
    assert 0.0 in ticks
    assert list(ticks) == sorted(set(ticks))
    assert 2 <= len(ticks) <= 7
    slack = 1e-6 * (ticks[-1] - ticks[0])
    assert all(ticks[0] - slack <= value <= ticks[-1] + slack for value in values)
    if even:
        assert ticks[0] == -ticks[-1]
