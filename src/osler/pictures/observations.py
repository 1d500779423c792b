"""An observation chart: one strip for each thing observed, one column for each time."""

from __future__ import annotations

from itertools import pairwise
from typing import Final

from osler.core.pictures import Observations, Series
from osler.pictures.sheet import BLUE, INK, Axes, Axis, Sheet, steps

_STRIPS: Final = (
    ("respiratory_rate", "Respiratory rate (per min)", 0, 40),
    ("oxygen_saturation", "Oxygen saturation (%)", 80, 100),
    ("systolic", "Blood pressure (mmHg)", 40, 200),
    ("heart_rate", "Heart rate (per min)", 30, 170),
    ("temperature_c", "Temperature (°C)", 34, 41),
)
_STRIP_PX: Final = 210
_GAP_PX: Final = 40
_EDGE_SHARE: Final = 0.06


def draw(picture: Observations) -> Sheet:
    """Draw the strips in their usual order, leaving out those without observations."""
    strips = [strip for strip in _STRIPS if _series(picture, strip[0])]
    sheet = Sheet(1200, 100 + len(strips) * (_STRIP_PX + _GAP_PX))
    first, last = picture.minutes[0], max(picture.minutes[-1], picture.minutes[0] + 1)
    edge = (last - first) * _EDGE_SHARE
    for number, (name, words, low, high) in enumerate(strips):
        series = _series(picture, name)
        seen = [value for each in series for value in each if value is not None]
        top = 30 + number * (_STRIP_PX + _GAP_PX)
        axes = Axes(
            sheet,
            (330, top, 1160, top + _STRIP_PX),
            Axis(first - edge, last + edge),
            Axis(min(low, *seen, low), max(high, *seen, high)),
        )
        bottom = number == len(strips) - 1
        axes.columns(steps(first, last, 12), named=bottom)
        axes.rows(steps(axes.y.low, axes.y.high, 5))
        for each in series:
            _plot(axes, picture.minutes, each)
        if len(series) > 1:
            _pressure(axes, picture)
        axes.frame("Minutes since the first set" if bottom else "", "", room=0)
        sheet.text((20, top + _STRIP_PX / 2), words, anchor="lm")
    return sheet


def _series(picture: Observations, name: str) -> list[Series]:
    names = ("systolic", "diastolic") if name == "systolic" else (name,)
    every: list[Series] = [getattr(picture, each) for each in names]
    return [series for series in every if any(value is not None for value in series)]


def _plot(axes: Axes, minutes: tuple[int, ...], series: Series) -> None:
    points = [(float(m), value) for m, value in zip(minutes, series, strict=True) if value is not None]
    for start, end in pairwise(points):
        axes.curve((start, end), BLUE, 2)
    for point in points:
        axes.sheet.dot(axes.at(*point), 6, INK)


def _pressure(axes: Axes, picture: Observations) -> None:
    """Draw the systolic and diastolic pressure of one reading, joined."""
    for minute, high, low in zip(picture.minutes, picture.systolic, picture.diastolic, strict=True):
        if high is not None and low is not None:
            axes.sheet.dashes([axes.at(minute, high), axes.at(minute, low)], INK, 1.5, dash=5)
