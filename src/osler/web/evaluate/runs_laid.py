"""Runs laid side by side for a page: which of them a visitor may compare, read once and kept a while."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from itertools import combinations
from typing import Any, Final, NamedTuple

from osler.core.measure import Measure
from osler.errors import BadInput, NotAllowed
from osler.runs.run import protocol_of
from osler.stats.intervals import Estimate
from osler.store.permitted_store import for_reader
from osler.store.records import RunInfo
from osler.store.store import Store
from osler.studies.case_matrix import CaseMatrix
from osler.studies.comparable import check_one_protocol
from osler.studies.compare import Comparisons, comparisons_of, estimates_of, read_runs, shown_first
from osler.web.house import House
from osler.web.lookups import RunCache
from osler.web.watch.seeing import STILL_PLAYING, Onlooker, VisibleRun

FEWEST, MOST = 2, 8
MOST_EPISODES: Final = 50_000
"""Episodes of all compared runs together; more take too long for a page."""
_MOST_KEPT: Final = 12


class Laid(NamedTuple):
    """Runs laid side by side: their comparison, each run's own estimates, the number of its episodes and the
    versions of its judge, and the matrix of their cases."""

    comparisons: Comparisons
    measures: Sequence[Measure]
    judge: str
    estimates: list[dict[str, Estimate]]
    episodes: list[int]
    versions: dict[int, list[str]]
    matrix: CaseMatrix

    @property
    def apart(self) -> set[tuple[int, int]]:
        """The pairs that are refused."""
        return _apart(self.comparisons)


def runs_seen(looking: Onlooker, names: Sequence[str]) -> list[VisibleRun]:
    """The runs with these names, as far as this visitor sees them."""
    if not FEWEST <= len(set(names)) == len(names) <= MOST:
        hint = "name each run once"
        raise BadInput(f"{FEWEST} to {MOST} runs can be compared here", where="run", hint=hint)
    seens = [looking.run(name) for name in names]
    for one in seens:
        if one.sits:
            raise NotAllowed(STILL_PLAYING, where=one.run.name)
    total = sum(one.run.done for one in seens)
    if total > MOST_EPISODES:
        hint = f"osler compare {' '.join(shlex.quote(name) for name in names)}"
        raise BadInput(f"{total:,} episodes take too long for a page", where="run", hint=hint)
    check_one_protocol(*(one.run for one in seens))
    return seens


def holds_people(seens: Sequence[VisibleRun]) -> bool:
    """Whether people's words are in one of some runs."""
    return any(one.people for one in seens)


def key_of(seens: Sequence[VisibleRun]) -> tuple[Any, Any]:
    """The name under which something of some runs is kept, and the key that changes with their episodes."""
    return tuple(one.run.id for one in seens), tuple(one.run.done for one in seens)


def store_of(house: House, looking: Onlooker, seens: Sequence[VisibleRun]) -> Store:
    """The store as `osler compare` reads it; of a visitor from outside, what they see of these runs."""
    return for_reader(house.store, "comparison") if looking.asking.here else looking.store(*seens)


def laid_of(house: House, looking: Onlooker, seens: Sequence[VisibleRun], scores: Sequence[str] = ()) -> Laid:
    """The runs side by side, read once for the comparison and its cases."""
    store = store_of(house, looking, seens)
    runs = [one.run for one in seens]
    chosen = tuple(scores) or tuple(shown_first(protocol_of(runs[0])))
    room: RunCache[Laid] = house.rooms.setdefault("evaluate.compared", RunCache(_MOST_KEPT))
    ids, done = key_of(seens)

    def work() -> Laid:
        return store.as_far_as_readable(lambda: lay(runs, store, chosen))

    return room.get((ids, chosen), done, work, people=holds_people(seens))


def lay(runs: Sequence[RunInfo], store: Store, scores: Sequence[str]) -> Laid:
    """Lay runs side by side, the first of them the baseline, by these scores."""
    read = read_runs(runs, store, scores)
    comparisons = comparisons_of(read)
    played = [read.played[run.id] for run in runs]
    return Laid(
        comparisons,
        read.measures,
        read.judge,
        [estimates_of(one, read.measures) for one in played],
        [len(one.values) for one in played],
        {run.id: sorted(set[str]().union(*read.played[run.id].versions.values())) for run in runs},
        CaseMatrix(read, store, _apart(comparisons)),
    )


def _apart(comparisons: Comparisons) -> set[tuple[int, int]]:
    places = combinations(range(len(comparisons.runs)), 2)
    return {place for place, pair in zip(places, comparisons.pairs, strict=True) if pair.refused}
