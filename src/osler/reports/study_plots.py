"""Plots of a study as inline SVG: line plots with bands, radar charts, and forest plots of differences.

Series are told apart by shape as well as by colour, as in `osler.reports.plots`. A band or a line through a
mark is a 95 % interval. Values that are not finite are not drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from math import ceil, cos, floor, isfinite, log10, pi, sin
from typing import Final, NamedTuple, TypeGuard

from markupsafe import Markup

from osler.reports.page import shown
from osler.reports.svg import SHAPES, line, mark_at, picture, short, words

MOST_SERIES: Final = len(SHAPES)
FEWEST_AXES: Final = 3
ROW: Final = 22
"""Height of a line of a forest plot, in pixels."""
_LARGEST: Final = 1e9
_STEPS: Final = (1, 2, 5, 10)
_SMALLEST: Final = 1e-6
_LEFT, _WIDTH, _TOP, _HEIGHT = 11.0, 86.0, 10.0, 180.0
_EDGE, _SPAN = 5.0, 90.0
_DODGE: Final = 0.9
"""The horizontal offset (dodge) between lines, in per cent of the width, so that equal ones are all seen."""
_BOX, _RADIUS, _CENTRE = 460.0, 100.0, 126.0
_LABEL: Final = 19


class Dot(NamedTuple):
    """A value with its interval, and its position `x` in a line plot."""

    value: float | None
    low: float | None
    high: float | None
    x: float = 0.0


class Axis(NamedTuple):
    """An axis from its first tick to its last, with the function that formats a tick."""

    ticks: tuple[float, ...]
    write: Callable[[float], str]

    def share(self, value: float) -> float:
        """Return a value's position along the axis, from 0 to 1, clipped at the ends."""
        low, high = self.ticks[0], self.ticks[-1]
        return min(max((value - low) / (high - low), 0.0), 1.0)


def axis_over(values: Iterable[float | None], write: Callable[[float], str], even: bool = False) -> Axis:
    """Return an axis that includes 0 and all values, in a few steps of 1, 2 or 5 times a power of ten; with
    `even` it is symmetric about 0."""
    finite = [value for value in values if _drawable(value)]
    low, high = min([*finite, 0.0]), max([*finite, 0.0])
    if even:
        high = max(high, -low)
        low = -high
    if high - low < _SMALLEST:
        low, high = (-1.0, 1.0) if even else (0.0, 1.0)
    power = 10.0 ** floor(log10((high - low) / 4))
    step = next(times * power for times in _STEPS if high - low <= 4.000001 * times * power)
    first, last = floor(low / step + 1e-9), ceil(high / step - 1e-9)
    return Axis(tuple(round(n * step, 9) + 0.0 for n in range(first, last + 1)), write)


def lines(series: Sequence[Sequence[Dot]], axis: Axis, label: str, x_name: str) -> Markup:
    """Draw a line with its band for each of a few series; the x axis is labelled at each `x` that occurs."""
    numbers = sorted({dot.x for dots in series for dot in dots if _drawable(dot.x)})
    span = numbers[-1] - numbers[0] if len(numbers) > 1 else 0.0
    middle = (len(series) - 1) / 2

    def across(place: int, x: float) -> float:
        share = (x - numbers[0]) / span if span else 0.5
        return _LEFT + _WIDTH * (0.05 + 0.9 * share) + _DODGE * (place - middle)

    drawn = []
    for tick in axis.ticks:
        y = _down(axis, tick)
        drawn.append(line("zero" if tick == 0 else "grid", (_LEFT, _LEFT + _WIDTH), (y, y)))
        drawn.append(words(axis.write(tick), _LEFT - 1, y + 4, "end"))
    for x in numbers:
        drawn.append(words(f"{x:,g}", across(0, x) + _DODGE * middle, _TOP + _HEIGHT + 18, "middle"))
    drawn.append(words(x_name, _LEFT + _WIDTH, _TOP + _HEIGHT + 36, "end"))
    for place, dots in enumerate(series):
        met = sorted((dot for dot in dots if _drawable(dot.x)), key=lambda dot: dot.x)
        drawn.append(_series(place, [(across(place, dot.x), dot) for dot in met], axis))
    return picture(_TOP + _HEIGHT + 42, drawn, label)


def radar(series: Sequence[Sequence[float | None]], axis: Axis, names: Sequence[str], label: str) -> Markup:
    """Draw a radar chart: a polygon for each of a few series, a corner for each of three names or more, the
    first at the top; the centre is the lowest tick. A corner without a value breaks its polygon."""
    corners = [2 * pi * n / len(names) for n in range(len(names))]
    drawn = []
    for tick in axis.ticks:
        ring = [_around(corner, axis.share(tick)) for corner in corners]
        drawn.append(_polygon("zero" if tick == 0 else "grid", ring))
    for corner, name in zip(corners, names, strict=True):
        x, y = _around(corner, 1.0)
        drawn.append(_spoke(_around(corner, 0.0), (x, y)))
        side = sin(corner)
        anchor = "middle" if abs(side) < 0.2 else "start" if side > 0 else "end"
        x, y = x + 10 * side, y - 14 * cos(corner) + 4
        cut = name if len(name) <= _LABEL else f"{name[: _LABEL - 1]}…"
        drawn.append(words(cut, 100 * x / _BOX, y, anchor))
    for tick in axis.ticks:
        _, y = _around(0.0, axis.share(tick))
        drawn.append(words(axis.write(tick), 100 * (_BOX / 2 - 7) / _BOX, y + 4, "end"))
    for place, values in enumerate(series):
        ends = [
            _around(corner, axis.share(value)) if _drawable(value) else None
            for corner, value in zip(corners, values, strict=True)
        ]
        drawn.append(_web(place, ends))
    tall = max(_around(corner, 1.0)[1] for corner in corners) + 24
    return Markup('<svg class="radar" viewBox="0 0 {} {}" role="img" aria-label="{}">{}</svg>').format(
        short(_BOX), short(tall), shown(label), Markup().join(drawn)
    )


