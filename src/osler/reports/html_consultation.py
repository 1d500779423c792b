"""The consultation-only sections of a report: kinds of task, manager's scores, communication, cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from markupsafe import Markup

from osler.judging.communication import MEANINGS
from osler.judging.scores import MANAGER
from osler.judging.statistics import Estimate
from osler.reports import plots
from osler.reports.cells import Cell, cell, counted_of, right_cell, sure
from osler.reports.frontier import Place
from osler.reports.html import letters_of, marks_of, rows_of
from osler.reports.html_frontier import places_of, right_of, shown_place
from osler.reports.page import clipped, page_template
from osler.reports.plots import Point
from osler.reports.run_report import RunReport, Section
from osler.reports.summary import SHARES, Interval, KindAccuracy
from osler.reports.tables import number

_MOST_DOTS = 300


class Consulted(NamedTuple):
    """The consultation-only results of a run: accuracy by kind of task, communication figures by indicator
    over `heard` episodes, and the mean cost of each case by its hash, in tariff points."""

    kinds: Mapping[str, KindAccuracy]
    talk: Mapping[str, Estimate]
    heard: int
    costs: Mapping[str, float]


def sections_of(runs: Sequence[RunReport]) -> list[Section]:
    """Return the sections in order; each run's `own` must be a `Consulted`."""
    places, shared = places_of(runs)
    values: dict[str, Any] = {
        "runs": runs,
        "letters": letters_of(runs),
        "marks": marks_of(runs),
        "kinds": rows_of(runs, lambda run: {k: right_cell(v) for k, v in run.own.kinds.items()}),
        "chances": rows_of(
            runs, lambda run: {k: number(v.chance, True) for k, v in run.own.kinds.items() if v.chance}
        ),
        "manager": rows_of(runs, _manager),
        "talk": rows_of(runs, lambda run: {MEANINGS[k]: counted_of(v) for k, v in run.own.talk.items()}),
        "places": [place and shown_place(place) for place in places],
        "shared": shared,
        "scatter": _scatter(runs, places),
        "clipped": clipped,
    }
    template = page_template("report_consultation.html.j2")
    return [
        Section(anchor, heading, Markup(template.render(part=anchor, **values)))  # noqa: S704 - our template
        for anchor, heading in (
            ("kinds", "By kind of task"),
            ("manager", "The manager's scores"),
            ("talk", "How the doctor talked"),
            ("cost", "Cost against accuracy"),
        )
    ]


def _manager(run: RunReport) -> dict[str, Cell]:
    return {
        words: right_cell(right_of(run)) if name == "correct" else cell(run.measures[name], name in SHARES)
        for words, name in MANAGER.items()
    }


def _scatter(runs: Sequence[RunReport], places: Sequence[Place | None]) -> Markup:
    """Draw runs over their cases; if there is a frontier, its runs are joined, and placed by shared cases."""
    whole = [
        _point(place.cost, place.right) if place else _point(run.measures["cost"], right_of(run))
        for run, place in zip(runs, places, strict=True)
    ]
    cases = [
        [
            Point(run.own.costs[each.hash], each.found.value)
            for each in run.cases[:_MOST_DOTS]
            if each.hash in run.own.costs and each.found.value is not None
        ]
        for run in runs
    ]
    on = [n for n, place in enumerate(places) if place and place.on]
    return plots.scatter(whole, cases, "mean cost in tariff points", "answered correctly", on)


def _point(cost: Estimate | Interval, right: Estimate | Interval) -> Point | None:
    if cost.value is None or right.value is None or sure(right) is None:
        return None
    return Point(cost.value, right.value, _range(cost), _range(right))


def _range(found: Estimate | Interval) -> tuple[float, float] | None:
    return None if found.low is None or found.high is None else (found.low, found.high)
