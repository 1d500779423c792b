"""A minimal HTTP/1.1 server: keep-alive, pipelining, bodies with Content-Length.

A connection answers one request at a time and in order, however long an answer is delayed. The way an answer
fails on the wire is part of the answer (`Manner`), so that faults are real ones.
"""

from __future__ import annotations

import asyncio
import socket
import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Literal, NamedTuple

MAX_HEAD: Final = 64 << 10
MAX_BODY: Final = 64 << 20
_PIECES: Final = 8
_REASONS: Final = {
    200: "OK",
    400: "Bad Request",
    401: "Unauthorized",
    404: "Not Found",
    405: "Method Not Allowed",
    411: "Length Required",
    413: "Content Too Large",
    429: "Too Many Requests",
    431: "Request Header Fields Too Large",
    500: "Internal Server Error",
    503: "Service Unavailable",
}

Manner = Literal["whole", "never", "reset", "truncated", "slow"]


class HttpRequest(NamedTuple):
    """One request; `path` is without the query, the names of `headers` are in lower case."""

    method: str
    path: str
    body: bytes
    query: str = ""
    headers: Mapping[str, str] = MappingProxyType({})


class HttpReply(NamedTuple):
    """One answer, delayed by `delay_s` seconds; a slow body takes another `slow_s` seconds.

    `head` holds further header lines, each ending in CRLF.
    """

    status: int
    body: bytes
    kind: str = "application/json"
    head: str = ""
    delay_s: float = 0.0
    manner: Manner = "whole"
    slow_s: float = 0.0


Handler = Callable[[HttpRequest], HttpReply]


class _Unreadable(Exception):
    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


class _Head(NamedTuple):
    method: str
    path: str
    query: str
    headers: Mapping[str, str]
    length: int
    close: bool
    expects_continue: bool


@dataclass(slots=True)
class Traffic:
    """The number of requests in flight, and its maximum."""

    now: int = 0
    peak: int = 0

    def arrived(self) -> None:
        """Count a request that came in."""
        self.now += 1
        self.peak = max(self.peak, self.now)


class Connections:
    """Every open connection of one server."""

    def __init__(self, handler: Handler, traffic: Traffic) -> None:
        self.handler, self.traffic = handler, traffic
        self.open: set[Connection] = set()

    def new(self) -> Connection:
        """Protocol factory for one incoming connection."""
        return Connection(self)

    def abort(self) -> None:
        """Drop every connection, answered or not."""
        for connection in list(self.open):
            connection.transport.abort()


class Connection(asyncio.Protocol):
    """One client connection: it answers each request before it looks at the next."""

    transport: asyncio.Transport

    def __init__(self, connections: Connections) -> None:
        self._all = connections
        self._buffer = bytearray()
        self._head: _Head | None = None
        self._pending: asyncio.TimerHandle | None = None
        self._busy = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport. asyncio only ever gives a stream protocol a stream transport."""
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self._all.open.add(self)

    def connection_lost(self, exc: Exception | None) -> None:
        """Discard whatever was still to be sent."""
        self._all.open.discard(self)
        if self._pending:
            self._pending.cancel()
        if self._busy:
            self._done()

    def data_received(self, data: bytes) -> None:
        """Take in bytes and answer every complete request."""
        self._buffer += data
        if len(self._buffer) > MAX_HEAD + MAX_BODY:
            self.transport.abort()
        elif not self._busy:
            self._serve()

    def _serve(self) -> None:
        try:
            while not self._busy and not self.transport.is_closing() and (request := self._next_request()):
                self._answer(request)
        except _Unreadable as error:
            self._send(HttpReply(error.status, b"{}"))
            self.transport.close()

    def _next_request(self) -> HttpRequest | None:
        if self._head is None:
            end = self._buffer.find(b"\r\n\r\n", 0, MAX_HEAD)
            if end < 0:
                if len(self._buffer) >= MAX_HEAD:
                    raise _Unreadable(431)
                return None
            self._head = _read_head(bytes(self._buffer[:end]))
            del self._buffer[: end + 4]
            if self._head.expects_continue:
                self.transport.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        head = self._head
        if len(self._buffer) < head.length:
            return None
        body = bytes(self._buffer[: head.length])
        del self._buffer[: head.length]
        return HttpRequest(head.method, head.path, body, head.query, head.headers)

    def _answer(self, request: HttpRequest) -> None:
        self._busy = True
        self._all.traffic.arrived()
        reply = self._all.handler(request)
        if reply.delay_s > 0:
            self._pending = asyncio.get_running_loop().call_later(reply.delay_s, self._after_delay, reply)
        else:
            self._send(reply)

    def _after_delay(self, reply: HttpReply) -> None:
        self._send(reply)
        if not self._busy:
            self._serve()

    def _send(self, reply: HttpReply) -> None:
        if reply.manner == "never":
            return
        if reply.manner == "reset":
            self._reset()
            return
        reason = _REASONS.get(reply.status, "Unknown")
        head = (
            f"HTTP/1.1 {reply.status} {reason}\r\ncontent-type: {reply.kind}\r\n"
            f"content-length: {len(reply.body)}\r\n{reply.head}\r\n"
        ).encode()
        if reply.manner == "truncated":
            self.transport.write(head + reply.body[: len(reply.body) // 2])
            self.transport.close()
        elif reply.manner == "slow":
            self._drip(head, reply, 0)
        else:
            self.transport.write(head + reply.body)
            self._done()

    def _drip(self, head: bytes, reply: HttpReply, piece: int) -> None:
        size = len(reply.body) // _PIECES + 1
        self.transport.write(head + reply.body[piece * size : (piece + 1) * size])
        if piece + 1 < _PIECES:
            loop = asyncio.get_running_loop()
            self._pending = loop.call_later(reply.slow_s / _PIECES, self._drip, b"", reply, piece + 1)
            return
        self._done()
        self._serve()

    def _done(self) -> None:
        """Finish a request that was answered, or whose client is gone."""
        if not self._busy:
            return
        self._busy, self._pending = False, None
        self._all.traffic.now -= 1
        if self._head and self._head.close:
            self.transport.close()
        self._head = None

    def _reset(self) -> None:
        # Without lingering the system sends RST, as a crashed server does; a plain close would send FIN.
        self.transport.get_extra_info("socket").setsockopt(
            socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0)
        )
        self.transport.abort()


def _read_head(head: bytes) -> _Head:
    first, *lines = head.decode("latin-1").split("\r\n")
    try:
        method, target, version = first.split(" ")
    except ValueError:
        raise _Unreadable(400) from None
    if not version.startswith("HTTP/1."):
        raise _Unreadable(400)
    fields = {
        name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)
    }
    if "transfer-encoding" in fields:
        raise _Unreadable(411)
    length = fields.get("content-length", "0")
    if not (length.isascii() and length.isdigit() and len(length) < 16):
        raise _Unreadable(400)
    if int(length) > MAX_BODY:
        raise _Unreadable(413)
    text = fields.get("connection", "keep-alive" if version == "HTTP/1.1" else "close").lower()
    expects = fields.get("expect", "").lower() == "100-continue"
    path, _, query = target.partition("?")
    return _Head(method, path, query, fields, int(length), text == "close", expects)
