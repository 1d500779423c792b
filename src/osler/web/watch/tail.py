"""News of the store: which of the followed runs and episodes have changed, whoever plays them.

What this process plays is told at once (`Store.listen`). What others write is found by looking: on SQLite
whenever the file's data version has moved, on PostgreSQL when the writer announces it, and every two seconds
in case an announcement was lost. One thread does it, and rests while nobody follows anything.
"""

from __future__ import annotations

import json
import logging
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from threading import Event, Lock, Thread
from typing import Final

import sqlalchemy as sa

from osler.errors import OslerError
from osler.store.store import Store
from osler.store.writer import ANNOUNCED_S, CHANNEL, Committed
from osler.web.lookups import run_named
from osler.web.watch.hub import Hub
from osler.web.watch.topics import EpisodeTopic

POLL_S: Final = 0.1
"""Between two looks at the version of an SQLite file."""
LOST_S: Final = 2.0
"""Between two looks at PostgreSQL when nothing is announced."""
COUNT_S: Final = 0.5
"""The least time between two looks at runs."""
RESTING_S: Final = 0.5
AGAIN_S: Final = 3.0
"""The wait before a lost connection is opened again."""
_RUN: Final = "run:"
_EPISODE: Final = "episode:"
_LOG: Final = logging.getLogger("osler.web")
_Place = tuple[int, int]
# The places as one JSON argument, so that the statement is the same however many are followed.
_STATE: Final = """
WITH wanted(run, ordinal) AS (PLACES)
SELECT run, ordinal,
  (SELECT max(e.n) FROM exchanges e WHERE e.run = wanted.run AND e.ordinal = wanted.ordinal),
  (SELECT max(a.n) FROM asked a WHERE a.run = wanted.run AND a.ordinal = wanted.ordinal),
  (SELECT count(*) FROM asked a WHERE a.run = wanted.run AND a.ordinal = wanted.ordinal),
  (SELECT count(*) FROM episodes e WHERE e.run = wanted.run AND e.ordinal = wanted.ordinal)
FROM wanted"""
_PLACES: Final = {
    "sqlite": "SELECT json_extract(value, '$[0]'), json_extract(value, '$[1]') FROM json_each(:places)",
    "postgresql": "SELECT CAST(value->>0 AS int), CAST(value->>1 AS int)"
    " FROM json_array_elements(CAST(:places AS json))",
}
_STATES: Final = {name: sa.text(_STATE.replace("PLACES", places)) for name, places in _PLACES.items()}


class Tail:
    """Follows a store and tells the hub. Started and stopped with the server."""

    def __init__(self, store: Store, hub: Hub, kind: EpisodeTopic) -> None:
        self._store, self._hub, self._episodes = store, hub, kind
        self._seen: dict[str, object] = {}
        self._counted, self._owed = 0.0, False
        self._looking = Lock()
        self._ended = Event()
        self._thread = Thread(target=self._follow, name="tail", daemon=True)
        self._unlisten = store.listen(self._committed)

    def start(self) -> None:
        """Begin to look."""
        self._thread.start()

    def stop(self) -> None:
        """Look no more; returns when the thread has ended."""
        self._unlisten()
        self._ended.set()
        self._thread.join()

    def _committed(self, what: Committed) -> None:
        """Tell of a commit of this process."""
        for topic in self._hub.topics:
            if topic.startswith(_EPISODE):
                place = self._place(topic)
                if place and place[0] == what.run and place[1] in what.ordinals:
                    self._hub.changed(topic)

    def _place(self, topic: str) -> _Place | None:
        try:
            return self._episodes.place(topic.removeprefix(_EPISODE))
        except OslerError:  # it was deleted
            return None

    @property
    def _followed(self) -> tuple[str, ...]:
        return tuple(one for one in self._hub.topics if one.startswith((_RUN, _EPISODE)))

    def _follow(self) -> None:
        while not self._ended.is_set():
            try:
                if self._store.engine.dialect.name == "sqlite":
                    self._follow_file()
                else:
                    self._follow_server()
            except Exception as error:  # whatever it is: a store that was moved, a server that restarts
                _LOG.warning("the store cannot be followed for now: %s", error)
                self._ended.wait(AGAIN_S)

    def _follow_file(self) -> None:
        path = self._store.engine.url.database or ""
        uri = self._store.engine.url.query.get("uri")
        with closing(sqlite3.connect(path, uri=bool(uri))) as connection:
            version: object = None
            while not self._ended.wait(POLL_S if self._followed else RESTING_S):
                now = connection.execute("PRAGMA data_version").fetchone()
                if self._followed and (now != version or self._is_new or self._is_due):
                    version = now
                    self.look()

    def _follow_server(self) -> None:
        import psycopg  # noqa: PLC0415 - only where the store is on PostgreSQL

        engine = self._store.engine
        # Not by the address as text, which SQLAlchemy and PostgreSQL write differently.
        args, options = engine.dialect.create_connect_args(engine.url)
        with psycopg.connect(*args, **options, autocommit=True) as connection:
            connection.execute(f"LISTEN {CHANNEL}")
            while not self._ended.is_set():
                notify = next(connection.notifies(timeout=LOST_S / 4, stop_after=1), None)
                if notify is not None:
                    self.look()
                    # A commit soon after an announced one is not announced again.
                    self._ended.wait(ANNOUNCED_S)
                    for _ in connection.notifies(timeout=0):
                        pass
                    self.look()
                elif self._followed and (self._is_new or self._is_due):
                    self.look()

    @property
    def _is_new(self) -> bool:
        """Whether something is followed that was not looked at yet."""
        return any(topic not in self._seen for topic in self._followed)

    @property
    def _is_due(self) -> bool:
        """Whether runs are to be looked at again: a worker's death writes nothing."""
        return time.monotonic() - self._counted > (COUNT_S if self._owed else LOST_S)

    def look(self) -> None:
        """Look at everything that is followed, and tell what has changed."""
        with self._looking:
            result = dict(self._states())
            self._seen = {topic: self._seen[topic] for topic in self._followed if topic in self._seen}
            for topic, state in result.items():
                if self._seen.get(topic, state) != state or topic not in self._seen:
                    self._hub.changed(topic)
                self._seen[topic] = state

    def _states(self) -> Iterator[tuple[str, object]]:
        followed = self._followed
        places = {
            topic: place for topic in followed if topic.startswith(_EPISODE) and (place := self._place(topic))
        }
        if places:
            states = self._states_of(sorted({*places.values()}))
            yield from ((topic, states.get(place)) for topic, place in places.items())
        names = [topic for topic in followed if topic.startswith(_RUN)]
        self._owed = bool(names) and time.monotonic() - self._counted <= COUNT_S
        if names and not self._owed:
            self._counted = time.monotonic()
            for topic in names:
                try:
                    run = run_named(self._store, topic.removeprefix(_RUN))
                except OslerError:
                    continue
                yield topic, (run.done, run.status)

    def _states_of(self, places: list[_Place]) -> dict[_Place, object]:
        """Return each episode's progress: its last exchange, its open questions, and whether it has ended."""
        query = _STATES[self._store.engine.dialect.name]
        with self._store.connected() as connection:
            return {
                (row[0], row[1]): tuple(row[2:])
                for row in connection.execute(query, {"places": json.dumps(places)})
            }
