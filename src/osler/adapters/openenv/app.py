"""The ASGI application that OpenEnv's clients speak to, and the server that runs it."""

from __future__ import annotations

import ipaddress
import socket
from contextlib import suppress
from functools import partial
from typing import Final
from urllib.parse import urlsplit

import uvicorn
from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse
from openenv.core.env_server.http_server import HTTPEnvServer
from openenv.core.env_server.types import ConcurrencyConfig
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from osler.adapters.openenv.encounters import Encounters
from osler.adapters.openenv.environment import OslerEnvironment
from osler.adapters.openenv.models import OslerAction, OslerObservation, OslerState
from osler.errors import BadInput, InfrastructureFault, OslerError, Stale

HOST: Final = "127.0.0.1"
SESSIONS: Final = 64
IDLE_S: Final = 3600.0
MOST_MESSAGE: Final = 2 << 20
"""The longest message or body of a client, in bytes."""
GRACE_S: Final = 2
_BACKLOG: Final = 512
_OWN_NAMES: Final = frozenset({"localhost", "127.0.0.1", "::1"})


def app_of(
    encounters: Encounters, *, sessions: int = SESSIONS, idle_s: float = IDLE_S, host: str = HOST
) -> FastAPI:
    """Build the application: `/ws` for sessions, and OpenEnv's other routes. At most `sessions` are open at
    once; one that has done nothing for `idle_s` seconds is left. `host` is the address it will listen on: on
    this machine's own, requests that name another host are refused.
    """
    app = FastAPI(
        title="Osler", description="Simulated clinical encounters. For education and research only."
    )

    @app.get("/health", tags=["Health"], summary="Health check")
    async def health() -> JSONResponse:
        """503 and the reason, while the last encounter that ended was stopped by a fault."""
        result = encounters.tally
        if result.up:
            return JSONResponse({"status": "healthy"})
        return JSONResponse({"status": "unhealthy", "reason": result.last}, status_code=503)

    limits = ConcurrencyConfig(max_concurrent_envs=sessions, session_timeout=idle_s)
    HTTPEnvServer(
        partial(OslerEnvironment, encounters),
        OslerAction,
        OslerObservation,
        concurrency_config=limits,
        env_name="osler",
        state_cls=OslerState,
    ).register_routes(app)
    app.router.on_startup.append(encounters.open)
    app.router.on_shutdown.append(encounters.close)
    app.add_exception_handler(OslerError, _in_words)
    app.add_middleware(_Guard, host=host)
    return app


async def _in_words(request: Request, error: Exception) -> JSONResponse:
    status = 409 if isinstance(error, Stale) else 400 if isinstance(error, BadInput) else 503
    return JSONResponse({"detail": str(error)}, status_code=status)


class _Guard:
    """Refuses requests that another site's page makes in a browser: those carry the origin of that page, or,
    where its name leads to this machine, that name as their host. An observation for a client that has gone
    meanwhile is dropped; that it has gone is then received."""

    def __init__(self, app: ASGIApp, host: str) -> None:
        self._app, self._names = app, _OWN_NAMES if is_loopback(host) else None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = Headers(scope=scope) if scope["type"] in ("http", "websocket") else None
        if headers is not None and scope["type"] == "http" and (why := _too_long(headers)):
            await JSONResponse({"detail": why}, status_code=413)(scope, receive, send)
        elif headers is None or self._is_own(headers):
            await self._app(scope, receive, _to_the_connected(send))
        elif scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close", "code": 1008})
        else:
            refused = JSONResponse({"detail": "this server answers no other sites' pages"}, status_code=403)
            await refused(scope, receive, send)

    def _is_own(self, headers: Headers) -> bool:
        host, origin = headers.get("host", ""), headers.get("origin")
        if origin is not None and urlsplit(origin).netloc != host:
            return False
        return self._names is None or (_name_of(host) or "") in self._names


def _too_long(headers: Headers) -> str:
    """Return the objection to a body, else empty. uvicorn limits the messages of sockets alone."""
    length = headers.get("content-length", "0")
    if "transfer-encoding" in headers or not length.isascii() or not length.isdigit():
        return "a body has to say its length"
    return f"a body has at most {MOST_MESSAGE} bytes" if int(length[:20]) > MOST_MESSAGE else ""


def _to_the_connected(send: Send) -> Send:
    async def sent(message: Message) -> None:
        with suppress(OSError):
            await send(message)

    return sent


def _name_of(host: str) -> str | None:
    try:
        return urlsplit(f"//{host}").hostname
    except ValueError:
        return None


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach an address."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def listening(host: str, port: int) -> socket.socket:
    """A socket that listens; port 0 takes a free one. Raises BadInput if it cannot be had."""
    try:
        return socket.create_server((host, port), backlog=_BACKLOG)
    except OSError as error:
        raise BadInput(
            f"{host}:{port} cannot be listened on: {error.strerror or error}", where="--port"
        ) from None


def address(host: str, port: int) -> str:
    """The base URL for clients."""
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"


def server_of(app: FastAPI) -> uvicorn.Server:
    """The server of an application, to be run or awaited; it says nothing but warnings."""
    return uvicorn.Server(
        uvicorn.Config(
            app,
            lifespan="on",
            log_level="warning",
            access_log=False,
            ws_max_size=MOST_MESSAGE,
            timeout_graceful_shutdown=GRACE_S,
        )
    )


def serve(app: FastAPI, encounters: Encounters, taken: socket.socket) -> None:
    """Serve until stopped. Raises InfrastructureFault if a fault stopped any encounter, or none of those that
    ended could be scored."""
    with suppress(KeyboardInterrupt):  # uvicorn raises it again once it has shut down
        server_of(app).run(sockets=[taken])
    tally = encounters.tally
    if tally.faults:
        what = f"faults stopped {tally.faults} encounters ({tally.scored} were scored)"
        raise InfrastructureFault(what, hint=f"the last: {tally.last}")
    if tally.unscored and not tally.scored:
        what = f"not one of {tally.unscored} encounters could be scored"
        raise InfrastructureFault(what, hint=f"the last: {tally.last}")
