"""The guard: what every request passes before any route sees it, and every answer on its way out.

The browser is where the danger is: any page open in it can send requests to this machine. So a request must
name one of our own hosts (no name that somebody else's DNS points here), and one that changes anything must
come from a page of ours.
"""

from __future__ import annotations

import asyncio
import logging
import traceback
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Final
from urllib.parse import unquote_to_bytes

from starlette.concurrency import run_in_threadpool
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from osler.web.door import Door
from osler.web.limits import (
    ADDRESS_STREAMS,
    ALL_STREAMS,
    BEGINNINGS,
    CHANGES,
    ENTRIES,
    MOVES,
    STRANGE,
    STREAMS,
    Paces,
    Streams,
)
from osler.web.policy import POLICY
from osler.web.problems import answer
from osler.web.rights import Visitor
from osler.web.schemas import Problem
from osler.web.visitors import COOKIE, HOST_COOKIE, Visitors

MOST_BYTES: Final = 64 * 1024
"""The longest body that is read."""
_BODY_S: Final = 30.0
_SAFE: Final = frozenset({"GET", "HEAD"})
_UNSAFE: Final = frozenset({"POST", "PUT", "PATCH", "DELETE"})
_LOG: Final = logging.getLogger("osler.web")

_HEADERS: Final = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), geolocation=(), microphone=(), payment=(), usb=()"),
)
_UNLESS_SET: Final = ((b"content-security-policy", POLICY.encode()), (b"cache-control", b"no-store"))
"""Headers that a route may set otherwise: a report has a stricter policy, a picture is kept."""

_NO_PLAIN: Final = (b"set-cookie", f"{COOKIE}=; Max-Age=0; Path=/; Secure".encode())
"""Removes the cookie that an earlier version set by TLS."""


class Refused(Exception):
    """A request that the guard does not let through: the status, and the words."""

    def __init__(self, status: int, what: str, mend: str = "", *, wait: int = 0) -> None:
        super().__init__(what)
        self.status, self.problem = status, Problem(what=what, mend=mend)
        self.headers = {"retry-after": str(wait)} if wait else {}


