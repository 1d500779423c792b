"""Runs as one HTML file, side by side. It needs no script and asks the network for nothing.

The same reports give the same bytes: the only times in it are those of the runs. Everything written by
others is escaped, and a long text is cut where it would drown the page.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple, TypeVar

from markupsafe import Markup

from osler.judging.communication import MEANINGS
from osler.judging.scores import MANAGER
from osler.judging.statistics import Estimate
from osler.reports import plots
from osler.reports.by_case import CaseFigures
from osler.reports.cells import Cell, cell, counted_of, from_to, gain_cell, right_cell, sure
from osler.reports.frontier import Place
from osler.reports.html_frontier import places_of, shown_place
from osler.reports.page import clipped, page_template
from osler.reports.plots import Point
from osler.reports.run_report import NOT_STATED, Control, RunReport
from osler.reports.summary import SHARES, Interval
from osler.reports.tables import number

T = TypeVar("T")

MOST_CASES: Final = 100
"""Cases shown one by one; of more, those with the lowest shares."""
_MOST_DOTS: Final = 300
_LABEL: Final = 60
_TOKENS: Final = (
    "replies",
    "calls",
    "prompt_tokens",
    "completion_tokens",
    "cached_tokens",
    "reasoning_tokens",
)
_LOOKS: Final = {
    "opening": "the opening only",
    "task.options": "the options only",
    "findings": "which tests exist only",
    "facts": "the order of the facts only",
}


class _CaseLine(NamedTuple):
    """A case with what each run made of it."""

    label: str
    specialty: str
    plot: Markup
    cells: list[Cell | None]


def report_html(runs: Sequence[RunReport]) -> str:
    """The page, in the order of the runs; at most `plots.MOST_RUNS` of them."""
    lines, left_out = _case_lines(runs)
    places, shared = places_of(runs)
    return page_template("report.html.j2").render(
        runs=runs,
        letters=[chr(ord("A") + place) for place in range(len(runs))],
        marks=[plots.mark(place) for place in range(len(runs))],
        settings=_rows(runs, lambda run: run.configuration),
        graders=[", ".join(f"{name}: {n:,}" for name, n in run.graders.items()) for run in runs],
        ended=_rows(runs, lambda run: {k: _share_of(n, run) for k, n in run.summary.ended.items()}),
        as_if=[run.as_if and from_to(run.as_if) for run in runs],
        accuracy=[right_cell(run.summary.accuracy) for run in runs],
        kinds=_rows(runs, lambda run: {k: right_cell(v) for k, v in run.summary.by_kind.items()}),
        chances=_rows(
            runs,
            lambda run: {k: number(v.chance, True) for k, v in run.summary.by_kind.items() if v.chance},
        ),
        because=_rows(runs, _because),
        control_rights=_rows(
            runs, lambda run: {k: right_cell(row.right) for k, row in _controls(run).items()}
        ),
        control_gains=_rows(runs, lambda run: {k: gain_cell(row.gain) for k, row in _controls(run).items()}),
        looked_at={k: row.looks_at for run in runs for k, row in _controls(run).items() if row.looks_at},
        looks=lambda at: _LOOKS.get(at, at),
        manager=_rows(runs, _manager),
        process=_rows(runs, _figures),
        talk=_rows(runs, lambda run: {MEANINGS[k]: counted_of(v) for k, v in run.talk.items()}),
        places=[place and shown_place(place) for place in places],
        shared=shared,
        specialties=_rows(runs, lambda run: {k: right_cell(v) for k, v in run.specialties.items()}),
        specialty_known=any(set(run.specialties) - {NOT_STATED} for run in runs),
        cases=lines,
        cases_left_out=left_out,
        axis=plots.forest_axis(),
        headline_plot=plots.forest([sure(run.summary.accuracy) for run in runs]),
        scatter=_scatter(runs, places),
        tokens=_TOKENS,
        used=[[(seat, name, row) for seat, e in run.used.items() for name, row in e.items()] for run in runs],
        number=number,
        clipped=clipped,
        label=" ".join(dict.fromkeys(run.summary.label for run in runs)),
    )


def _rows(
    runs: Sequence[RunReport], of: Callable[[RunReport], dict[str, T]]
) -> list[tuple[str, list[T | None]]]:
    """What `of` says of each run, by name: each name that any run has, in order, with a value a run."""
    said = [of(run) for run in runs]
    names = dict.fromkeys(name for each in said for name in each)
    return [(name, [each.get(name) for each in said]) for name in names]


def _manager(run: RunReport) -> dict[str, Cell]:
    scores = run.summary.process
    return {
        words: right_cell(run.summary.accuracy) if name == "correct" else cell(scores[name], name in SHARES)
        for words, name in MANAGER.items()
    }


def _figures(run: RunReport) -> dict[str, Cell]:
    found = {**run.summary.process, "cost_per_correct": run.summary.cost_per_correct}
    shown = {name: figure for name, figure in found.items() if name not in MANAGER.values()}
    return {name.replace("_", " "): cell(figure, name in SHARES) for name, figure in shown.items()}


def _because(run: RunReport) -> dict[str, str]:
    """Why scores are missing: the reasons with their counts, by score."""
    return {
        name.replace("_", " "): ", ".join(f"{why.replace('_', ' ')} {count:,}" for why, count in held.items())
        for name, held in run.summary.unscored_because.items()
    }


def _controls(run: RunReport) -> dict[str, Control]:
    return {row.name: row for row in run.controls.rows} if run.controls else {}


def _share_of(count: int, run: RunReport) -> str:
    return f"{count:,} ({number(count / run.summary.episodes, True)})"


def _case_lines(runs: Sequence[RunReport]) -> tuple[list[_CaseLine], int]:
    """The cases with the lowest shares first, each as every run met it, and how many were left out."""
    by_hash: dict[str, list[CaseFigures | None]] = {}
    for place, run in enumerate(runs):
        for figures in run.cases:
            by_hash.setdefault(figures.hash, [None] * len(runs))[place] = figures
    ordered = sorted(by_hash.items(), key=lambda entry: _lowest_first(entry[1]))
    shown = ordered[:MOST_CASES]
    doubled = Counter(_id_of(found) for _, found in shown)
    lines = []
    for key, found in shown:
        case_id = _id_of(found)
        label = clipped(case_id, _LABEL) + (f" [{key[:6]}]" if doubled[case_id] > 1 else "")
        specialty = next(run.specialty_of[key] for run in runs if key in run.specialty_of)
        rights = [figures and figures.right for figures in found]
        cells = [each and right_cell(each) for each in rights]
        lines.append(
            _CaseLine(
                label,
                clipped(specialty, _LABEL),
                plots.forest([each and sure(each) for each in rights]),
                cells,
            )
        )
    return lines, len(ordered) - len(shown)


def _lowest_first(found: Sequence[CaseFigures | None]) -> tuple[float, str, str]:
    shares = [each.right.value for each in found if each and each.right.value is not None]
    first = next(each for each in found if each)
    return (sum(shares) / len(shares) if shares else 2.0, first.id, first.hash)


def _id_of(found: Sequence[CaseFigures | None]) -> str:
    return next(each.id for each in found if each)


def _scatter(runs: Sequence[RunReport], places: Sequence[Place | None]) -> Markup:
    """Runs over their cases, joined along the frontier where there is one; then over the shared cases."""
    whole = [
        _point(place.cost, place.right)
        if place
        else _point(run.summary.process["cost"], run.summary.accuracy)
        for run, place in zip(runs, places, strict=True)
    ]
    cases = [
        [
            Point(each.cost, each.right.value)
            for each in run.cases[:_MOST_DOTS]
            if each.cost is not None and each.right.value is not None
        ]
        for run in runs
    ]
    on = [n for n, place in enumerate(places) if place and place.on]
    return plots.scatter(whole, cases, "mean cost in tariff points", "answered rightly", on)


def _point(cost: Estimate | Interval, right: Estimate | Interval) -> Point | None:
    if cost.value is None or right.value is None or sure(right) is None:
        return None
    return Point(cost.value, right.value, _range(cost), _range(right))


def _range(found: Estimate | Interval) -> tuple[float, float] | None:
    return None if found.low is None or found.high is None else (found.low, found.high)
