"""Serving: the port taken, and the application run behind it until it is stopped."""

from __future__ import annotations

import asyncio
import errno
import socket
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

import uvicorn

from osler.errors import BadInput
from osler.web.app import application
from osler.web.connections import protocol_of
from osler.web.house import House

GRACE_S: Final = 2
"""Seconds that requests under way may still take once the server stops."""
_BACKLOG: Final = 128
_THREADS: Final = 24
_SWITCH_S: Final = 0.0005  # a request changes threads some twenty times: at Python's 5 ms that is 0.1 s
_MOST_AT_ONCE: Final = 1000  # connections, open streams included; more are answered 503


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
        taken.listen(_BACKLOG)
    except OSError as error:
        taken.close()
        if error.errno == errno.EADDRINUSE:
            raise BadInput(
                f"port {port} is in use, perhaps by another osler serve",
                where="--port",
                hint="open that one, or --port 0 picks a free one",
            ) from None
        if error.errno == errno.EACCES:
            raise BadInput(
                f"port {port} may not be used by you", where="--port", hint="take one above 1023"
            ) from None
        raise BadInput(f"{host}: {error.strerror}", where="--host", hint="--host 127.0.0.1") from None
    return taken


class Server(uvicorn.Server):
    """A server that ends its open streams when it is stopped, so that nobody waits for them."""

    def __init__(self, house: House, *, certfile: Path | None = None, keyfile: Path | None = None) -> None:
        super().__init__(
            uvicorn.Config(
                application(house),
                http=protocol_of(house.door),
                ws="none",
                lifespan="on",
                log_config=None,
                access_log=False,
                server_header=False,
                proxy_headers=False,
                limit_concurrency=_MOST_AT_ONCE,
                timeout_graceful_shutdown=GRACE_S,
                ssl_certfile=certfile,
                ssl_keyfile=keyfile,
            )
        )
        self._house = house

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, with threads enough for all who wait for the database, and turns short enough that a thread
        which computes does not make each answer wait."""
        asyncio.get_running_loop().set_default_executor(
            ThreadPoolExecutor(_THREADS, thread_name_prefix="ask")
        )
        sys.setswitchinterval(_SWITCH_S)
        await super().startup(sockets)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop: streams first, then what is under way, then what the rooms keep running."""
        self._house.ending.set()
        await super().shutdown(sockets)
