"""Who may see what of runs and episodes: the one place that decides it, before an answer is read.

Nobody's own words are in a run of programs, and whoever may watch sees all of it. A run with people in it is
for whoever owns this machine, and for those who sit or sat in it; others see of it the episodes whose people
all permit them to be shared now. For anybody else it is not there: neither its words and marks nor that they
exist. Until an encounter has ended nobody is shown more of it than the people in it see, and whoever sits in
it no more than their own seat does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Annotated, Final, NamedTuple

from fastapi import Depends

from osler.errors import BadInput, NotAllowed
from osler.store import permissions, practice
from osler.store.listing import ended_among
from osler.store.permissions import (
    People,
    people_of,
    people_of_each,
    permitted,
    refusing,
    runs_with,
    withheld,
)
from osler.store.permitted_store import ShownStore
from osler.store.practice import PersonSitting
from osler.store.records import RunInfo
from osler.store.store import Store
from osler.web.house import House, TheHouse
from osler.web.lookups import Place, episode_named, episode_of, no_such_episode, no_such_run, run_named
from osler.web.rights import Asking, Visitor
from osler.web.watch.log import ALL, ROOM, UNDER_TEST

STILL_PLAYING: Final = "a person is still playing: until the end only what they see is shown"
OTHERS: Final = "others sat in it, too, and do not share it: what your seat saw is shown"
_KEPT_BACK: Final = "watch.kept_back"


class VisibleRun(NamedTuple):
    """A run as a visitor sees it: `whole` are the episodes of which everything is seen (`None`: all), `own`
    the visitor's seats by episode. Of the ended episodes `run` counts those that are seen whole. `people`
    says that people's words are in it, `sits` that the visitor sits in an encounter of it that goes on."""

    run: RunInfo
    whole: frozenset[int] | None = None
    own: Mapping[int, frozenset[str]] = {}
    people: bool = False
    sits: bool = False

    def has(self, ordinal: int) -> bool:
        """Whether the visitor sees anything of an episode."""
        return self.is_whole(ordinal) or ordinal in self.own

    def is_whole(self, ordinal: int) -> bool:
        """Whether the visitor sees everything of an episode, once it has ended."""
        return self.whole is None or ordinal in self.whole


class Sight(NamedTuple):
    """The sight that a visitor has of an episode: the views, the reason in words for those withheld, and what
    the people in it permit (`None` if there are none)."""

    views: tuple[str, ...]
    hidden: str
    uses: tuple[str, ...] | None