def difference(dot: Dot, axis: Axis, place: int = 0) -> Markup:
    """Draw one line of a forest plot: a mark with its interval, on an axis shared with the other lines."""
    grid = [_upright(axis, tick, ROW) for tick in axis.ticks]
    drawn = []
    if reach := _reach(dot):
        drawn.append(line("", (_along(axis, reach[0]), _along(axis, reach[1])), (ROW / 2, ROW / 2)))
    if _drawable(dot.value):
        drawn.append(mark_at(place, _along(axis, dot.value), ROW / 2))
    return picture(ROW, [*grid, _group(place, drawn)])


def difference_axis(axis: Axis) -> Markup:
    """Draw the axis above the lines of a forest plot."""
    return picture(18, [words(axis.write(tick), _along(axis, tick), 13, "middle") for tick in axis.ticks])


def _series(place: int, dots: Sequence[tuple[float, Dot]], axis: Axis) -> Markup:
    drawn = [
        _band([(x, _down(axis, low), _down(axis, high)) for x, (low, high) in stretch])
        for stretch in _stretches([(x, _reach(dot)) for x, dot in dots])
    ]
    for (x, dot), (next_x, following) in pairwise(dots):
        if _drawable(dot.value) and _drawable(following.value):
            drawn.append(line("", (x, next_x), (_down(axis, dot.value), _down(axis, following.value))))
    drawn += [mark_at(place, x, _down(axis, dot.value)) for x, dot in dots if _drawable(dot.value)]
    return _group(place, drawn)


def _stretches(
    reaches: Sequence[tuple[float, tuple[float, float] | None]],
) -> list[list[tuple[float, tuple[float, float]]]]:
    """Return the stretches of two or more neighbours that all have an interval."""
    result: list[list[tuple[float, tuple[float, float]]]] = [[]]
    for x, reach in reaches:
        if reach is None:
            result.append([])
        else:
            result[-1].append((x, reach))
    return [stretch for stretch in result if len(stretch) > 1]


def _band(ends: Sequence[tuple[float, float, float]]) -> Markup:
    """Draw the band between the low and high ends over a stretch. A polygon's points cannot be percentages,
    so it is stretched over a nested svg, whose position can."""
    first, wide = ends[0][0], ends[-1][0] - ends[0][0]
    lows = [(100 * (x - first) / wide, low) for x, low, _ in ends]
    highs = [(100 * (x - first) / wide, high) for x, _, high in ends]
    return Markup(
        '<svg x="{}%" y="0" width="{}%" height="{height}" viewBox="0 0 100 {height}"'
        ' preserveAspectRatio="none"><polygon class="band" points="{}"/></svg>'
    ).format(short(first), short(wide), _points([*lows, *reversed(highs)]), height=short(_TOP + _HEIGHT))


def _web(place: int, ends: Sequence[tuple[float, float] | None]) -> Markup:
    whole = [end for end in ends if end is not None]
    drawn = []
    if len(whole) == len(ends):
        drawn.append(_polygon("web", whole))
    else:
        drawn += [
            _spoke(here, there, "")
            for here, there in pairwise([*ends, ends[0]])
            if here is not None and there is not None
        ]
    drawn += [mark_at(place, 100 * x / _BOX, y) for x, y in whole]
    return _group(place, drawn)


def _around(corner: float, share: float) -> tuple[float, float]:
    return _BOX / 2 + _RADIUS * share * sin(corner), _CENTRE - _RADIUS * share * cos(corner)


def _polygon(kind: str, points: Iterable[tuple[float, float]]) -> Markup:
    return Markup('<polygon class="{}" points="{}"/>').format(kind, _points(points))


def _points(points: Iterable[tuple[float, float]]) -> str:
    return " ".join(f"{short(x)},{short(y)}" for x, y in points)


def _spoke(here: tuple[float, float], there: tuple[float, float], kind: str = "grid") -> Markup:
    return Markup('<line class="{}" x1="{}" y1="{}" x2="{}" y2="{}"/>').format(
        kind, *map(short, (*here, *there))
    )


def _upright(axis: Axis, tick: float, height: float) -> Markup:
    at = _along(axis, tick)
    return line("zero" if tick == 0 else "grid", (at, at), (0.0, height))


def _group(place: int, drawn: Iterable[Markup]) -> Markup:
    return Markup('<g class="r{}">{}</g>').format(place, Markup().join(drawn))


def _along(axis: Axis, value: float) -> float:
    return _EDGE + _SPAN * axis.share(value)


def _down(axis: Axis, value: float) -> float:
    return _TOP + _HEIGHT * (1 - axis.share(value))


def _reach(dot: Dot) -> tuple[float, float] | None:
    return (dot.low, dot.high) if _drawable(dot.low) and _drawable(dot.high) else None


def _drawable(value: float | None) -> TypeGuard[float]:
    return value is not None and isfinite(value) and abs(value) <= _LARGEST
