"""The consultation-only sections of a report: kinds of task, manager's scores, communication, cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from markupsafe import Markup

from osler.core.trace import Trace
from osler.protocols.consultation.frontier import Place, frontier
from osler.protocols.consultation.judge.communication import MEANINGS, communication
from osler.protocols.consultation.measures import KIND, MANAGER, MEASURES
from osler.reports import plots
from osler.reports.cells import Cell, cell, counted_of, number, right_cell, sure
from osler.reports.html import letters_of, marks_of, reasons_of, rows_of
from osler.reports.page import clipped, page_template
from osler.reports.plots import Point
from osler.reports.run_report import RunReport, Section
from osler.stats.intervals import ClusterSums, Estimate, ratio_interval

_MOST_DOTS = 300
_MEASURE: Final = {measure.name: measure for measure in MEASURES}


class Consulted(NamedTuple):
    """The consultation-only results of a run: communication figures by indicator over `heard` episodes, and
    the mean cost of each case by its hash, in tariff points."""

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
        "kinds": rows_of(runs, lambda run: {k: right_cell(v.headline) for k, v in run.groups[KIND].items()}),
        "chances": rows_of(
            runs, lambda run: {k: number(v.chance, True) for k, v in run.groups[KIND].items() if v.chance}
        ),
        "manager": rows_of(runs, _manager),
        "manager_means": {words: _MEASURE[name].means for words, name in MANAGER.items()},
        "why_not": {words: reasons_of(runs, _MEASURE[name]) for words, name in MANAGER.items()},
        "talk": rows_of(runs, lambda run: {MEANINGS[k]: counted_of(v) for k, v in run.own.talk.items()}),
        "places": [place and shown_place(place) for place in places],
        "shared": shared,
        "scatter": _scatter(runs, places),
        "clipped": clipped,
    }
    template = page_template("report_consultation.html.j2", __package__)
    return [
        Section(anchor, heading, Markup(template.render(part=anchor, **values)))  # noqa: S704 - our template
        for anchor, heading in (
            ("kinds", "By kind of task"),
            ("manager", "The manager's scores"),
            ("talk", "How the doctor talked"),
            ("cost", "Points against accuracy"),
        )
    ]


def _manager(run: RunReport) -> dict[str, Cell]:
    result = {words: (_MEASURE[name], run.measures[name]) for words, name in MANAGER.items()}
    return {
        words: right_cell(each) if measure is MEASURES[0] else cell(each, measure.share)
        for words, (measure, each) in result.items()
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
    return plots.scatter(whole, cases, "mean tariff points", "answered correctly", on)


def _point(cost: Estimate, right: Estimate) -> Point | None:
    if cost.value is None or right.value is None or sure(right) is None:
        return None
    return Point(cost.value, right.value, _range(cost), _range(right))


def _range(estimate: Estimate) -> tuple[float, float] | None:
    return None if estimate.low is None or estimate.high is None else (estimate.low, estimate.high)


class FrontierRow(NamedTuple):
    """A run's row in the frontier table, as text."""

    cost: Cell
    right: Cell
    per_correct: Cell
    more: Cell | None
    on: str
    beaten_by: tuple[int, ...]
    stays: str | None


def shown_place(place: Place) -> FrontierRow:
    """Format a place as text."""
    return FrontierRow(
        cost=cell(place.cost, False)._replace(counts=f"{place.cost.n:,} cases"),
        right=cell(place.right, True)._replace(counts=f"{place.right.n:,} cases"),
        per_correct=cell(place.per_correct, False)._replace(counts=f"{place.per_correct.n:,} right"),
        more=None
        if place.more is None
        else cell(place.more, False)._replace(counts=f"{place.more.n:,} cases"),
        on="yes" if place.on else "no",
        beaten_by=place.beaten_by,
        stays=None if place.stays is None else number(place.stays, True),
    )


def right_of(run: RunReport) -> Estimate:
    """Return the share of a run's consultations that were answered correctly."""
    return run.measures["correct"]


def places_of(runs: Sequence[RunReport]) -> tuple[list[Place | None], int]:
    """Return each run's place on the frontier, and the number of cases shared; `None` for a run that has no
    headline or was given the answer."""
    in_it = [n for n, run in enumerate(runs) if not run.privileged and sure(right_of(run)) is not None]
    if len(in_it) < 2:
        return [None] * len(runs), 0
    by_case = [
        {
            case.hash: (runs[n].own.costs[case.hash], case.found.value)
            for case in runs[n].cases
            if case.hash in runs[n].own.costs and case.found.value is not None
        }
        for n in in_it
    ]
    result, shared = frontier(by_case)
    # `beaten_by` holds indexes among the runs compared; readers need indexes among all runs.
    places = [place._replace(beaten_by=tuple(in_it[other] for other in place.beaten_by)) for place in result]
    of = dict(zip(in_it, places, strict=False))
    return [of.get(n) for n in range(len(runs))], shared


class Talk:
    """Running totals of the communication indicators by content hash of the case; any order will do."""

    def __init__(self) -> None:
        self._met, self._of = ClusterSums(len(MEANINGS)), ClusterSums(len(MEANINGS))

    @property
    def heard(self) -> int:
        """The number of episodes counted."""
        return self._met.episodes

    def add(self, case_hash: str, trace: Trace) -> None:
        """Count one episode."""
        result = communication(trace).values()
        self._met.add(case_hash, [float(one.met) for one in result])
        self._of.add(case_hash, [float(one.of) for one in result])

    def figures(self) -> dict[str, Estimate]:
        """Return each indicator over all episodes; its `n` counts questions, turns or encounters."""
        met, of = self._met.arrays()[0], self._of.arrays()[0]
        return {
            name: ratio_interval(met[:, place], of[:, place], proportion=True)
            for place, name in enumerate(MEANINGS)
        }
