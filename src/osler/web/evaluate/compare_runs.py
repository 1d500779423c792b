"""Two to eight runs compared: every figure and every refusal is that of `osler compare`."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from itertools import combinations
from typing import Annotated, Any, Final, NamedTuple

from fastapi import APIRouter, Query

from osler.core.measure import Measure
from osler.errors import BadInput
from osler.reports.sentences import verdict
from osler.runs.run import protocol_of
from osler.stats.intervals import Estimate, bounds
from osler.stats.paired import Difference
from osler.stats.ranks import told_apart
from osler.store.records import RunInfo
from osler.studies.case_matrix import CaseMatrix, Show, Sort, Wanted
from osler.studies.compare import (
    FAMILIES,
    Compared,
    Comparison,
    shown_first,
)
from osler.studies.rating.human_anchor import human_anchor
from osler.web.evaluate.compare_runs_schemas import (
    CaseWorlds,
    MatrixCell,
    MatrixPage,
    MatrixRow,
    Outcome,
    PassPower,
    PointsBand,
    RunCosts,
    RunPair,
    RunRank,
    RunsCompared,
    ScoreChoice,
    ScoreGap,
    ShowCount,
    WorldPlace,
    WorldRow,
)
from osler.web.evaluate.run_costs import Spent, costs_of
from osler.web.evaluate.run_set_ups import set_up_lines
from osler.web.evaluate.run_words import run_line, store_flag, told
from osler.web.evaluate.runs import figure_of, used_by
from osler.web.evaluate.runs_laid import MOST, Laid, holds_people, key_of, laid_of, runs_seen, store_of
from osler.web.evaluate.schemas import Count, Figure
from osler.web.house import House, TheHouse
from osler.web.lookups import RunCache, packed, unpacked
from osler.web.problems import NotFound
from osler.web.rights import Visitor, needs
from osler.web.watch.seeing import Looking, Onlooker, VisibleRun

MOST_WORLDS: Final = 200
router = APIRouter()
Names = Annotated[list[str], Query(alias="run", max_length=20)]
Scores = Annotated[list[str], Query(alias="score", max_length=20)]
Text = Annotated[str, Query(max_length=200)]
Bound = Annotated[float | None, Query(allow_inf_nan=False)]
RunPlace = Annotated[int | None, Query(ge=0, lt=MOST)]


@router.get("/compare-runs", dependencies=[needs("watch")])
async def compare_runs(
    house: TheHouse,
    looking: Looking,
    names: Names,
    scores: Scores = [],  # noqa: B006 - read only
) -> RunsCompared:
    """Runs compared, the first of them the baseline, by these scores, the primary one first; without any by
    the headline and those that stand beside it."""

    def work() -> RunsCompared:
        seens = runs_seen(looking, names)
        return _compared(house, looking, seens, scores)

    return await house.long_work.run(looking.asking.id, work)


@router.get("/compare-runs/costs", dependencies=[needs("watch")])
async def costs(house: TheHouse, looking: Looking, names: Names) -> RunCosts:
    """Money, tokens and time of runs beside their headline."""

    def work() -> RunCosts:
        seens = runs_seen(looking, names)
        room: RunCache[RunCosts] = house.rooms.setdefault("evaluate.costs", RunCache())
        return room.get(*key_of(seens), lambda: _costs(house, looking, seens), people=holds_people(seens))

    return await house.long_work.run(looking.asking.id, work)


class Asked(NamedTuple):
    """A browser's query for a page of cases."""

    wanted: Wanted
    sort: Sort
    cursor: str
    limit: int


@router.get("/compare-runs/cases", dependencies=[needs("watch")])
def cases(
    house: TheHouse,
    looking: Looking,
    names: Names,
    show: Show = "all",
    better: RunPlace = None,
    worse: RunPlace = None,
    specialty: Text = "",
    ending: Text = "",
    least: Bound = None,
    most: Bound = None,
    q: Text = "",
    sort: Sort = "case",
    cursor: Annotated[str, Query(max_length=200)] = "",
    limit: Annotated[int, Query(ge=1, le=500)] = 200,
) -> MatrixPage:
    """The cases that runs played, with a cell for each run; `better` and `worse` are places of runs, of which
    the one is better than the other in a world that both played."""
    seens = runs_seen(looking, names)
    laid = laid_of(house, looking, seens)
    _check_places(laid, better, worse)
    wanted = Wanted(show, better, worse, specialty, ending, least, most, q)
    return _page(laid, Asked(wanted, sort, cursor, limit))


@router.get("/compare-runs/cases/{case}", dependencies=[needs("watch")])
def worlds(house: TheHouse, looking: Looking, case: str, names: Names) -> CaseWorlds:
    """The worlds of a case, by its content hash, with the episode of each run."""
    seens = runs_seen(looking, names)
    matrix = laid_of(house, looking, seens).matrix
    try:
        name, total = matrix.case_at(case)
    except KeyError:
        raise NotFound("none of these runs has played this case", where=case[:100]) from None
    rows = [
        WorldRow(world=words, runs=[WorldPlace(**place._asdict()) for place in places])
        for words, places in matrix.worlds(case, MOST_WORLDS)
    ]
    return CaseWorlds(case=name, hash=case, total=total, worlds=rows)


# Comparing


