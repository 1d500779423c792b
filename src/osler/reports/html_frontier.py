"""The Pareto frontier of cost and accuracy, formatted for the HTML report."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from osler.judging.statistics import Estimate
from osler.reports.cells import Cell, cell, sure
from osler.reports.frontier import Place, frontier
from osler.reports.run_report import RunReport
from osler.reports.tables import number


class Shown(NamedTuple):
    """A run's row in the frontier table, as text."""

    cost: Cell
    right: Cell
    per_correct: Cell
    more: Cell | None
    on: str
    beaten_by: tuple[int, ...]
    stays: str | None


def shown_place(place: Place) -> Shown:
    """Format a place as text."""
    return Shown(
        cost=cell(place.cost, False)._replace(counts=f"{place.cost.n:,} cases"),
        right=cell(place.right, True)._replace(counts=f"{place.right.n:,} cases"),
        per_correct=cell(place.per_correct, False)._replace(counts=f"{place.per_correct.n:,} right"),
        more=place.more and cell(place.more, False)._replace(counts=f"{place.more.n:,} cases"),
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
    found, shared = frontier(by_case)
    # `beaten_by` holds indexes among the runs compared; readers need indexes among all runs.
    named = [place._replace(beaten_by=tuple(in_it[other] for other in place.beaten_by)) for place in found]
    of = dict(zip(in_it, named, strict=False))
    return [of.get(n) for n in range(len(runs))], shared
