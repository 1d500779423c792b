"""Charts that are filled in by hand: the audiogram, the growth chart and the observation chart."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Final

from osler.core.pictures import Audiogram, GrowthChart, Observations, Series
from osler.pictures.sheet import BLUE, FAINT, GREY, INK, RED, Axes, Axis, Colour, Place, Sheet, steps

_OCTAVES: Final = (125, 250, 500, 1000, 2000, 4000, 8000)
_BETWEEN: Final = (750, 1500, 3000, 6000)
_PALE: Final[Colour] = (238, 240, 243)
_SIZE: Final = 11


def audiogram(picture: Audiogram) -> Sheet:
    """The audiogram: hearing level downwards, octaves across, right ear in red, left ear in blue.

    Air conduction is joined by lines, bone conduction is beside it; a key explains the symbols.
    """
    sheet = Sheet(1200, 860)
    axes = Axes(sheet, (110, 90, 830, 800), Axis(100, 10000, log=True), Axis(125, -15))
    axes.columns(_BETWEEN, named=False, colour=_PALE)
    axes.columns(_OCTAVES, named=False, colour=FAINT)
    axes.rows(range(-10, 121, 10))
    for hertz in _OCTAVES:
        sheet.text((axes.at(hertz, 0)[0], 82), f"{hertz}", anchor="ms")
    sheet.text((470, 52), "Frequency (Hz)", anchor="ms")
    axes.frame("", "Hearing level (dB HL)", room=70)
    for air, colour in ((picture.right, RED), (picture.left, BLUE)):
        places = [axes.at(hertz, level) for hertz, level in sorted(air.items())]
        if len(places) > 1:
            sheet.stroke(places, colour, 2)
        for place in places:
            _ring(sheet, place) if colour == RED else _cross(sheet, place)
    for hertz, level in sorted(picture.right_bone.items()):
        _bracket(sheet, axes.at(hertz, level), RED, -1)
    for hertz, level in sorted(picture.left_bone.items()):
        _bracket(sheet, axes.at(hertz, level), BLUE, 1)
    _key(sheet, picture)
    return sheet


def _key(sheet: Sheet, picture: Audiogram) -> None:
    x, y = 890.0, 140.0
    _ring(sheet, (x, y))
    sheet.text((x + 34, y), "Right, air conduction", anchor="lm")
    _cross(sheet, (x, y + 44))
    sheet.text((x + 34, y + 44), "Left, air conduction", anchor="lm")
    bone = [("Right, bone, masked", RED, -1)] if picture.right_bone else []
    bone += [("Left, bone, masked", BLUE, 1)] if picture.left_bone else []
    for number, (words, colour, side) in enumerate(bone):
        place = (x, y + 88 + 44 * number)
        _bracket(sheet, (x - side * 14, place[1]), colour, side)
        sheet.text((x + 34, place[1]), words, anchor="lm")


def _ring(sheet: Sheet, place: Place) -> None:
    sheet.dot(place, _SIZE - 1, (255, 255, 255))
    sheet.ring(place, _SIZE - 1, RED)


def _cross(sheet: Sheet, place: Place) -> None:
    x, y = place
    arm = _SIZE * math.sqrt(0.5) + 1
    sheet.stroke([(x - arm, y - arm), (x + arm, y + arm)], BLUE, 3)
    sheet.stroke([(x - arm, y + arm), (x + arm, y - arm)], BLUE, 3)


def _bracket(sheet: Sheet, place: Place, colour: Colour, side: int) -> None:
    """`[` to the left of the point for the right ear, `]` to the right of it for the left."""
    x, y = place[0] + side * 16, place[1]
    inner = x - side * 8
    sheet.stroke([(inner, y - 12), (x, y - 12), (x, y + 12), (inner, y + 12)], colour, 2.5)


def growth_chart(picture: GrowthChart) -> Sheet:
    """The growth chart: measurements as dots over faint centile lines, each line labelled at its end.

    The dots are not joined: drawing the line is left to the reader.
    """
    sheet = Sheet(1200, 860)
    lines = (picture.points, *picture.centiles.values())
    ages = [age for line in lines for age, _ in line]
    values = [value for line in lines for _, value in line]
    youngest, oldest = min(ages), max(ages)
    # A single measurement without centile lines spans no range.
    spread = max(oldest - youngest, 0.5)
    lowest, highest = min(values), max(values)
    margin = max((highest - lowest) * 0.06, 0.5)
    axes = Axes(
        sheet,
        (115, 40, 1090, 770),
        Axis(youngest, youngest + spread * 1.02),
        Axis(max(0, lowest - margin), highest + margin),
    )
    axes.columns(steps(axes.x.low, axes.x.high, 12))
    axes.rows(steps(axes.y.low, axes.y.high, 14))
    for name, line in picture.centiles.items():
        middle = name == "50th"
        if len(line) > 1:
            axes.curve(line, INK if middle else GREY, 2.2 if middle else 1.5)
        x, y = axes.at(*line[-1])
        sheet.text((max(x, axes.box[2]) + 10, y), name, anchor="lm", size=17, colour=GREY)
    axes.frame(f"Age ({picture.age_unit})", f"{picture.measure.capitalize()} ({picture.unit})", room=80)
    for age, value in picture.points:
        sheet.dot(axes.at(age, value), 8, INK)
    sheet.text((1090, 840), "Centile lines are approximate", anchor="rs", size=16, colour=GREY)
    return sheet


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


def observations(picture: Observations) -> Sheet:
    """The observation chart: one strip for each thing observed, one column for each time.

    The strips are in their usual order; those without observations are left out.
    """
    strips = [strip for strip in _STRIPS if _series(picture, strip[0])]
    sheet = Sheet(1200, 100 + len(strips) * (_STRIP_PX + _GAP_PX))
    first, last = picture.minutes[0], max(picture.minutes[-1], picture.minutes[0] + 1)
    edge = (last - first) * _EDGE_SHARE
    for number, (name, words, low, high) in enumerate(strips):
        series = _series(picture, name)
        values = [value for each in series for value in each if value is not None]
        top = 30 + number * (_STRIP_PX + _GAP_PX)
        axes = Axes(
            sheet,
            (330, top, 1160, top + _STRIP_PX),
            Axis(first - edge, last + edge),
            Axis(min(low, *values, low), max(high, *values, high)),
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
