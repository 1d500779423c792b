"""The cases of a report one by one, worst first, with each run's result on them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final, NamedTuple

from markupsafe import Markup

from osler.core.measure import Measure
from osler.reports import plots
from osler.reports.by_case import CaseFigures
from osler.reports.cells import Cell, cell, right_cell, sure
from osler.reports.page import clipped
from osler.reports.run_report import RunReport
from osler.stats.intervals import Estimate

MOST_CASES: Final = 100
"""The most cases shown one by one; if there are more, the worst are shown."""
_LABEL: Final = 60


class CaseLine(NamedTuple):
    """A case with each run's result on it."""

    label: str
    specialty: str
    plot: Markup
    cells: list[Cell | None]


def figure_cell(measure: Measure, found: Estimate) -> Cell:
    """Return the cell of a figure; for a proportion with more than 5 % unscored, its bounds instead."""
    return right_cell(found) if measure.interval == "proportion" else cell(found, measure.share)


def scale_of(measure: Measure, runs: Sequence[RunReport]) -> tuple[float, float]:
    """Return the ends of the headline's axis: its range if it is bounded, otherwise that of its values."""
    if measure.share:
        return 0.0, 1.0
    ends = [
        end
        for run in runs
        for one in (run.measures[measure.name], *(case.found for case in run.cases))
        for end in (one.value, one.low, one.high)
        if end is not None
    ]
    least = measure.least if measure.least > -plots.LARGEST else min([0.0, *ends])
    most = measure.most if measure.most < plots.LARGEST else max([1.0, *ends])
    return max(least, -plots.LARGEST), min(most, plots.LARGEST)


def drawn(measure: Measure, found: Estimate | None) -> Estimate | None:
    """Return the figure if it may be drawn: `None` for a share of which more than 5 % is unscored."""
    if found is None or not measure.share:
        return found
    return found if sure(found) else None


def case_lines(runs: Sequence[RunReport], headline: Measure) -> tuple[list[CaseLine], int]:
    """Return the cases, worst first, each with every run's result, and the number left out."""
    by_hash: dict[str, list[CaseFigures | None]] = {}
    for place, run in enumerate(runs):
        for figures in run.cases:
            by_hash.setdefault(figures.hash, [None] * len(runs))[place] = figures
    sign = -1.0 if headline.better == "less" else 1.0
    ordered = sorted(by_hash.items(), key=lambda entry: _worst_first(entry[1], sign))
    shown = ordered[:MOST_CASES]
    doubled = Counter(_id_of(found) for _, found in shown)
    scale = scale_of(headline, runs)
    lines = []
    for key, found in shown:
        case_id = _id_of(found)
        label = clipped(case_id, _LABEL) + (f" [{key[:6]}]" if doubled[case_id] > 1 else "")
        specialty = next(run.specialty_of[key] for run in runs if key in run.specialty_of)
        values = [figures and figures.found for figures in found]
        cells = [None if each is None else figure_cell(headline, each) for each in values]
        plot = plots.forest([drawn(headline, each) for each in values], *scale)
        lines.append(CaseLine(label, clipped(specialty, _LABEL), plot, cells))
    return lines, len(ordered) - len(shown)


def _worst_first(found: Sequence[CaseFigures | None], sign: float) -> tuple[bool, float, str, str]:
    values = [each.found.value for each in found if each and each.found.value is not None]
    first = next(each for each in found if each)
    mean = sum(values) / len(values) if values else 0.0
    return (not values, sign * mean, first.id, first.hash)


def _id_of(found: Sequence[CaseFigures | None]) -> str:
    return next(each.id for each in found if each)
