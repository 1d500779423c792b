"""The topics of stored runs: the counters of a run, and the new items of an episode in one view."""

from __future__ import annotations

import secrets
from hashlib import blake2b
from typing import Any, Final, NamedTuple
from urllib.parse import quote

from osler.core.protocol import Protocol
from osler.errors import BadInput, NotAllowed
from osler.runs.run import protocol_of
from osler.store import queries
from osler.store.permissions import people_of
from osler.store.records import RunInfo
from osler.web.house import House
from osler.web.lookups import Place, run_named
from osler.web.rights import Visitor
from osler.web.watch.hub import Update
from osler.web.watch.log import Id, View, entries, id_of, recorded, seen, view_of
from osler.web.watch.seeing import Onlooker, view_named

_OVER: Final = "done"
_MOST_KNOWN: Final = 2000


class RunTopic:
    """`run:NAME` sends what is planned and done, and the status; of a run with people, whose figures depend
    on who looks, only that they are to be asked for anew."""

    def __init__(self, house: House) -> None:
        self._house = house
        self._key = secrets.token_bytes(16)

    def may(self, visitor: Visitor, name: str) -> bool:
        """See `Kind`."""
        return visitor.may("watch") and bool(Onlooker(self._house, visitor).run(name))

    def now(self, name: str) -> str:
        """See `Kind`."""
        return self._cursor(run_named(self._house.store, name))

    def since(self, name: str, cursor: str) -> Update:
        """See `Kind`."""
        run = run_named(self._house.store, name)
        now, ended = self._cursor(run), run.status == _OVER
        if now == cursor:
            return Update(now, ended=ended)
        if self._holds_people(run):
            return Update(now, ended=ended, reset=True)
        message = {"topic": f"run:{name}", "planned": run.planned, "done": run.done, "status": run.status}
        return Update(now, {**message, "ended": ended}, ended)

    def _cursor(self, run: RunInfo) -> str:
        counters = f"{run.done}/{run.planned}/{run.status}"
        if not self._holds_people(run):
            return counters
        return blake2b(counters.encode(), key=self._key, digest_size=8).hexdigest()

    def _holds_people(self, run: RunInfo) -> bool:
        return bool(people_of(self._house.store, run))


class _Followed(NamedTuple):
    """An episode that is followed, and the eyes it is seen with."""

    run: RunInfo
    ordinal: int
    view: View
    plays: Protocol


class EpisodeTopic:
    """`episode:RUN:N:VIEW` sends the items of a log as they come. A cursor is the last id and its minute."""

    def __init__(self, house: House) -> None:
        self._house, self._store = house, house.store
        self._known: dict[str, _Followed] = {}

    def may(self, visitor: Visitor, name: str) -> bool:
        """See `Kind`: whoever may open the log in this view."""
        if not visitor.may("watch"):
            return False
        looking = Onlooker(self._house, visitor)
        if name not in self._known:
            looking.run(_parts(name)[0])
        one = self._followed(name)
        if not people_of(self._store, one.run):
            return True
        place = Place(one.run, one.ordinal, self._store.ended(one.run.id, one.ordinal))
        view = one.view.seat or one.view.name
        try:
            return view_named(looking.sight(place, (view,)), view, one.plays.under_test) == view
        except NotAllowed:
            return False

    def place(self, name: str) -> tuple[int, int]:
        """The run's id and the ordinal of an episode. Raises BadInput if there is none."""
        one = self._followed(name)
        return one.run.id, one.ordinal

    def now(self, name: str) -> str:
        """See `Kind`."""
        return self._read(name, (0, 0), 0).cursor

    def since(self, name: str, cursor: str) -> Update:
        """See `Kind`."""
        try:
            at, minute = _place(cursor)
        except (BadInput, ValueError):
            return Update("", reset=True)
        return self._read(name, at, minute)

    def _read(self, name: str, at: Id, minute: int) -> Update:
        one = self._followed(name)
        with self._store.connected() as connection:
            last = queries.last_exchange(connection, one.run.id, one.ordinal)
        if at[0] > last:  # it was begun anew
            return Update("", reset=True)
        record = recorded(self._store, one.run.id, one.ordinal, at[0])
        items: list[dict[str, Any]] = []
        for entry in entries(record, at[0], minute):
            if entry.at > at:
                at, minute = entry.at, entry.minute
                if item := seen(entry, one.view, one.plays, lambda id_: _picture(one, id_)):
                    items.append(item.model_dump(mode="json"))
        ended = record.tail is not None
        message = {"topic": f"episode:{name}", "items": items, "ended": ended} if items or ended else None
        return Update(f"{at[0]}.{at[1]}/{minute}", message, ended)

    def _followed(self, name: str) -> _Followed:
        if name in self._known:
            return self._known[name]
        run_name, ordinal, view = _parts(name)
        run = run_named(self._store, run_name)
        plays = protocol_of(run)
        if ordinal >= run.planned:
            raise BadInput(f"the run has no episode {ordinal}", where=run.name)
        if len(self._known) >= _MOST_KNOWN:
            self._known.clear()
        result = self._known[name] = _Followed(run, ordinal, view_of(plays, view), plays)
        return result


def _parts(name: str) -> tuple[str, int, str]:
    """The run's name, the ordinal and the view that a topic names."""
    parts = name.split(":")
    if len(parts) != 3 or not (parts[1].isascii() and parts[1].isdecimal() and len(parts[1]) < 10):
        raise BadInput(f"{name[:80]!r} is not an episode", hint="write episode:RUN:N:VIEW")
    return parts[0], int(parts[1]), parts[2]


def _place(cursor: str) -> tuple[Id, int]:
    id_, _, minute = cursor.partition("/")
    return id_of(id_), int(minute or 0)


def _picture(one: _Followed, id_: str) -> str:
    view = quote(one.view.name)
    return f"/api/episodes/{quote(one.run.name)}/{one.ordinal}/pictures/{id_}.png?view={view}"
