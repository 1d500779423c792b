"""Why a run's episodes went wrong: the tags to filter by, read once for each state of a run."""

from __future__ import annotations

from functools import partial

from fastapi import APIRouter

from osler.core.failure import TAGS
from osler.errors import BadInput
from osler.runs.failures import MOST_READ, RunFailures, failures_of
from osler.web.evaluate.schemas import FailureFacet, FailureFacets
from osler.web.house import House, TheHouse
from osler.web.lookups import RunCache, RunName
from osler.web.rights import needs
from osler.web.watch.seeing import Looking, Onlooker, VisibleRun

router = APIRouter()


@router.get("/runs/{run}/failures", dependencies=[needs("watch")])
def failures(house: TheHouse, looking: Looking, run: RunName) -> FailureFacets:
    """The failure tags of a run's scored episodes, with counts. Of a run of some thousand episodes they take
    some seconds the first time."""
    seen = looking.run(run)
    if seen.run.done > MOST_READ:
        return FailureFacets(scored=0, unscored=0, tags=[], too_many=True)
    result = failures_seen(house, looking, seen)
    counts = result.counts()
    return FailureFacets(
        scored=result.scored,
        unscored=result.unscored + result.unread,
        tags=[
            FailureFacet(name=tag.name, words=tag.words, means=tag.means, count=counts[tag.name])
            for tag in TAGS
            if tag.name in counts
        ],
    )


def failures_seen(house: House, looking: Onlooker, seen: VisibleRun) -> RunFailures:
    """The failures of what is seen of a run. Raises BadInput for one that is too large."""
    if seen.run.done > MOST_READ:
        what = f"more than {MOST_READ:,} episodes are not read at a look"
        raise BadInput(what, where=seen.run.name, hint=f"osler report {seen.run.name} --out FILE.html --json")
    store = looking.store(seen)
    room: RunCache[RunFailures] = house.rooms.setdefault("evaluate.failures", RunCache())
    made = partial(store.as_far_as_readable, partial(failures_of, seen.run, store))
    return room.get(seen.run.id, seen.run.done, made, people=seen.people)
