"""The wire of the fake endpoint: requests and answers over aiohttp's server.

The way an answer fails on the wire is part of the answer (`Manner`), so that faults are real ones.
"""

from __future__ import annotations

import asyncio
import socket
import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final, Literal, NamedTuple

from aiohttp import web

MAX_BODY: Final = 64 << 20
_BACKLOG: Final = 1024
_PIECES: Final = 8
_AT_ONCE_S: Final = 0.001  # aiohttp takes 0 for no limit

NO_HEADERS: Final[Mapping[str, str]] = MappingProxyType({})
Manner = Literal["whole", "never", "reset", "truncated", "slow"]


class HttpRequest(NamedTuple):
    """One request; `path` is without the query, the names of `headers` are in lower case."""

    method: str
    path: str
    body: bytes
    query: str = ""
    headers: Mapping[str, str] = NO_HEADERS


class HttpReply(NamedTuple):
    """One answer, delayed by `delay_s` seconds; a slow body takes another `slow_s` seconds. `more` are
    further headers."""

    status: int
    body: bytes
    kind: str = "application/json"
    more: Mapping[str, str] = NO_HEADERS
    delay_s: float = 0.0
    manner: Manner = "whole"
    slow_s: float = 0.0

    @property
    def headers(self) -> dict[str, str]:
        """All headers."""
        return {"content-type": self.kind, "content-length": str(len(self.body)), **self.more}


Handler = Callable[[HttpRequest], HttpReply]


@dataclass(slots=True)
class Traffic:
    """The number of requests in flight, and its maximum."""

    now: int = 0
    peak: int = 0


class Wire:
    """A server of a handler's answers, from `start` to `stop`."""

    def __init__(self, handler: Handler, traffic: Traffic) -> None:
        self.handler, self.traffic = handler, traffic
        self._runner: web.AppRunner | None = None

    async def start(self, host: str, port: int) -> None:
        """Listen. Raises OSError or OverflowError for a port that cannot be used."""
        app = web.Application(client_max_size=MAX_BODY)
        app.router.add_route("*", "/{path:.*}", self._answer)
        self._runner = web.AppRunner(
            app, handler_cancellation=True, access_log=None, shutdown_timeout=_AT_ONCE_S
        )
        await self._runner.setup()
        await web.TCPSite(self._runner, host, port, backlog=_BACKLOG).start()

    async def stop(self) -> None:
        """Stop listening and drop every connection, answered or not."""
        if self._runner:
            await self._runner.cleanup()

    @property
    def port(self) -> int:
        """The port it listens on. Raises RuntimeError if it does not."""
        addresses: list[Any] = self._runner.addresses if self._runner else []
        if not addresses:
            raise RuntimeError("the endpoint runs only inside `async with`")
        return int(addresses[0][1])

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        headers = {name.lower(): value for name, value in request.headers.items()}
        body = await request.read()
        self.traffic.now += 1
        self.traffic.peak = max(self.traffic.peak, self.traffic.now)
        try:
            reply = self.handler(
                HttpRequest(request.method, request.path, body, request.query_string, headers)
            )
            if reply.delay_s > 0:
                await asyncio.sleep(reply.delay_s)
            return await _sent(request, reply)
        finally:
            self.traffic.now -= 1


async def _sent(request: web.Request, reply: HttpReply) -> web.StreamResponse:
    """Send an answer in its manner."""
    if reply.manner == "whole":
        return web.Response(body=reply.body, status=reply.status, headers=reply.headers)
    if reply.manner == "never":
        await asyncio.Event().wait()  # until the client gives up
    transport = request.transport
    answer = web.StreamResponse(status=reply.status, headers=reply.headers)
    if transport is None:
        return answer  # the client is gone
    if reply.manner == "reset":
        # Without lingering the system sends RST, as a crashed server does; a plain close would send FIN.
        linger = struct.pack("ii", 1, 0)
        transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        transport.abort()
        return answer
    await answer.prepare(request)
    if reply.manner == "truncated":
        await answer.write(reply.body[: len(reply.body) // 2])
        transport.close()
        return answer
    size = len(reply.body) // _PIECES + 1
    for start in range(0, len(reply.body), size):
        await answer.write(reply.body[start : start + size])
        await asyncio.sleep(reply.slow_s / _PIECES)
    return answer
