"""Curves over many steps as inline SVG: each series thinned to means of neighbouring points.

Series are told apart by the colour of class `rN` and by the mark at their end, as in `osler.reports.plots`.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import floor, isfinite, log10
from typing import Final

from markupsafe import Markup

from osler.reports.study_plots import axis_over
from osler.reports.svg import SHAPES, line, mark_at, picture, short, words

MOST_SERIES: Final = len(SHAPES)
_MOST_POINTS: Final = 240
_LEFT, _WIDTH, _TOP, _HEIGHT = 11.0, 86.0, 10.0, 170.0
_LARGEST: Final = 1e12

Curve = Sequence[tuple[float, float]]
"""Points (step, value), in order."""


def curves(series: Sequence[Curve], label: str) -> Markup:
    """Draw a curve for each series on one axis that includes 0; at most `MOST_SERIES`."""
    drawable = [[(x, y) for x, y in one if _fits(x) and _fits(y)] for one in series[:MOST_SERIES]]
    thin = [thinned(one) for one in drawable]
    axis = axis_over([y for one in thin for _, y in one], lambda value: f"{value:.4g}")
    last = max([x for one in thin for x, _ in one] + [1.0])

    def down(value: float) -> float:
        return _TOP + _HEIGHT * (1 - axis.share(value))

    drawn = []
    for tick in axis.ticks:
        drawn.append(line("zero" if tick == 0 else "grid", (_LEFT, _LEFT + _WIDTH), (down(tick), down(tick))))
        drawn.append(words(axis.write(tick), _LEFT - 1, down(tick) + 4, "end"))
    for tick in _steps(last):
        drawn.append(words(f"{tick:,g}", _LEFT + _WIDTH * tick / last, _TOP + _HEIGHT + 18, "middle"))
    drawn.append(words("update", _LEFT + _WIDTH, _TOP + _HEIGHT + 36, "end"))
    for place, points in enumerate(thin):
        if not points:
            continue
        ends = [(1000 * x / last, down(y)) for x, y in points]
        x, y = ends[-1]
        drawn.append(
            Markup('<g class="r{}">{}{}</g>').format(
                place, _path(ends), mark_at(place, _LEFT + _WIDTH * x / 1000, y)
            )
        )
    return picture(_TOP + _HEIGHT + 42, drawn, label)


def thinned(points: Curve, most: int = _MOST_POINTS) -> list[tuple[float, float]]:
    """At most `most` points: means of neighbours, placed at the last of them; the first and last are kept."""
    if len(points) <= most:
        return list(points)
    inner, ends = points[1:-1], (points[0], points[-1])
    size = -(-len(inner) // (most - 2))
    result = [ends[0]]
    for at in range(0, len(inner), size):
        part = inner[at : at + size]
        result.append((part[-1][0], sum(y for _, y in part) / len(part)))
    return [*result, ends[1]]


def _fits(value: float) -> bool:
    return isfinite(value) and abs(value) <= _LARGEST


def _steps(last: float) -> list[float]:
    """Round steps from 0 to the last at most, in steps of 1, 2 or 5 times a power of ten."""
    power = 10.0 ** floor(log10(last / 4)) if last >= 4 else 1.0
    step = next(times * power for times in (1, 2, 5, 10) if last <= 5 * times * power)
    return [n * step for n in range(int(last / step) + 1)]


def _path(ends: Sequence[tuple[float, float]]) -> Markup:
    """Draw a line through points. Its points cannot be percentages, so it is stretched over a nested svg."""
    points = " ".join(f"{short(x)},{short(y)}" for x, y in ends)
    height = short(_TOP + _HEIGHT)
    return Markup(
        '<svg x="{}%" y="0" width="{}%" height="{height}" viewBox="0 0 1000 {height}"'
        ' preserveAspectRatio="none">'
        '<polyline points="{}" fill="none" stroke="currentColor" stroke-width="2"'
        ' vector-effect="non-scaling-stroke"/></svg>'
    ).format(short(_LEFT), short(_WIDTH), points, height=height)
