"""The one stream of changes (server-sent events) that a browser's tab holds open."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any, Final

from fastapi import APIRouter, Request
from fastapi.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from osler.errors import BadInput
from osler.web.house import TheHouse
from osler.web.problems import NotAllowed
from osler.web.rights import Asking, Visitor
from osler.web.watch.hub import Hub, hub_of

SILENCE_S: Final = 15.0
"""The longest silence: then a comment keeps the connection open."""
RETRY_MS: Final = 1000
MOST_TOPICS: Final = 60
_LONGEST: Final = 300  # characters of a topic's name

router = APIRouter()


class Stream:
    """One open stream. `cursors` say how far each topic has been sent; None: all of it is asked for anew."""

    def __init__(self, hub: Hub, cursors: dict[str, str | None]) -> None:
        self._hub, self._cursors = hub, cursors
        self._dirty = dict.fromkeys(cursors)
        self._live = set(cursors)
        self._woken = asyncio.Event()
        self._tidy: Callable[[], object] = lambda: None
        self._stops = [hub.listen(topic, self._wake) for topic in cursors]

    def close(self) -> None:
        """Listen no more."""
        for stop in self._stops:
            stop()
        self._stops.clear()
        self._tidy()

    async def frames(self, ending: asyncio.Event) -> AsyncIterator[bytes]:
        """Yield the stream's bytes, until nothing more can come or the server stops."""
        end = asyncio.ensure_future(ending.wait())
        end.add_done_callback(lambda _: self._woken.set())
        self._tidy = end.cancel
        yield f"retry: {RETRY_MS}\n\n".encode()
        while not ending.is_set():
            while self._dirty:
                topic = next(iter(self._dirty))
                del self._dirty[topic]
                async for frame in self._news(topic):
                    yield frame
            if not self._live:
                yield self._frame({"topics": [*self._cursors]}, "end")
                return
            try:
                await asyncio.wait_for(self._woken.wait(), SILENCE_S)
            except TimeoutError:
                yield b": nothing new\n\n"
            self._woken.clear()

    async def _news(self, topic: str) -> AsyncIterator[bytes]:
        cursor = self._cursors[topic]
        update = await self._hub.since(topic, cursor or "")
        self._cursors[topic] = update.cursor
        if update.reset:
            yield self._frame({"topic": topic}, "reset")
        elif update.message is not None:
            yield self._frame(update.message)
        if update.ended:
            self._live.discard(topic)

    def _frame(self, message: Mapping[str, Any], event: str = "") -> bytes:
        # JSON in ASCII holds no line ends, so nothing in it can begin another field.
        cursors = json.dumps(self._cursors, separators=(",", ":"))
        named = f"event: {event}\n" if event else ""
        return f"id: {cursors}\n{named}data: {json.dumps(message)}\n\n".encode()

    def _wake(self, topic: str) -> None:
        self._dirty[topic] = None
        self._woken.set()


class _Closing(StreamingResponse):
    """The response of a stream, which is closed whatever happens."""

    def __init__(self, stream: Stream, ending: asyncio.Event) -> None:
        headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
        super().__init__(stream.frames(ending), media_type="text/event-stream", headers=headers)
        self._stream = stream

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the stream."""
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._stream.close()


@router.get("/stream", response_class=StreamingResponse, include_in_schema=False)  # no JSON to be typed
async def stream(house: TheHouse, asking: Asking, request: Request, topics: str) -> StreamingResponse:
    """Changes of the topics named, separated by commas: `sitting:ID` and `room:ID` say only that something
    has changed, `run:NAME` sends its counters, `episode:RUN:N:VIEW` its new items.

    A topic that this visitor may not listen to is left out; if all are, the answer is 403.
    """
    wanted = [one for one in dict.fromkeys(topics.split(",")) if one]
    if not wanted or len(wanted) > MOST_TOPICS or any(len(one) > _LONGEST for one in wanted):
        raise BadInput(f"name 1 to {MOST_TOPICS} topics", where="topics")
    hub = hub_of(house)
    known = _cursors(request.headers.get("last-event-id", ""))
    found: dict[str, str | None] = {}
    for topic in wanted:
        if await _may(hub, asking, topic):
            found[topic] = known[topic] if topic in known else await _begun(hub, topic)
    if not found:
        raise NotAllowed("this cannot be followed from here", where=", ".join(wanted)[:200])
    return _Closing(Stream(hub, found), house.ending)


async def _may(hub: Hub, asking: Visitor, topic: str) -> bool:
    kind, name = hub.kind_of(topic)
    return await hub.in_reader(lambda: kind.may(asking, name))


async def _begun(hub: Hub, topic: str) -> str:
    kind, name = hub.kind_of(topic)
    return await hub.in_reader(lambda: kind.now(name))


def _cursors(last: str) -> dict[str, str]:
    """The cursors of a stream that is opened again; none of text that is not ours."""
    try:
        found = json.loads(last)
    except ValueError:
        return {}
    if not isinstance(found, dict):
        return {}
    return {topic: cursor for topic, cursor in found.items() if isinstance(cursor, str)}
