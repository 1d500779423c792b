"""Forest and scatter plots as inline SVG: no script, no style of their own, all text escaped.

Horizontal positions are percentages of the width, so a plot fits a phone and its text keeps its size. Runs
are told apart by the shape of their marks as well as by colour, which the page gives to the class `rN`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from math import floor, isfinite, log10
from typing import Final, NamedTuple

from markupsafe import Markup

from osler.reports.svg import SHAPES, line, mark_at, picture, short, words
from osler.stats.intervals import Estimate

ROW: Final = 20
"""Height of one run's line in a forest plot, in pixels."""
MOST_RUNS: Final = len(SHAPES)
_EDGE, _SPAN = 5.0, 90.0
LARGEST: Final = 1e12
_QUARTERS: Final = (0, 0.25, 0.5, 0.75, 1)
_LEFT, _WIDTH, _TOP, _HEIGHT = 11.0, 85.0, 14.0, 260.0


class Point(NamedTuple):
    """One mark of a scatter plot, with its interval on each axis where there is one."""

    x: float
    y: float
    x_range: tuple[float, float] | None = None
    y_range: tuple[float, float] | None = None


def mark(run: int) -> Markup:
    """Return the mark of run number `run`, sized for a line of text."""
    return Markup('<svg class="mark r{}" width="14" height="14" aria-hidden="true">{}</svg>').format(
        run, mark_at(run, 50.0, 7.0)
    )


def forest(estimates: Sequence[Estimate | None], least: float = 0.0, most: float = 1.0) -> Markup:
    """Draw a forest plot on an axis from `least` to `most`: a line per run, with its interval and its mark at
    the value."""

    def at(value: float) -> float:
        return _across((value - least) / (most - least))

    height = ROW * len(estimates)
    lines = [line("grid", (_across(part), _across(part)), (0.0, height)) for part in _QUARTERS]
    for run, result in enumerate(estimates):
        if result is None or result.value is None or not isfinite(result.value):
            continue
        y = ROW * (run + 0.5)
        drawn = [mark_at(run, at(result.value), y)]
        ends = () if result.low is None or result.high is None else (result.low, result.high)
        if ends and all(map(isfinite, ends)):
            drawn.insert(0, line("", (at(ends[0]), at(ends[1])), (y, y)))
        lines.append(Markup('<g class="r{}">{}</g>').format(run, Markup().join(drawn)))
    return picture(ROW * len(estimates), lines)


def forest_axis(least: float = 0.0, most: float = 1.0, *, share: bool = True) -> Markup:
    """Draw the axis under a forest plot, in percentages if it is of a `share`."""
    ends = [(part, least + part * (most - least)) for part in _QUARTERS]
    pairs = [(part, f"{value:.0%}" if share else f"{round(value, 3) + 0.0:.3g}") for part, value in ends]
    return picture(18, [words(text, _across(part), 13, "middle") for part, text in pairs])


def scatter(
    runs: Sequence[Point | None],
    cases: Sequence[Iterable[Point]],
    x_name: str,
    y_name: str,
    frontier: Sequence[int] = (),
) -> Markup:
    """Draw a scatter plot: a mark per run with both intervals over faint dots of its cases; y is 0 to 1.

    The runs on the `frontier` (Pareto) are joined by a step line.
    """
    faint = [[point for point in points if _drawable(point)] for points in cases]
    marks = [point if point and _drawable(point) else None for point in runs]
    ticks = _ticks(max([p.x for points in faint for p in points] + [_reach(p) for p in marks if p] + [0.0]))
    most = ticks[-1]
    drawn = [words(y_name, 0, 10, "start"), *_grid(ticks)]
    drawn.append(words(x_name, _LEFT + _WIDTH, _down(0) + 34, "end"))
    for run, points in enumerate(faint):
        dots = [_dot(_LEFT + _WIDTH * point.x / most, _down(point.y)) for point in points]
        drawn.append(Markup('<g class="faint r{}">{}</g>').format(run, Markup().join(dots)))
    edge = sorted((whole for run in frontier if (whole := marks[run])), key=lambda point: point[:2])
    for here, there in pairwise(edge):
        left, right = (_LEFT + _WIDTH * point.x / most for point in (here, there))
        drawn.append(line("edge", (left, right), (_down(here.y), _down(here.y))))
        drawn.append(line("edge", (right, right), (_down(here.y), _down(there.y))))
    for run, whole in enumerate(marks):
        if whole:
            drawn.append(Markup('<g class="r{}">{}</g>').format(run, _crossed(run, whole, most)))
    label = f"{y_name} against {x_name}"
    return picture(_down(0) + 40, drawn, label)


def _grid(ticks: Sequence[float]) -> Iterator[Markup]:
    """The lines of shares and of the ticks, with their numbers."""
    for share in (0, 0.25, 0.5, 0.75, 1):
        yield line("grid", (_LEFT, _LEFT + _WIDTH), (_down(share), _down(share)))
        yield words(f"{share:.0%}", _LEFT - 1, _down(share) + 4, "end")
    for tick in ticks:
        at = _LEFT + _WIDTH * tick / ticks[-1]
        yield line("grid", (at, at), (_down(1), _down(0)))
        yield words(f"{tick:,g}", at, _down(0) + 16, "middle")


def _crossed(run: int, point: Point, most: float) -> Markup:
    x, y = _LEFT + _WIDTH * point.x / most, _down(point.y)
    lines = []
    if point.x_range:
        low, high = (_LEFT + _WIDTH * end / most for end in point.x_range)
        lines.append(line("", (low, high), (y, y)))
    if point.y_range:
        lines.append(line("", (x, x), (_down(point.y_range[0]), _down(point.y_range[1]))))
    return Markup().join([*lines, mark_at(run, x, y)])


def _drawable(point: Point) -> bool:
    ends = (*(point.x_range or ()), *(point.y_range or ()))
    return all(isfinite(value) and 0 <= value <= LARGEST for value in (point.x, point.y, *ends))


def _reach(point: Point) -> float:
    return max(point.x, point.x_range[1]) if point.x_range else point.x


def _ticks(most: float) -> list[float]:
    """Return ticks from 0 up to the first at or past `most`, in steps of 1, 2 or 5 times a power of ten."""
    if most < 0.01:
        return [0.0, 1.0]
    power = 10.0 ** floor(log10(most / 4))
    step = next(times * power for times in (1, 2, 5, 10) if most <= 5 * times * power)
    count = next(n for n in range(1, 7) if n * step >= most)
    return [round(n * step, 9) for n in range(count + 1)]


def _across(share: float) -> float:
    return _EDGE + _SPAN * min(max(share, 0.0), 1.0)


def _down(share: float) -> float:
    return _TOP + 8 + _HEIGHT * (1 - min(max(share, 0.0), 1.0))


def _dot(x: float, y: float) -> Markup:
    return Markup('<circle cx="{}%" cy="{}" r="3"/>').format(short(x), short(y))
