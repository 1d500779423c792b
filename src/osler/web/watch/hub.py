"""The hub: what browsers wait for, and the news that something has changed.

A topic is `KIND:NAME`. The hub holds no messages: a stream that hears that a topic has changed reads what it
lacks from where it stands (its cursor), so a slow browser costs no memory and one that comes back goes on.
Several streams at the same cursor share one reading.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from threading import Lock
from time import time
from typing import Any, Final, NamedTuple, Protocol, TypeVar

from osler.errors import BadInput, OslerError
from osler.web.house import House
from osler.web.rights import Visitor

T = TypeVar("T")
_READERS: Final = 4  # threads that read for all streams
_HUB: Final = "hub"
_RECORDS: Final = ("run:", "episode:")
"""The beginnings of the topics that show records."""


class Update(NamedTuple):
    """The news of a topic for a stream at a cursor: its next cursor and the message, `None` if there is
    nothing new. `ended`: nothing more can come. `reset`: the cursor leads nowhere, so all is to be read
    anew."""

    cursor: str
    message: Mapping[str, Any] | None = None
    ended: bool = False
    reset: bool = False


class Kind(Protocol):
    """A kind of topic. Its methods are called in threads; `name` is the topic without its kind."""

    def may(self, visitor: Visitor, name: str) -> bool:
        """Whether a visitor may listen. Raises NotFound for what is not there for this visitor."""
        ...

    def now(self, name: str) -> str:
        """The cursor of a stream that begins now. Raises BadInput if there is no such thing."""
        ...

    def since(self, name: str, cursor: str) -> Update:
        """Read what is new since a cursor."""
        ...


class Hub:
    """The topics of one server. `changed` may be called from any thread, all else from the server's loop."""

    def __init__(self) -> None:
        self._kinds: dict[str, Kind] = {}
        self._loop: asyncio.AbstractEventLoop | None = None
        self._wakes: defaultdict[str, list[Callable[[str], None]]] = defaultdict(list)
        self._readings: dict[tuple[str, str], asyncio.Future[Update]] = {}
        self._counting, self._counts = Lock(), dict[str, int]()
        self._begun = int(time() * 1000)  # so that no count of an earlier server is taken for one of ours
        self._readers = ThreadPoolExecutor(_READERS, thread_name_prefix="stream-reader")

    def add(self, name: str, kind: Kind) -> None:
        """Add a kind of topic; each room adds its own."""
        self._kinds[name] = kind

    def kind_of(self, topic: str) -> tuple[Kind, str]:
        """A topic's kind and the rest of its name. Raises BadInput for an unknown kind."""
        kind, _, name = topic.partition(":")
        if kind not in self._kinds or not name:
            text = ", ".join(f"{one}:..." for one in sorted(self._kinds))
            raise BadInput(f"there is no topic {topic[:80]!r}", hint=f"known: {text}")
        return self._kinds[kind], name

    @property
    def topics(self) -> tuple[str, ...]:
        """The topics that somebody listens to."""
        return tuple(self._wakes)

    def changed(self, topic: str) -> None:
        """Count a change, and wake the streams that listen to the topic. May be called from any thread."""
        with self._counting:
            self._counts[topic] = self.count(topic) + 1
        loop = self._loop
        if loop is not None and not loop.is_closed():
            loop.call_soon_threadsafe(self._wake, topic)

    def ask_again(self) -> None:
        """Let the streams that listen to runs and episodes ask whether they still may. May be called from any
        thread, whenever the permission for words has changed."""
        loop = self._loop
        if loop is not None and not loop.is_closed():
            for topic in self.topics:
                if topic.startswith(_RECORDS):
                    loop.call_soon_threadsafe(self._wake, topic)

    def count(self, topic: str) -> int:
        """The changes of a topic so far, counted from a number that grows with every start of the server."""
        return self._counts.get(topic, self._begun)

    def listen(self, topic: str, wake: Callable[[str], None]) -> Callable[[], None]:
        """Call `wake` whenever the topic changes. Returns a function that ends this."""
        self._loop = asyncio.get_running_loop()
        self._wakes[topic].append(wake)

        def stop() -> None:
            self._wakes[topic].remove(wake)
            if not self._wakes[topic]:
                del self._wakes[topic]

        return stop

    async def in_reader(self, work: Callable[[], T]) -> T:
        """Run `work`, which reads, in one of the hub's threads."""
        return await asyncio.get_running_loop().run_in_executor(self._readers, work)

    async def since(self, topic: str, cursor: str) -> Update:
        """Read what is new on a topic since a cursor; shared by all that ask at the same time."""
        key = topic, cursor
        if key not in self._readings:
            self._readings[key] = asyncio.ensure_future(self._read(topic, cursor))
        reading = self._readings[key]
        try:
            return await asyncio.shield(reading)
        finally:
            if self._readings.get(key) is reading:
                del self._readings[key]

    async def _read(self, topic: str, cursor: str) -> Update:
        kind, name = self.kind_of(topic)
        try:
            return await self.in_reader(lambda: kind.since(name, cursor))
        except OslerError:  # it was deleted, or the store does not answer: the browser asks anew
            return Update(cursor, reset=True)

    def _wake(self, topic: str) -> None:
        # A reading that began before this change may lack it.
        for key in [key for key in self._readings if key[0] == topic]:
            del self._readings[key]
        for wake in tuple(self._wakes.get(topic, ())):
            wake(topic)

    def close(self) -> None:
        """Let the threads go."""
        self._readers.shutdown(wait=False, cancel_futures=True)


class Signals:
    """A kind of topic that only says that something has changed; the browser then asks for it.

    `may` says who may listen to a name. Whatever changes it calls `Hub.changed`.
    """

    def __init__(self, hub: Hub, kind: str, may: Callable[[Visitor, str], bool]) -> None:
        self._hub, self._kind, self._may = hub, kind, may
        hub.add(kind, self)

    def may(self, visitor: Visitor, name: str) -> bool:
        """See `Kind`."""
        return self._may(visitor, name)

    def now(self, name: str) -> str:
        """See `Kind`."""
        return str(self._hub.count(f"{self._kind}:{name}"))

    def since(self, name: str, cursor: str) -> Update:
        """See `Kind`."""
        now = self.now(name)
        message = {"topic": f"{self._kind}:{name}", "changed": now} if now != cursor else None
        return Update(now, message)


def hub_of(house: House) -> Hub:
    """The hub of a house, made when it is first asked for."""
    room: Hub = house.rooms.setdefault(_HUB, Hub())
    return room
