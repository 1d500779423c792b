"""Who may see what of an episode: the one place that decides it, before anything is read for an answer.

Nobody's own words are in an episode of programs, and whoever may watch sees all of it. An episode with a
person is for whoever sits at this machine, and for others only if the person permits it to be shared; until
it has ended nobody is shown more of it than that person sees.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from osler.core.permitted import NotPermitted
from osler.errors import BadInput
from osler.store.permissions import People, people_of, permitted, refuse_unless
from osler.store.store import Store
from osler.web.lookups import Place
from osler.web.problems import NotAllowed
from osler.web.rights import Visitor
from osler.web.watch.log import ALL, ROOM, UNDER_TEST


class Sight(NamedTuple):
    """The sight that a visitor has of an episode: the views, the reason in words for those withheld, and what
    the people in it permit (`None` if there are none)."""

    views: tuple[str, ...]
    hidden: str
    uses: tuple[str, ...] | None


def sight(store: Store, asking: Visitor, place: Place, seats: Iterable[str]) -> Sight:
    """The sight that a visitor has of an episode with these seats, in the order they are offered in. Raises
    NotAllowed if nothing."""
    people = people_of(store, place.run)
    everything = (*seats, ROOM, ALL)
    if not people:
        return Sight(everything, "", None)
    if not asking.here:
        try:
            refuse_unless(store, place.run.id, "share", place.ordinal)
        except NotPermitted as error:
            raise NotAllowed(error.what, where=error.where) from None
    uses = tuple(sorted(permitted(store, place.run.id, place.ordinal)))
    if place.ended:
        return Sight(everything, "", uses)
    own = tuple(seat for seat in everything if _is_of(seat, people))
    return Sight(own, "a person is still playing: until the end only what they see is shown", uses)


def _is_of(seat: str, people: People) -> bool:
    role = seat.rpartition("_")[0]
    return seat in people.own or role in people.own


def view_named(found: Sight, view: str, under_test: str) -> str:
    """The view that is asked for. Raises NotAllowed if it is withheld, and BadInput if there is none such."""
    wanted = under_test if view == UNDER_TEST and UNDER_TEST not in found.views else view
    if wanted in found.views:
        return wanted
    if found.hidden:
        raise NotAllowed(found.hidden, where=view[:100])
    raise BadInput("nobody has this view here", where=view[:100], hint=f"one of {', '.join(found.views)}")
