"""The server that agents speak MCP with: the tools of a desk, over standard input and output or HTTP.

The only module that imports the tool's package.
"""

from __future__ import annotations

import asyncio
import hmac
import json
import logging
import os
import signal
import socket
import stat
import sys
from base64 import b64encode
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, contextmanager, nullcontext
from ipaddress import ip_address
from typing import Any, Final

import uvicorn
from mcp import types
from mcp.server.lowlevel.server import Server
from mcp.server.stdio import stdio_server
from mcp.server.transport_security import TransportSecuritySettings

import osler
from osler.adapters.mcp import tools
from osler.adapters.mcp.desk import CallResult, Desk
from osler.adapters.mcp.text import RULES
from osler.errors import BadInput

PATH: Final = "/mcp"
_MOST_BYTES: Final = 256 * 1024
_MOST_SESSIONS: Final = 256
_MOST_CONNECTIONS: Final = 512
_GRACE_S: Final = 2
_HERE: Final = ("127.0.0.1", "localhost", "[::1]")
_OUTPUT: Final[Mapping[str, Any]] = {
    "type": "object",
    "properties": {
        "encounter": {"type": "string", "description": "The number to name in further calls."},
        "state": {"type": "string", "enum": ["none", "yours", "paused", "ended"]},
        "text": {"type": "string", "description": "What is new, as in the text content."},
        "ticket": {"type": "string", "description": "Identifies the open question."},
        "tries_left": {"type": "integer", "description": "Refusals before the encounter ends."},
        "left": {"type": "object", "description": "What is left of each limit after this turn."},
        "scores": {"type": "object"},
    },
    "required": ["encounter", "state", "text"],
}
Wire = Callable[[Server[Any]], Awaitable[None]]


def serve(
    desk_of: Callable[[], Desk], wire: Wire, around: AbstractAsyncContextManager[object] | None = None
) -> Desk:
    """Serve a desk until the wire ends, and leave its encounters. `desk_of` is called within the event loop,
    `around` held open meanwhile. Returns the desk as it was left."""
    logging.getLogger("mcp").addHandler(logging.NullHandler())
    logging.getLogger("mcp").propagate = False

    async def served() -> Desk:
        async with around or nullcontext():
            desk = desk_of()
            try:
                await wire(_server(desk))
            finally:
                await asyncio.shield(asyncio.ensure_future(desk.close()))
            return desk

    return asyncio.run(served())


async def over_stdio(server: Server[Any]) -> None:
    """Speak on standard input and output until the input ends, or a signal asks to stop. Raises BadInput if
    standard input is no pipe."""
    lines: Any = _lines(await _standard_input())

    async def speak() -> None:
        async with stdio_server(lines) as (read, write):
            await server.run(read, write, server.create_initialization_options())

    speaking = asyncio.ensure_future(speak())
    _on_signals(speaking.cancel)
    await asyncio.wait([speaking])
    if not speaking.cancelled() and (error := speaking.exception()):
        raise error


def over_http(taken: socket.socket, token: str, names: Sequence[str] = ()) -> Wire:
    """Speak streamable HTTP on a listening socket until a signal asks to stop. `token` is asked of every
    request; `names` are the hosts by which others reach it, such as that of a proxy."""

    async def speak(server: Server[Any]) -> None:
        hosts = [*names, *(f"{name}:*" for name in (*_HERE, *names))]
        app = server.streamable_http_app(
            streamable_http_path=PATH,
            max_request_body_size=_MOST_BYTES,
            max_sessions=_MOST_SESSIONS,
            transport_security=TransportSecuritySettings(
                allowed_hosts=hosts,
                allowed_origins=[f"{scheme}://{host}" for host in hosts for scheme in ("http", "https")],
            ),
        )
        config = uvicorn.Config(
            _Door(app, token),
            http="h11",
            ws="none",
            lifespan="on",
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            limit_concurrency=_MOST_CONNECTIONS,
            timeout_graceful_shutdown=_GRACE_S,
        )
        web = _Uvicorn(config)
        _on_signals(web.stop)
        await web.serve(sockets=[taken])

    return speak


