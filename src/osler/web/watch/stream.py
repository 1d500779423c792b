"""The one stream of changes (server-sent events) that a browser's tab holds open."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any, Final

from fastapi import APIRouter, Request
from fastapi.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from osler.errors import BadInput, NotAllowed, OslerError
from osler.web.house import House, TheHouse
from osler.web.problems import NotFound
from osler.web.rights import Asking, Visitor
from osler.web.watch.hub import Hub, hub_of

SILENCE_S: Final = 15.0
"""The longest silence: then a comment keeps the connection open."""
RETRY_MS: Final = 1000
MOST_TOPICS: Final = 60
_LONGEST: Final = 300  # characters of a topic's name

router = APIRouter()


class Stream:
    """One open stream of a visitor. `cursors` say how far each topic has been sent; None: all of it is asked
    for anew. Before anything is sent it is asked again whether the visitor may have it."""

    def __init__(self, house: House, asking: Visitor, cursors: dict[str, str | None]) -> None:
        self._house, self._asking = house, asking
        self._hub = hub = hub_of(house)
        self._cursors = cursors
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
                for topic in [one for one in self._cursors if one in self._live]:
                    if not await self._still_may(topic):  # what was permitted until a date ends unannounced
                        yield self._refused(topic)
            self._woken.clear()

    async def _news(self, topic: str) -> AsyncIterator[bytes]:
        if topic not in self._cursors:
            return
        update = await self._hub.since(topic, self._cursors[topic] or "")
        if not await self._still_may(topic):  # asked last: nothing is sent that was taken back meanwhile
            yield self._refused(topic)
            return
        self._cursors[topic] = update.cursor
        if update.reset:
            yield self._frame({"topic": topic}, "reset")
        elif update.message is not None:
            yield self._frame(update.message)
        if update.ended:
            self._live.discard(topic)

    async def _still_may(self, topic: str) -> bool:
        try:
            return await _may(self._house, self._asking, topic)
        except OslerError:  # it is not there any more, or not for this visitor
            return False

    def _refused(self, topic: str) -> bytes:
        """The end of a topic: whoever asks for it anew is told why."""
        del self._cursors[topic]
        self._live.discard(topic)
        return self._frame({"topic": topic}, "reset")

    def _frame(self, message: Mapping[str, Any], event: str = "") -> bytes:
        # JSON in ASCII holds no line ends, so nothing in it can begin another field.
        cursors = json.dumps(self._cursors, separators=(",", ":"))
        text = f"event: {event}\n" if event else ""
        return f"id: {cursors}\n{text}data: {json.dumps(message)}\n\n".encode()

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

    A topic that this visitor may not listen to is left out; if all are, the answer is 403, or 404 if one of
    them is not there. One that the visitor may not listen to any more ends with `reset`.
    """
    wanted = [one for one in dict.fromkeys(topics.split(",")) if one]
    if not wanted or len(wanted) > MOST_TOPICS or any(len(one) > _LONGEST for one in wanted):
        raise BadInput(f"name 1 to {MOST_TOPICS} topics", where="topics")
    hub = hub_of(house)
    cursors = _cursors(request.headers.get("last-event-id", ""))
    result: dict[str, str | None] = {}
    missing: NotFound | None = None
    for topic in wanted:
        try:
            if await _may(house, asking, topic):
                result[topic] = cursors[topic] if topic in cursors else await _begun(hub, topic)
        except NotFound as error:
            missing = missing or error
    if not result:
        refused = NotAllowed("this cannot be followed from here", where=", ".join(wanted)[:200])
        raise missing or refused
    return _Closing(Stream(house, asking, result), house.ending)


async def _may(house: House, asking: Visitor, topic: str) -> bool:
    """Whether a visitor, with the rights of this moment, may listen to a topic."""
    hub = hub_of(house)
    kind, name = hub.kind_of(topic)
    return await hub.in_reader(lambda: kind.may(house.visitors.now(asking), name))


async def _begun(hub: Hub, topic: str) -> str:
    kind, name = hub.kind_of(topic)
    return await hub.in_reader(lambda: kind.now(name))


def _cursors(last: str) -> dict[str, str]:
    """The cursors of a stream that is opened again; none of text that is not ours."""
    try:
        value = json.loads(last)
    except ValueError:
        return {}
    if not isinstance(value, dict):
        return {}
    return {topic: cursor for topic, cursor in value.items() if isinstance(cursor, str)}