class Guard:
    """Pure ASGI middleware around the whole application. `ending` ends the open streams when it is set."""

    def __init__(self, app: ASGIApp, *, door: Door, visitors: Visitors, ending: asyncio.Event) -> None:
        self._app, self._door, self._visitors, self._ending = app, door, visitors, ending
        self._moves, self._changes, self._beginnings = Paces(MOVES), Paces(CHANGES), Paces(BEGINNINGS)
        self._entries, self._strange = Paces(ENTRIES), Paces(STRANGE)
        self._streams = Streams()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through with its visitor, or refuse it."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return
        begun = open_ = False

        async def sent(message: Message) -> None:
            nonlocal begun, open_
            open_ = message.get("more_body", False)
            if message["type"] == "http.response.start":
                begun = open_ = True
                message = {**message, "headers": _with_ours(message["headers"], scope)}
            await send(message)

        try:
            body = await self._admitted(scope, receive)
            with self._counted(scope):
                await self._app(scope, self._receiver(body, receive), sent)
            if open_ and self._ending.is_set():  # a stream that was cut off ends as others do
                await send({"type": "http.response.body", "body": b"", "more_body": False})
        except Refused as refused:
            await answer(refused.status, refused.problem, refused.headers)(scope, receive, sent)
        except Exception as error:
            if begun:
                raise
            place = traceback.extract_tb(error.__traceback__)[-1]
            _LOG.exception("a request failed: %r at %s:%s", error, place.filename, place.lineno)
            problem = Problem(
                what="something went wrong here, not with you", mend="try again; the log has it"
            )
            await answer(500, problem)(scope, receive, sent)

    async def _admitted(self, scope: Scope, receive: Receive) -> bytes:
        """Check a request and note its visitor in the scope; the body that was read. Raises Refused."""
        host = self._host(scope)
        if _hidden(scope["path"]) or _hidden(
            unquote_to_bytes(scope["query_string"]).decode("utf-8", "replace")
        ):
            raise Refused(400, "an address cannot hold control characters")
        method, body = scope["method"], b""
        if method in _UNSAFE:
            body = await _whole_body(scope, receive)
            self._check_origin(scope, host, body)
        elif method not in _SAFE:
            raise Refused(405, "this method is not used here")
        peer = (scope["client"] or ("",))[0]
        scope["osler.address"] = self._door.visitor_address(peer, _values(scope, b"x-forwarded-for"))
        secret = _cookie(scope)
        if secret:  # looks into the store
            scope["osler.visitor"] = await run_in_threadpool(self._visitors.who, secret)
        else:
            scope["osler.visitor"] = self._visitors.who(secret)
        if method in _UNSAFE and self._door.shared:
            self._check_pace(scope)
        return body

    def _host(self, scope: Scope) -> str:
        values = _values(scope, b"host")
        if len(values) != 1 or values[0].lower() not in self._door.hosts:
            raise Refused(421, "this server is not known by that name", "start it with --host-name NAME")
        return values[0].lower()

    def _check_origin(self, scope: Scope, host: str, body: bytes) -> None:
        """Raises Refused for a request that a page of somebody else may have sent."""
        origins, sites = _values(scope, b"origin"), _values(scope, b"sec-fetch-site")
        if any(site not in ("same-origin", "none") for site in sites):
            raise Refused(403, "this came from another page", "open the server's own address")
        if origins and not (len(origins) == 1 and self._door.ours(host, origins[0])):
            raise Refused(403, "this came from another page", "open the server's own address")
        if not origins and self._door.shared:
            raise Refused(403, "a shared server needs to know where a request comes from", "send Origin")
        # Programs send no Origin. Every browser sends one with a request that may change something, and a
        # page of another origin cannot even send this content type without asking first (CORS), which is
        # never granted. So what comes without Origin to a server of one's own is a program of this machine.
        kinds = [kind.partition(";")[0].strip().lower() for kind in _values(scope, b"content-type")]
        if (body or not origins) and kinds != ["application/json"]:
            raise Refused(415, "send JSON", "set Content-Type: application/json")

    def _check_pace(self, scope: Scope) -> None:
        """Raises Refused for a visitor who is too fast."""
        asking: Visitor = scope["osler.visitor"]
        path: str = scope["path"]
        if not asking.id:  # those who have come in do not share the pace of their address
            paces = self._entries if _enters(path) else self._strange
            wait = paces.wait(scope["osler.address"])
        elif path.endswith("/moves"):
            wait = self._moves.wait(asking.id)
        else:
            wait = self._changes.wait(asking.id)
            if not wait and scope["method"] == "POST" and _begins(path):
                wait = self._beginnings.wait(asking.id)
        if wait:
            raise Refused(429, "too many at once", f"wait {wait} s, then try again", wait=wait)

    @contextmanager
    def _counted(self, scope: Scope) -> Iterator[None]:
        """Meanwhile, count a stream. Raises Refused if there are too many."""
        if not scope["path"].endswith("/stream"):
            yield
            return
        asking: Visitor = scope["osler.visitor"]
        if self._streams.all >= ALL_STREAMS:
            raise Refused(503, "too many are watching", "try again in a minute", wait=60)
        address = f"at {scope['osler.address']}"
        if self._door.shared and self._streams.of(asking.id) >= STREAMS:
            raise Refused(429, f"more than {STREAMS} tabs are open", "close some", wait=10)
        if self._door.shared and self._streams.of(address) >= ADDRESS_STREAMS:
            raise Refused(503, "too many are watching from one address", "try again in a minute", wait=60)
        with self._streams.one_more(asking.id, address):
            yield

    def _receiver(self, body: bytes, receive: Receive) -> Receive:
        """The body as one message, and then nothing until the visitor leaves or the server ends."""
        given = False

        async def received() -> Message:
            nonlocal given
            if not given:
                given = True
                return {"type": "http.request", "body": body, "more_body": False}
            return await _first_of(_left(receive), self._ended)

        return received

    async def _ended(self) -> Message:
        await self._ending.wait()
        return {"type": "http.disconnect"}


