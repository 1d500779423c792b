"""The servers of this process, one for each file of weights; clients of the same file share it.

A server is started when the first request is sent, and ends with this process. One that has died is started
again by the next request.
"""

from __future__ import annotations

import asyncio
import atexit
import json
import os
import secrets
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryFile
from threading import Lock
from typing import IO, Final, NamedTuple
from urllib.parse import urlsplit

from osler.errors import BadInput, install_line
from osler.models.config import Endpoint
from osler.models.embedded.settings import CONTEXT, default_threads
from osler.models.faults import EndpointFault, Fault, Kind
from osler.models.secret import Secret, sanitized

_LOOK_S: Final = 0.02
_MAGIC: Final = b"GGUF"
_CHILD: Final = "osler.models.embedded.child"


class ServedFile(NamedTuple):
    """A file, and how it is to be served."""

    path: Path
    threads: int
    context: int
    parallel: int


class LocalServer:
    """The server of one file, for the endpoints of a name, and the key without which it answers nobody."""

    def __init__(self, name: str, file: ServedFile) -> None:
        self.name, self.wanted = name, file
        self.key = Secret(secrets.token_urlsafe(24))
        self._process: _Process | None = None
        self._lock = Lock()

    async def port(self) -> int:
        """The port it listens on, as soon as it does. Raises EndpointFault if it ends before."""
        process = self._started()
        while (port := process.port()) is None:
            if process.gone and process.port() is None:
                raise EndpointFault(self.name, Fault(Kind.NOT_SERVED, process.last_words()))
            await asyncio.sleep(_LOOK_S)
        return port

    @property
    def pid(self) -> int | None:
        """Its process, `None` if it was never started."""
        return self._process.pid if self._process else None

    def end(self) -> None:
        """End it; a later request starts it again."""
        with self._lock:
            if self._process is not None:
                self._process.end()
                self._process = None

    def _started(self) -> _Process:
        with self._lock:
            if self._process is not None and self._process.gone:
                self._process.end()
                self._process = None
            self._process = self._process or _Process(self.wanted, self.key)
            return self._process


class _Process:
    """One process that serves; its words go to files, so that nobody has to read them in time."""

    def __init__(self, file: ServedFile, key: Secret) -> None:
        self._port: int | None = None
        self._words = ""
        self._said: IO[bytes] = TemporaryFile()  # noqa: SIM115 - closed by `end`
        self._log: IO[bytes] = TemporaryFile()  # noqa: SIM115
        self._child = subprocess.Popen(  # noqa: S603 - our own program
            [sys.executable, "-m", _CHILD],
            stdin=subprocess.PIPE,
            stdout=self._said,
            stderr=self._log,
            start_new_session=True,  # Ctrl-C at a terminal is for Osler, which may yet save an answer
        )
        told = {**file._asdict(), "path": str(file.path), "model": file.path.stem, "key": key.reveal()}
        assert self._child.stdin is not None
        self._child.stdin.write(json.dumps(told).encode() + b"\n")
        self._child.stdin.flush()

    @property
    def pid(self) -> int:
        return self._child.pid

    @property
    def gone(self) -> bool:
        return self._child.poll() is not None

    def port(self) -> int | None:
        """The port it listens on, `None` while it loads."""
        if (
            self._port is None
            and not self._words
            and (said := os.pread(self._said.fileno(), 4096, 0)).endswith(b"\n")
        ):
            self._port = urlsplit(said.decode().strip()).port
        return self._port

    def end(self) -> None:
        self._child.kill()
        self._child.wait()
        self.last_words()
        for file in (self._child.stdin, self._said, self._log):
            if file is not None:
                file.close()

    def last_words(self) -> str:
        """The reason why the process ended; kept, since others may be waiting for the same process."""
        if not self._words:
            code = self._child.returncode
            ended = f"ended by signal {-code}" if code < 0 else f"ended with status {code}"
            log = os.pread(self._log.fileno(), 1 << 16, 0).decode("utf-8", "replace").splitlines()
            errors = [words for line in log if (words := line.partition(" E ")[2].strip())]
            self._words = sanitized(f"{ended}: {(errors or log or ['it said nothing'])[0]}")
        return self._words


_SERVERS: Final[dict[Path, LocalServer]] = {}
_OPENING: Final = Lock()


def server_of(endpoint: Endpoint) -> LocalServer | None:
    """The server of an endpoint's file, `None` if it has none. Nothing is started by this.

    Raises BadInput if the file or the library cannot be used, or if another endpoint of this process serves
    the file with other settings.
    """
    if endpoint.gguf is None:
        return None
    where = f"endpoint {endpoint.name}"
    _check(endpoint.gguf, where)
    file = ServedFile(
        endpoint.gguf.resolve(),
        endpoint.threads or default_threads(),
        endpoint.context or CONTEXT,
        endpoint.parallel or 1,
    )
    with _OPENING:
        server = _SERVERS.setdefault(file.path, LocalServer(endpoint.name, file))
    if server.wanted != file:
        raise BadInput(
            f"{file.path} is served with other threads, context or parallel",
            where=where,
            hint="give every endpoint of this file the same, or name one endpoint in all seats",
        )
    return server


def end_servers() -> None:
    """End every server of this process."""
    with _OPENING:
        for server in _SERVERS.values():
            server.end()
        _SERVERS.clear()


atexit.register(end_servers)


def _check(path: Path, where: str) -> None:
    if find_spec("xllamacpp") is None:
        raise BadInput("a file of weights is served with xllamacpp", where=where, hint=install_line("local"))
    try:
        with path.open("rb") as file:
            begins = file.read(len(_MAGIC))
    except FileNotFoundError:
        hint = "download it, or correct `gguf`, which is relative to the folder of osler.toml"
        raise BadInput(f"there is no file {path}", where=where, hint=hint) from None
    except IsADirectoryError:
        hint = "name the file inside it that ends in .gguf"
        raise BadInput(f"{path} is a folder", where=where, hint=hint) from None
    except OSError as error:
        raise BadInput(
            f"{path} cannot be read: {error.strerror}", where=where, hint="allow it to be read"
        ) from None
    if begins != _MAGIC:
        hint = "name a file of weights in the format of llama.cpp; other formats have to be converted"
        raise BadInput(f"{path} is not in the GGUF format", where=where, hint=hint)