def _compared(
    house: House, looking: Onlooker, seens: Sequence[VisibleRun], scores: Sequence[str]
) -> RunsCompared:
    laid, asking = laid_of(house, looking, seens, scores), looking.asking
    runs = [one.run for one in seens]
    protocol, comparisons = protocol_of(runs[0]), laid.comparisons
    set_up, alike = set_up_lines(runs, laid.judge, laid.versions, asking)
    places = combinations(range(len(runs)), 2)
    pairs = zip(places, comparisons.pairs, strict=True)
    by_name = {run.name: place for place, run in enumerate(runs)}
    usual = shown_first(protocol)
    return RunsCompared(
        runs=[run_line(run, (), asking) for run in runs],
        set_up=set_up,
        alike=alike,
        judge=laid.judge,
        figures=[_figures(laid, place) for place in range(len(runs))],
        pairs=[_pair(place, pair, laid, asking) for place, pair in pairs],
        ranks=[RunRank(rank=one.rank, low=one.low, high=one.high) for one in comparisons.ranks],
        passes=[
            PassPower(**one.model_dump(exclude={"run"}), run=by_name[one.run]) for one in comparisons.passes
        ],
        adjusted=FAMILIES,
        choices=[
            ScoreChoice(name=one.name, words=one.words)
            for one in protocol.measures
            if one.name not in usual and not one.traced
        ],
        anchor=human_anchor(runs, store_of(house, looking, seens)).line,
        label=protocol.label(runs[0].manifest["configuration"]),
        command=_command(house, asking, runs, scores),
    )


def _command(house: House, asking: Visitor, runs: Sequence[RunInfo], scores: Sequence[str]) -> str:
    named = [f"--score {shlex.quote(score)}" for score in scores]
    words = ["osler compare", *(shlex.quote(run.name) for run in runs), *named]
    return " ".join(words) + store_flag(house.store, asking)


def _figures(laid: Laid, place: int) -> list[Figure]:
    """A run's own figures; bounds in place of a headline with too many unscored."""
    return [
        _own_figure(measure, laid.estimates[place][measure.name], first=not at)
        for at, measure in enumerate(laid.measures)
    ]


def _own_figure(measure: Measure, found: Estimate, *, first: bool) -> Figure:
    ends = (
        bounds((found.value or 0.0) * found.n, found.n, found.unscored) if first and measure.share else None
    )
    return figure_of(measure, found, ends)


def _pair(place: tuple[int, int], pair: Comparison, laid: Laid, asking: Visitor) -> RunPair:
    measure, count = laid.comparisons.measure, len(laid.comparisons.pairs)
    outcome: Outcome = "refused"
    sentence = ""
    if pair.scores:
        gap = pair.scores[0].difference
        outcome = _outcome(measure, gap)
        sentence = verdict(measure, pair.first, pair.second, gap, count)
    return RunPair(
        first=place[0],
        second=place[1],
        outcome=outcome,
        sentence=sentence,
        refused=[told(asking, reason) for reason in pair.refused],
        unpaired=pair.unpaired,
        scores=[_gap(one) for one in pair.scores],
    )


def _outcome(measure: Measure, gap: Difference) -> Outcome:
    if gap.value is None:
        return "nothing in common"
    if gap.bounds is not None:
        return "bounds"
    if gap.low is None and gap.value:
        return "no interval"
    if not told_apart(gap):
        return "tie"
    if measure.better == "neither":
        return "differs"
    return "better" if (gap.value > 0) == (measure.better == "more") else "worse"


def _gap(one: Compared) -> ScoreGap:
    gap = one.difference
    names = ("value", "low", "high", "p", "p_holm", "n_pairs", "cases", "unscored", "bounds", "method")
    held = {name: getattr(gap, name) for name in names}
    return ScoreGap(score=one.score, first_mean=gap.first, second_mean=gap.second, **held)


# Case by case


def _check_places(laid: Laid, better: int | None, worse: int | None) -> None:
    """Raise BadInput for runs that are not there, or that must not be compared."""
    if better is None or worse is None:
        return
    if max(better, worse) >= laid.matrix.runs or better == worse:
        raise BadInput("there are no such two runs", where="better", hint="choose two of these runs")
    place = (min(better, worse), max(better, worse))
    if place in laid.apart:
        at = list(combinations(range(laid.matrix.runs), 2)).index(place)
        raise BadInput("; ".join(laid.comparisons.pairs[at].refused), where="better")


def _page(laid: Laid, asked: Asked) -> MatrixPage:
    matrix = laid.matrix
    first = unpacked(asked.cursor, int)[0] if asked.cursor else 0
    places = matrix.places(asked.wanted, asked.sort)
    end = max(0, first) + asked.limit
    rows = [
        MatrixRow(**row._asdict() | {"cells": [MatrixCell(**one._asdict()) for one in row.cells]})
        for row in matrix.rows(places[max(0, first) : end])
    ]
    facets: dict[str, Any] = {} if asked.cursor else _facets(matrix)
    return MatrixPage(
        items=rows,
        next=packed(end) if end < len(places) else None,
        total=len(places),
        right_or_wrong=matrix.right_or_wrong,
        score=matrix.measure.words,
        kind=matrix.measure.kind,
        **facets,
    )


def _facets(matrix: CaseMatrix) -> dict[str, Any]:
    return {
        "shows": [ShowCount(show=show, count=count) for show, count in matrix.counts().items()],
        "specialties": [Count(value=name, count=count) for name, count in matrix.specialties().items()],
        "endings": [Count(value=name, count=count) for name, count in sorted(matrix.endings().items())],
        "bands": [PointsBand(low=low, high=high) for low, high in matrix.bands()],
    }


# What it cost


def _costs(house: House, looking: Onlooker, seens: Sequence[VisibleRun]) -> RunCosts:
    laid = laid_of(house, looking, seens)
    store, headline = store_of(house, looking, seens), laid.measures[0]
    runs = [
        Spent(
            _figures(laid, at)[0],
            laid.episodes[at],
            used_by(one.run, store, house.models),
            (0, at) in laid.apart,
        )
        for at, one in enumerate(seens)
    ]
    return RunCosts(score=headline.words, kind=headline.kind, runs=costs_of(runs, headline))