async def _first_of(*started: Callable[[], Awaitable[Message]]) -> Message:
    tasks = [asyncio.ensure_future(each()) for each in started]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        return done.pop().result()
    finally:
        for task in tasks:
            task.cancel()


def _left(receive: Receive) -> Callable[[], Awaitable[Message]]:
    async def left() -> Message:
        while (message := await receive())["type"] != "http.disconnect":
            pass
        return message

    return left


async def _whole_body(scope: Scope, receive: Receive) -> bytes:
    too_long = Refused(413, f"more than {MOST_BYTES} bytes", "send less at a time")
    values = _values(scope, b"content-length")
    if any(not one.isdecimal() or int(one[:20]) > MOST_BYTES for one in values):
        raise too_long
    body = bytearray()
    try:
        async with asyncio.timeout(_BODY_S):
            while True:
                message = await receive()
                body += message.get("body", b"")
                if len(body) > MOST_BYTES:
                    raise too_long
                if not message.get("more_body"):
                    return bytes(body)
    except TimeoutError:
        raise Refused(408, "the request did not arrive in time") from None


def _enters(path: str) -> bool:
    return path == "/api/enter" or path.startswith("/api/join/")


def _begins(path: str) -> bool:
    """Whether somebody sits down to a new encounter."""
    if path in ("/api/sittings", "/api/branches"):
        return True
    of_a_room = path.startswith("/api/rooms/") and path.endswith("/sittings")
    return of_a_room or (path.startswith("/api/sittings/") and path.endswith("/again"))


def _with_ours(headers: list[tuple[bytes, bytes]], scope: Scope) -> list[tuple[bytes, bytes]]:
    there = {name.lower() for name, _ in headers}
    if b"set-cookie" in there and _by_tls(scope):
        headers = [*_bound_to_host(headers), *([_NO_PLAIN] if _cookies(scope, COOKIE) else [])]
    return [*headers, *_HEADERS, *(each for each in _UNLESS_SET if each[0] not in there)]


def _bound_to_host(headers: list[tuple[bytes, bytes]]) -> Iterator[tuple[bytes, bytes]]:
    """Headers whose cookie, set by TLS, no other host and no page without TLS can replace."""
    for name, value in headers:
        if name.lower() == b"set-cookie":
            yield name, value.replace(COOKIE.encode(), HOST_COOKIE.encode(), 1) + b"; Secure"
        else:
            yield name, value


def _by_tls(scope: Scope) -> bool:
    """Whether the browser speaks TLS, to us or to the proxy before us."""
    return scope["scheme"] == "https" or any(one.startswith("https:") for one in _values(scope, b"origin"))


def _values(scope: Scope, name: bytes) -> list[str]:
    return [value.decode("latin-1") for key, value in scope["headers"] if key == name]


def _cookie(scope: Scope) -> str:
    """The secret of a visitor. Where we speak TLS ourselves, a cookie without it is not ours."""
    plain = [] if scope["scheme"] == "https" else _cookies(scope, COOKIE)
    secrets = _cookies(scope, HOST_COOKIE) or plain
    return secrets[0] if len(secrets) == 1 else ""


def _cookies(scope: Scope, name: str) -> list[str]:
    """The values of the cookies with exactly this name. A cookie ends at a semicolon and nowhere else, so
    that none that another host has set can hold one of ours."""
    pairs = (pair.partition("=") for line in _values(scope, b"cookie") for pair in line.split(";"))
    return [value.strip() for key, _, value in pairs if key.strip() == name]


def _hidden(text: str) -> bool:
    return any(ord(letter) < 32 or ord(letter) == 127 for letter in text)
