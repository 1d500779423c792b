"""The topics of stored runs: the counters of a run, and the new items of an episode in one view."""

from __future__ import annotations

from typing import Any, Final, NamedTuple
from urllib.parse import quote

from osler.core.protocol import Protocol
from osler.errors import BadInput
from osler.runs.run import protocol_of
from osler.store import queries
from osler.store.records import RunInfo
from osler.store.store import Store
from osler.web.lookups import Place
from osler.web.problems import NotAllowed
from osler.web.rights import Visitor
from osler.web.watch.hub import Update
from osler.web.watch.log import Id, View, entries, id_of, recorded, seen, view_of
from osler.web.watch.seeing import sight, view_named

_OVER: Final = "done"
_MOST_KNOWN: Final = 2000


class RunTopic:
    """`run:NAME` sends what is planned and done, and the status."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def may(self, visitor: Visitor, name: str) -> bool:
        """See `Kind`."""
        return visitor.may("watch")

    def now(self, name: str) -> str:
        """See `Kind`."""
        return _counters(self._store.run(name))

    def since(self, name: str, cursor: str) -> Update:
        """See `Kind`."""
        run = self._store.run(name)
        now, ended = _counters(run), run.status == _OVER
        if now == cursor:
            return Update(now, ended=ended)
        message = {"topic": f"run:{name}", "planned": run.planned, "done": run.done, "status": run.status}
        return Update(now, {**message, "ended": ended}, ended)


def _counters(run: RunInfo) -> str:
    return f"{run.done}/{run.planned}/{run.status}"


class _Followed(NamedTuple):
    """An episode that is followed, and the eyes it is seen with."""

    run: RunInfo
    ordinal: int
    view: View
    plays: Protocol


class EpisodeTopic:
    """`episode:RUN:N:VIEW` sends the items of a log as they come. A cursor is the last id and its minute."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._known: dict[str, _Followed] = {}

    def may(self, visitor: Visitor, name: str) -> bool:
        """See `Kind`: whoever may open the log in this view."""
        one = self._followed(name)
        place = Place(one.run, one.ordinal, self._store.ended(one.run.id, one.ordinal))
        view = one.view.seat or one.view.name
        try:
            found = sight(self._store, visitor, place, (view,))
            return visitor.may("watch") and view_named(found, view, one.plays.under_test) == view
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
        parts = name.split(":")
        if len(parts) != 3 or not (parts[1].isascii() and parts[1].isdecimal() and len(parts[1]) < 10):
            raise BadInput(f"{name[:80]!r} is not an episode", hint="write episode:RUN:N:VIEW")
        run = self._store.run(parts[0])
        ordinal, plays = int(parts[1]), protocol_of(run)
        if ordinal >= run.planned:
            raise BadInput(f"the run has no episode {ordinal}", where=run.name)
        found = _Followed(run, ordinal, view_of(plays, parts[2]), plays)
        if parts[0] == run.name:  # and no abbreviation, which may come to mean another run
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
            self._known[name] = found
        return found


def _place(cursor: str) -> tuple[Id, int]:
    id_, _, minute = cursor.partition("/")
    return id_of(id_), int(minute or 0)


def _picture(one: _Followed, id_: str) -> str:
    view = quote(one.view.name)
    return f"/api/episodes/{quote(one.run.name)}/{one.ordinal}/pictures/{id_}.png?view={view}"
