"""Plots are well-formed, finite whatever they are given, and tell runs apart by more than colour."""

from __future__ import annotations

import math
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from osler.reports.plots import MOST_RUNS, ROW, Point, forest, forest_axis, mark, scatter
from osler.stats.intervals import Estimate, wilson

NUMBERS = st.floats(allow_nan=True, allow_infinity=True)
POINTS = st.builds(Point, NUMBERS, NUMBERS, st.none() | st.tuples(NUMBERS, NUMBERS), st.none())


def drawn(svg: str) -> ElementTree.Element:
    """The picture, in which every place is a finite number."""
    root = ElementTree.fromstring(svg)
    for element in root.iter():
        for name in ("x", "y", "x1", "x2", "y1", "y2", "cx", "cy", "height"):
            assert math.isfinite(float(element.get(name, "0").rstrip("%")))
    return root


@given(st.lists(st.none() | POINTS, max_size=MOST_RUNS), st.lists(POINTS, max_size=5))
def test_a_scatter_plot_is_finite_whatever_it_is_given(runs: list[Point | None], dots: list[Point]) -> None:
    drawn(scatter(runs, [dots] * len(runs), "<x> & \x1b\u202e", 'y"'))


@given(st.lists(st.none() | st.builds(Estimate, NUMBERS, NUMBERS, NUMBERS, st.just(3)), max_size=MOST_RUNS))
def test_a_forest_plot_stays_within_its_axis(found: list[Estimate | None]) -> None:
    for line in drawn(forest(found)).iter("line"):
        for name in ("x1", "x2"):
            assert 0 <= float(line.get(name, "").rstrip("%")) <= 100


def test_a_forest_plot_has_a_line_and_a_mark_for_each_scored_run() -> None:
    root = drawn(forest([wilson(3, 4), None, wilson(0, 0), wilson(4, 4)]))
    assert [group.get("class") for group in root.findall("g")] == ["r0", "r3"]
    assert float(root.get("height", "")) == 4 * ROW
    assert [text.text for text in drawn(forest_axis()).iter("text")] == ["0%", "25%", "50%", "75%", "100%"]


def test_every_run_has_a_shape_of_its_own() -> None:
    shapes = {next(drawn(mark(run)).iter("path")).get("d") for run in range(MOST_RUNS)}
    assert len(shapes) == MOST_RUNS


@pytest.mark.parametrize("most", [0.0, 0.001, 1.0, 7.0, 99.0, 100.0, 101.0, 123_456.0])
def test_the_axis_of_costs_reaches_past_the_dearest_run_in_few_ticks(most: float) -> None:
    root = drawn(scatter([Point(most, 0.5)], [[]], "cost", "right"))
    ticks = [
        float((t.text or "").replace(",", "")) for t in root.iter("text") if t.get("text-anchor") == "middle"
    ]
    assert ticks[0] == 0
    assert ticks[-1] >= most
    assert 2 <= len(ticks) <= 7