class Onlooker:
    """A visitor who looks at records. Every route and topic that shows any asks here; for one request."""

    def __init__(self, house: House, asking: Visitor) -> None:
        self._house, self.asking = house, asking

    def run(self, name: str) -> VisibleRun:
        """The run with exactly this name. Raises NotFound, with the same words, if there is none and if it is
        not for this visitor."""
        result = self._seen(run_named(self._house.store, name))
        if result is None:
            raise no_such_run(name)
        return result

    def again(self, run: RunInfo) -> VisibleRun:
        """As `run`, of one that was found before."""
        result = self._seen(run)
        if result is None:
            raise no_such_run(run.name)
        return result

    def among(self, runs: Sequence[RunInfo]) -> Iterator[VisibleRun]:
        """Those of some runs that this visitor sees. Runs without people cost no query of their own."""
        if self.asking.here:
            yield from (VisibleRun(run) for run in runs)
            return
        people = people_of_each(self._house.store, runs)
        for run in runs:
            if not people[run.id]:
                yield VisibleRun(run)
            elif self._may_see(run, people[run.id]) and (result := self._of_people(run, people[run.id])):
                yield result

    def episode(self, name: str, ordinal: int) -> Place:
        """An episode that has begun. Raises NotFound as `run` does."""
        run = self.run(name)
        if not run.has(ordinal):
            raise no_such_episode(run.run, ordinal)
        return episode_of(self._house.store, run.run, ordinal)

    def named(self, name: str) -> Place:
        """An episode named RUN:N, which may not have begun yet. Raises NotFound as `run` does, and BadInput
        for what is no such name."""
        place = episode_named(self._house.store, name, lambda run: self.run(run).run)
        if not self.again(place.run).has(place.ordinal):
            raise no_such_episode(place.run, place.ordinal)
        return place

    def sight(self, place: Place, seats: Iterable[str]) -> Sight:
        """The sight of an episode with these seats, in the order they are offered in. Raises NotFound if it
        is not for this visitor."""
        run, everything = self.again(place.run), (*seats, ROOM, ALL)
        if not run.has(place.ordinal):
            raise no_such_episode(run.run, place.ordinal)
        store = self._house.store
        people = people_of(store, place.run)
        if not people:
            return Sight(everything, "", None)
        uses, own = tuple(sorted(permitted(store, place.run.id, place.ordinal))), run.own.get(place.ordinal)
        whole = run.is_whole(place.ordinal)
        if own and not (whole and place.ended):
            hidden = OTHERS if place.ended else STILL_PLAYING
            return Sight(tuple(seat for seat in everything if seat in own), hidden, uses)
        if place.ended or not people.own:
            return Sight(everything, "", uses)
        return Sight(tuple(seat for seat in everything if _is_of(seat, people)), STILL_PLAYING, uses)

    def store(self, *several: VisibleRun) -> Store:
        """The store with some runs alone, and of them what this visitor sees whole."""
        shown = {one.run.id: one.whole for one in several if one.whole is not None}
        return ShownStore(self._house.store, [one.run for one in several], shown)

    def _seen(self, run: RunInfo) -> VisibleRun | None:
        people = people_of(self._house.store, run)
        if not people or self.asking.here:
            return VisibleRun(run, people=bool(people))
        return self._of_people(run, people)

    def _may_see(self, run: RunInfo, people: People) -> bool:
        """Whether it is worth looking closer: of each part the visitor sat in it, or somebody shares it."""
        if run.id in self._sat_in:
            return True
        places = {run.id} if people.own else set[int]()
        return (
            not people.unknown and places.union(one.run for one in people.kept) <= self._sat_in | self._shared
        )

    @cached_property
    def _sat_in(self) -> frozenset[int]:
        if not self.asking.id:
            return frozenset()
        return frozenset(one.run for one in practice.sittings_of(self._house.store, self.asking.id))

    @cached_property
    def _shared(self) -> frozenset[int]:
        return runs_with(self._house.store, "share")

    def _of_people(self, run: RunInfo, people: People) -> VisibleRun | None:
        """Return the part of a run with people that an outsider sees, `None` if nothing."""
        store = self._house.store
        if kept_back(self._house, self.asking, {run.id, *(one.run for one in people.kept)}):
            return None
        sittings = [one for one in practice.sittings_of_run(store, run.id) if self._is_own(one)]
        hidden = withheld(store, run.id, "share")
        if hidden is not None and not (people.own or hidden.deleted) and self._alone(run.id, 0):
            hidden = None  # programs play on from what the visitor said
        if hidden is not None and hidden.allowed <= hidden.deleted and not sittings:
            return None
        alone = (one.ordinal for one in sittings if self._alone(run.id, one.ordinal, one))
        whole = None if hidden is None else hidden.allowed.union(alone)
        own = dict[int, frozenset[str]]()
        for one in sittings:
            own[one.ordinal] = own.get(one.ordinal, frozenset()) | {one.seat}
        if whole is not None:
            with store.connected() as connection:
                run = run._replace(done=ended_among(connection, run.id, whole))
        sits = any(store.ended(run.id, ordinal) is None for ordinal in own)
        return VisibleRun(run, whole, own, people=True, sits=sits)

    def _alone(self, run: int, ordinal: int, sitting: PersonSitting | None = None) -> bool:
        """Whether nobody but the visitor, who may have a sitting in it, keeps words in an episode from
        others."""
        lacking = refusing(self._house.store, run, "share", ordinal)
        return all(place is not None and self._spoke(place, sitting) for place, _ in lacking)

    def _spoke(self, place: permissions.Place, sitting: PersonSitting | None) -> bool:
        """Whether the visitor spoke in a place."""
        if (
            sitting
            and place.seat == sitting.seat
            and place.run in (sitting.run, *sitting.more.get(practice.EARLIER, ()))
        ):
            return True
        there = filter(self._is_own, practice.sittings_of_run(self._house.store, place.run))
        return any((one.ordinal, one.seat) == (place.ordinal, place.seat) for one in there)

    def _is_own(self, sitting: PersonSitting) -> bool:
        return bool(self.asking.id) and sitting.owner == self.asking.id


async def _onlooker(house: TheHouse, asking: Asking) -> Onlooker:
    return Onlooker(house, asking)


Looking = Annotated[Onlooker, Depends(_onlooker)]
"""The parameter type of a route that shows records."""
KeptBack = Callable[[Visitor, int], bool]


def keep_back(house: House, rule: KeptBack) -> None:
    """Let a rule say whether a run, by its id, is kept back from a visitor, whatever the people in it permit:
    as from the learners of a room that has not released its debriefs."""
    house.rooms[_KEPT_BACK] = rule


def kept_back(house: House, asking: Visitor, runs: Iterable[int]) -> bool:
    """Whether one of these runs is kept back from a visitor."""
    rule: KeptBack | None = house.rooms.get(_KEPT_BACK)
    return rule is not None and any(rule(asking, run) for run in runs)


def _is_of(seat: str, people: People) -> bool:
    role = seat.rpartition("_")[0]
    return seat in people.own or role in people.own


def view_named(sight: Sight, view: str, under_test: str) -> str:
    """The view that is asked for. Raises NotAllowed if it is withheld, and BadInput if there is none such."""
    wanted = under_test if view == UNDER_TEST and UNDER_TEST not in sight.views else view
    if wanted in sight.views:
        return wanted
    if sight.hidden:
        raise NotAllowed(sight.hidden, where=view[:100])
    raise BadInput("nobody has this view here", where=view[:100], hint=f"one of {', '.join(sight.views)}")
