"""The selection of a study's pictures: line plots over a numeric factor, radar charts over a named one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from markupsafe import Markup

from osler.core.measure import Measure
from osler.reports import study_plots
from osler.reports.page import clipped
from osler.reports.study_plots import FEWEST_AXES, MOST_SERIES, Axis, Dot, axis_over
from osler.reports.study_report import Factor, StudyReport, blocks, compared_factor, figures_of

_FEWEST_NUMBERS: Final = 2
_LABEL: Final = 40
_FIXED: Final = {"mark": (1.0, 4.0, 7.0, 10.0), "share": (0.0, 0.25, 0.5, 0.75, 1.0)}


class Pictures(NamedTuple):
    """The pictures of one kind. `keys` names their series in the order of their marks, `axes` the corners of
    a radar chart; `left_out` is the number of series beyond the maximum."""

    title: str
    keys: tuple[str, ...]
    axes: tuple[str, ...]
    drawn: tuple[tuple[str, Markup], ...]
    left_out: int


def line_pictures(report: StudyReport) -> Pictures | None:
    """Plot each main figure over the first numeric factor, with a line for each combination of the others;
    `None` without such a factor."""
    factor = next((each for each in report.factors if each.numeric), None)
    if factor is None or len(factor.levels) < _FEWEST_NUMBERS:
        return None
    series = _series(report, factor)

    def drawn(figure: str) -> Markup:
        dots = [
            [_dot(report, figure, name, float(level)) for level, name in rows] for rows in series.values()
        ]
        held = [end for one in dots for dot in one for end in dot[:3]]
        label = (
            f"{report.measures[figure].words} by {clipped(factor.name, _LABEL)}; the figures are in the table"
        )
        return study_plots.lines(
            dots, value_axis(report.measures[figure], held), label, clipped(factor.name, _LABEL)
        )

    return _pictures(report, factor, series, (), [(name, drawn(name)) for name in figures_of(report)[0]])


def radar_pictures(report: StudyReport) -> Pictures | None:
    """Draw radar charts over the levels of a named factor, other than the compared one, that has three or
    more; or over the marks if the compared factor is the only one. `None` if neither is possible."""
    compared = compared_factor(report)
    if compared is None or compared.numeric:
        return None
    others = [each for each in report.factors if each != compared]
    factor = next((each for each in others if not each.numeric and len(each.levels) >= FEWEST_AXES), None)
    if factor is not None:
        return _over_levels(report, factor)
    marked = len(_marks(report)) >= FEWEST_AXES
    return (
        None if others or not marked or len(compared.levels) < FEWEST_AXES else _over_marks(report, compared)
    )


def _marks(report: StudyReport) -> tuple[str, ...]:
    """Return the marks of the first table, which share a scale."""
    return tuple(name for name in report.main if report.measures[name].kind == "mark")


def value_axis(measure: Measure, held: Sequence[float | None]) -> Axis:
    """Return an axis for a figure: its whole scale if it has one, otherwise the range of the values."""

    def write(value: float) -> str:
        return f"{value:.0%}" if measure.share else f"{value:g}"

    ticks = _FIXED.get(measure.kind)
    return Axis(ticks, write) if ticks else axis_over(held, write)


def difference_axis(measure: Measure, held: Sequence[float | None]) -> Axis:
    """Return an axis for differences of a figure, symmetric about 0."""
    hundred = 100 if measure.share else 1
    return axis_over(held, lambda value: f"{value * hundred:+g}" if value else "0", even=True)


def _over_levels(report: StudyReport, factor: Factor) -> Pictures:
    series = _series(report, factor)

    def drawn(figure: str) -> Markup:
        rows = [dict(each) for each in series.values()]
        values = [
            [_dot(report, figure, row[level]).value if level in row else None for level in factor.levels]
            for row in rows
        ]
        axis = value_axis(report.measures[figure], [value for each in values for value in each])
        label = (
            f"{report.measures[figure].words} by {clipped(factor.name, _LABEL)}; the figures are in the table"
        )
        return study_plots.radar(values, axis, corners, label)

    corners = _without_shared(factor.levels)
    axes = tuple(f"{factor.name} {corner}" for corner in corners)
    return _pictures(report, factor, series, axes, [(name, drawn(name)) for name in _round(report)])


def _without_shared(levels: Sequence[str]) -> tuple[str, ...]:
    """Shorten levels such as doctor/recency/strong: drop parts common to all levels of as many parts."""
    split = [level.split("/") for level in levels]

    def own(parts: list[str]) -> str:
        alike = [each for each in split if len(each) == len(parts)]
        told = [part for place, part in enumerate(parts) if len({each[place] for each in alike}) > 1]
        return "/".join(told or parts)

    return tuple(map(own, split))


def _round(report: StudyReport) -> tuple[str, ...]:
    """Return the figures that are drawn as radar charts over the levels of a factor."""
    marks = _marks(report)
    return (report.main[0], *marks) if marks else report.main


def _over_marks(report: StudyReport, compared: Factor) -> Pictures:
    rows = [
        (level, name)
        for block in blocks(report, compared)
        for level, name in block.rows
        if compared.name in report.conditions[name].levels
    ]
    marks = _marks(report)
    values = [[_dot(report, mark, name).value for mark in marks] for _, name in rows[:MOST_SERIES]]
    names = tuple(report.measures[mark].words for mark in marks)
    drawn = study_plots.radar(
        values, value_axis(report.measures[marks[0]], []), names, "marks; the figures are in the table"
    )
    keys = tuple(f"{compared.name} {level}" for level, _ in rows[:MOST_SERIES])
    return Pictures(
        f"Marks by {compared.name}",
        keys,
        names,
        (("marks from 1 to 10", drawn),),
        max(len(rows) - MOST_SERIES, 0),
    )


def _series(report: StudyReport, factor: Factor) -> dict[str, tuple[tuple[str, str], ...]]:
    """Return the series over a factor, at most as many as there are marks; conditions outside the factorial
    design are left out."""
    crossed = [block for block in blocks(report, factor) if _crosses(report, factor, block.rows)]
    return {block.title: block.rows for block in crossed[:MOST_SERIES]}


def _crosses(report: StudyReport, factor: Factor, rows: Sequence[tuple[str, str]]) -> bool:
    return all(factor.name in report.conditions[name].levels for _, name in rows)


def _pictures(
    report: StudyReport,
    factor: Factor,
    series: dict[str, tuple[tuple[str, str], ...]],
    axes: tuple[str, ...],
    drawn: Sequence[tuple[str, Markup]],
) -> Pictures:
    many = sum(_crosses(report, factor, block.rows) for block in blocks(report, factor))
    titled = tuple((report.measures[name].words, picture) for name, picture in drawn)
    return Pictures(f"By {factor.name}", tuple(series), axes, titled, many - len(series))


def _dot(report: StudyReport, figure: str, name: str, x: float = 0.0) -> Dot:
    result = report.conditions[name].figure(report.measures[figure])
    return Dot(result.value, result.low, result.high, x)