def listening(host: str, port: int) -> socket.socket:
    """A socket that listens; port 0 takes a free one. Raises BadInput if it cannot be had."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        taken = socket.socket(family, kind, protocol)
    except OSError as error:
        raise BadInput(f"{host!r} is no address of this machine ({error})", where="--host") from None
    try:
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        taken.bind(address)
        taken.listen()
    except OSError as error:
        taken.close()
        raise BadInput(f"port {port} cannot be had: {error.strerror}", where="--http") from None
    return taken


def is_loopback(host: str) -> bool:
    """Whether an address to listen on can be reached from this machine only."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


async def _standard_input() -> asyncio.StreamReader:
    """Standard input without a thread, which a signal could not wake."""
    try:
        mode = os.fstat(sys.stdin.fileno()).st_mode
    except (OSError, ValueError):
        mode = 0
    if not (stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)):
        hint = "let an agent's client start this command, or add --http PORT"
        raise BadInput("no agent speaks on standard input", hint=hint)
    reader = asyncio.StreamReader(limit=_MOST_BYTES)
    await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), sys.stdin.buffer
    )
    return reader


async def _lines(reader: asyncio.StreamReader) -> AsyncIterator[str]:
    """The lines of a stream; one that is too long is told on as an empty one, which is refused."""
    while True:
        try:
            line = await reader.readline()
        except ValueError:
            line = b"\n"
        if not line:
            return
        yield line.decode("utf-8", "replace")


class _Door:
    """Lets requests through that bear the token, and answers all others 401."""

    def __init__(self, app: Any, token: str) -> None:
        self._app, self._wanted = app, token.encode()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http" and not self._may(dict(scope["headers"]).get(b"authorization", b"")):
            headers = [(b"content-type", b"application/json"), (b"www-authenticate", b"Bearer")]
            await send({"type": "http.response.start", "status": 401, "headers": headers})
            body = json.dumps({"error": "a token is needed: Authorization: Bearer TOKEN"}).encode()
            await send({"type": "http.response.body", "body": body})
            return
        await self._app(scope, receive, send)

    def _may(self, given: bytes) -> bool:
        kind, _, token = given.partition(b" ")
        return kind.lower() == b"bearer" and hmac.compare_digest(token.strip(), self._wanted)


class _Uvicorn(uvicorn.Server):
    """A server that leaves the signals to whoever runs it."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Capture none."""
        yield

    def stop(self) -> None:
        """Stop after what is under way."""
        self.should_exit = True


def _on_signals(stop: Callable[[], object]) -> None:
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop)


def _server(desk: Desk) -> Server[Any]:
    listed = types.ListToolsResult(
        tools=[
            types.Tool(
                name=one.name,
                description=one.about,
                input_schema=dict(one.schema),
                output_schema=dict(_OUTPUT),
                annotations=types.ToolAnnotations(
                    read_only_hint=one.name == tools.STATUS, destructive_hint=False, open_world_hint=False
                ),
            )
            for one in desk.tools
        ]
    )

    async def list_tools(context: Any, params: Any) -> types.ListToolsResult:
        return listed

    async def call_tool(context: Any, params: Any) -> types.CallToolResult:
        return _result(await desk.call(params.name, params.arguments or {}))

    return Server(
        "osler",
        version=osler.__version__,
        instructions=f"{RULES}\n\nCall open_case first.",
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


def _result(told: CallResult) -> types.CallToolResult:
    content: list[Any] = [types.TextContent(type="text", text=told.words)]
    for one in told.pictures:
        data = b64encode(one.data).decode()
        content.append(types.TextContent(type="text", text=f"The picture of {one.name}:"))
        content.append(types.ImageContent(type="image", data=data, mime_type=one.media_type))
    return types.CallToolResult(content=content, structured_content=told.as_json(), is_error=told.refused)
