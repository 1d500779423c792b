"""Runs and their judges: the figures under each, and how far they agree."""

from __future__ import annotations

from typing import Final

from fastapi import APIRouter

from osler.errors import BadInput
from osler.judging.contests import GRADER as CONTESTS
from osler.reports.printed import parts_of
from osler.runs.judged_episodes import Grader
from osler.runs.run import protocol_of
from osler.runs.totals import totals
from osler.store.records import RunInfo
from osler.studies.judges.comparison import compare_judges
from osler.studies.judges.comparison_tables import judges_shown
from osler.studies.rating.ratings import PREFIX
from osler.web.evaluate.ratings import graders_of, visible_runs, whole_run
from osler.web.evaluate.result_schemas import ByJudge, Judge, JudgedPage, JudgedRun
from osler.web.evaluate.runs import figure_of
from osler.web.evaluate.schemas import Figure
from osler.web.house import House, TheHouse
from osler.web.lookups import RunName
from osler.web.rights import needs
from osler.web.watch.seeing import Looking, Onlooker

router = APIRouter()
_FEWEST: Final = 2


@router.get("/judged", dependencies=[needs("watch")])
def judged_runs(house: TheHouse, looking: Looking) -> list[JudgedRun]:
    """The runs that two judges or more have judged, the one begun last first."""
    each = (_judged(house, run) for run in visible_runs(house, looking))
    return [one for one in each if len(one.judges) >= _FEWEST]


@router.get("/judged/{run}", dependencies=[needs("watch")])
async def judged_run(house: TheHouse, looking: Looking, run: RunName) -> JudgedPage:
    """Return a run with its judges, and their comparison as `osler judge compare` prints it."""
    return await house.long_work.run(looking.asking.id, lambda: _page(house, looking, run))


def _judged(house: House, run: RunInfo) -> JudgedRun:
    judges: dict[str, Judge] = {}
    for (name, version), count in graders_of(house, run).items():
        if name.startswith(PREFIX) or name == CONTESTS:
            continue
        held = judges.get(name, Judge(name=name, versions=[], episodes=0))
        episodes = min(run.done, held.episodes + count)  # a later version judges the same ones again
        judges[name] = Judge(name=name, versions=[*held.versions, version], episodes=episodes)
    return JudgedRun(
        run=run.name, protocol=protocol_of(run).name, done=run.done, judges=list(judges.values())
    )


def _page(house: House, looking: Onlooker, name: str) -> JudgedPage:
    run, store = whole_run(looking, name), house.store
    result = _judged(house, run)
    parts, alone = [], ""
    try:
        compared = store.as_far_as_readable(lambda: compare_judges([run], store))
        parts = list(parts_of(judges_shown(compared)))
    except BadInput as error:
        alone = f"{error.what}. {error.hint}" if error.hint else error.what
    return JudgedPage(
        run=result,
        judges=[ByJudge(judge=one, measures=_measures(house, run, one.name)) for one in result.judges],
        parts=parts,
        alone=alone,
    )


def _measures(house: House, run: RunInfo, judge: str) -> list[Figure]:
    """The measures that are judged, under one judge."""
    protocol, store = protocol_of(run), house.store
    result = store.as_far_as_readable(lambda: totals(run, store, Grader(judge)))
    return [
        figure_of(one, held, result.headline_bounds if one is protocol.measures[0] else None)
        for one in protocol.measures
        if one.judged and (held := result.measures.get(one.name)) is not None
    ]
