"""Rating sets: what people have rated of the runs in the store, and how far they, and the judges, agree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Final

from fastapi import APIRouter, Query

from osler.errors import BadInput
from osler.reports.printed import parts_of
from osler.runs.run import protocol_of
from osler.store.records import RunInfo
from osler.studies.rating.agreement import agreement
from osler.studies.rating.agreement_tables import agreement_shown
from osler.studies.rating.ratings import PREFIX
from osler.studies.rating.scales import load_scale, packaged
from osler.web.evaluate.result_schemas import RatingPage, RatingSet
from osler.web.house import House, TheHouse
from osler.web.lookups import RunCache
from osler.web.problems import NotFound
from osler.web.rights import needs
from osler.web.watch.seeing import Looking, Onlooker

router = APIRouter()
_MOST_RUNS: Final = 50
_NO_SCALE: Final = "its scale does not come with Osler: osler rate agreement RUN --scale FILE.yaml shows it"


@router.get("/ratings", dependencies=[needs("watch")])
def rating_sets(house: TheHouse, looking: Looking) -> list[RatingSet]:
    """The rating sets of the store, each a batch of sheets with all its runs, the latest run's first."""
    sets: dict[tuple[str, str], RatingSet] = {}
    for run in visible_runs(house, looking):
        raters = _raters(house, run)
        for scale in dict.fromkeys(scale for scale, _ in raters):
            mine = Counter({rater: count for (one, rater), count in raters.items() if one == scale})
            batch = _batch(house, run.id, scale)
            held = sets.get((scale, batch))
            sets[scale, batch] = RatingSet(
                scale=scale,
                batch=batch,
                runs=[*(held.runs if held else ()), run.name],
                protocol=protocol_of(run).name,
                raters=dict(sorted((mine + Counter(held.raters if held else {})).items())),
                why="" if scale in packaged() else _NO_SCALE,
            )
    return list(sets.values())


@router.get("/ratings/{scale}", dependencies=[needs("watch")])
async def rating_set(
    house: TheHouse, looking: Looking, scale: str, run: Annotated[list[str], Query(max_length=_MOST_RUNS)]
) -> RatingPage:
    """The agreement on one scale over some runs, as `osler rate agreement` prints it."""
    return await house.long_work.run(looking.asking.id, lambda: _rating(house, looking, scale, run))


def _rating(house: House, looking: Onlooker, scale: str, names: Sequence[str]) -> RatingPage:
    if scale not in packaged():  # a name alone: a file's would be a path
        raise NotFound("there is no such scale here", where=scale[:100], hint=_NO_SCALE)
    runs = [whole_run(looking, name) for name in dict.fromkeys(names)]
    store = house.store
    result = store.as_far_as_readable(lambda: agreement(store, runs, load_scale(scale)))
    return RatingPage(
        scale=scale,
        runs=list(result.runs),
        episodes=result.episodes,
        rated=result.rated,
        shared=result.shared,
        raters=result.raters,
        parts=list(parts_of(agreement_shown(result))),
    )


def visible_runs(house: House, looking: Onlooker) -> Iterator[RunInfo]:
    """The runs that a visitor sees whole, the one begun last first, of protocols that are installed."""
    for seen in looking.among(house.store.runs()):
        if seen.whole is None:
            try:
                protocol_of(seen.run)
            except BadInput:
                continue
            yield seen.run


def whole_run(looking: Onlooker, name: str) -> RunInfo:
    """A run that a visitor sees whole: figures over a part of it would be others than a terminal's. Raises
    NotFound."""
    seen = looking.run(name)
    if seen.whole is not None:
        raise NotFound("people who do not share their words sit in this run", where=seen.run.name)
    return seen.run


def graders_of(house: House, run: RunInfo) -> Mapping[tuple[str, str], int]:
    """The number of episodes judged by each (grader, version); a large run's is not counted at each look."""
    room: RunCache[Mapping[tuple[str, str], int]] = house.rooms.setdefault("evaluate.graders", RunCache())
    return room.get(run.id, run.done, lambda: house.store.graders(run.id))


def _raters(house: House, run: RunInfo) -> dict[tuple[str, str], int]:
    """The episodes that each person has rated, by scale and rater."""
    result = Counter[tuple[str, str]]()
    for (grader, _), count in graders_of(house, run).items():
        if grader.startswith(PREFIX):
            scale, _, rater = grader.removeprefix(PREFIX).partition(":")
            result[scale, rater] += count
    return dict(result)


def _batch(house: House, run_id: int, scale: str) -> str:
    """The batch of sheets that the ratings of a run on a scale came from, the first by name if of several."""
    body = house.store.one_judgement(run_id, f"{PREFIX}{scale}:") or {}
    return str(body.get("batch", ""))
