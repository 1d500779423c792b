"""Runs that this server plays: each in a process of its own, `osler resume`.

So a run blocks nobody who looks at it, and a server that is killed loses nothing: the process plays on, and
its place in the store says so. When the server is stopped in good order its runs are interrupted, since
nobody would see what they cost; they can be resumed. The store's address and keys are handed over in the
environment, never on a command line.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryFile
from threading import Lock
from typing import IO, Final, NamedTuple, Self

from osler.errors import BadInput
from osler.players.admission import OTHERS, check_config
from osler.runs.run import STARTED_BY, config_of
from osler.runs.seating import ModelOptions
from osler.store.leases import Process, Worker, holders, is_gone, this_process
from osler.store.records import RunInfo
from osler.web.evaluate.schemas import RunState
from osler.web.house import House

_ROOM: Final = "evaluate.playing"
AT_ONCE: Final = 8
"""The number of episodes of a run that are played at once, unless the run was started with another."""

_MOST_AT_ONCE: Final = 8
_STOP_S: Final = 10.0
_MOST_SAID: Final = 20_000


class _Child(NamedTuple):
    """A process that plays a run, and the file of what it says."""

    process: subprocess.Popen[bytes]
    said: IO[bytes]

    def words(self) -> str:
        """The end of what it has said."""
        size = self.said.seek(0, os.SEEK_END)
        self.said.seek(max(0, size - _MOST_SAID))
        return self.said.read().decode(errors="replace")


class Playing:
    """The processes that this server has started, by the name of their run. For any thread."""

    def __init__(self, house: House) -> None:
        self._house = house
        self._children: dict[str, _Child] = {}
        self._why: dict[str, str] = {}
        self._lock = Lock()

    @classmethod
    def of(cls, house: House) -> Self:
        """The one of a server."""
        room: Self = house.rooms.setdefault(_ROOM, cls(house))
        return room

    def plays(self, name: str) -> bool:
        """Whether a process of this server plays a run now."""
        with self._lock:
            self._look()
            return name in self._children

    def state(self, run: RunInfo) -> RunState:
        """The state of a run. A process that has just been started for it holds no lease yet."""
        return "running" if run.status == "interrupted" and self.plays(run.name) else run.status

    def why(self, name: str) -> str:
        """Return the reason why a run stopped, as its process gave it; "" if it did not stop."""
        with self._lock:
            self._look()
            return self._why.get(name, "")

    def play(self, run: RunInfo, options: ModelOptions, concurrency: int) -> None:
        """Play what is left of a run. Raises BadInput if it is played already, or too many are, and
        NotAllowed if a player in it is code or a file: then its owner resumes it at a terminal."""
        check_config(config_of(run), OTHERS)
        with self._lock:
            self._look()
            if run.name in self._children:
                raise BadInput("the run is being played already", where=run.name)
            if len(self._children) >= _MOST_AT_ONCE:
                what = f"this server plays {_MOST_AT_ONCE} runs already"
                raise BadInput(what, where=run.name, hint="pause one of them, or wait until it ends")
            self._why.pop(run.name, None)
            # A file, since nobody reads a pipe once the server is gone.
            said = TemporaryFile()  # noqa: SIM115 - closed when the process has ended
            process = subprocess.Popen(  # noqa: S603 - our own program, and a run's name
                [sys.executable, "-m", "osler.cli.main", *_arguments(run, options, concurrency)],
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=subprocess.STDOUT,
                env={**os.environ, "OSLER_STORE": self._address(), STARTED_BY: run.name},
                start_new_session=True,  # a Ctrl-C at the server is not for them
            )
            self._children[run.name] = _Child(process, said)

    def pause(self, run: RunInfo) -> bool:
        """Ask the processes that a server started for this run to stop; they finish no further episode, and
        everything recorded stays. Whether there are any."""
        with self._house.store.connected() as connection:
            result = holders(connection, self._house.store.label, run.id)
        ours = [one.process.pid for one in result if _is_ours(one, run.name)]
        with self._lock:
            self._look()
            child = self._children.get(run.name)
        if child is not None and child.process.pid not in ours:
            ours.append(child.process.pid)
        for pid in ours:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGINT)
        return bool(ours)

    def stop(self) -> None:
        """Interrupt everything this server plays, and wait a while for it."""
        with self._lock:
            children = list(self._children.values())
        for child in children:
            child.process.send_signal(signal.SIGINT)
        for child in children:
            with suppress(subprocess.TimeoutExpired):
                child.process.wait(timeout=_STOP_S)
        with self._lock:
            self._look()

    def _look(self) -> None:
        """Note those that have ended, and what they said."""
        for name, child in list(self._children.items()):
            if child.process.poll() is not None:
                self._why[name] = _reason(child.words(), child.process.returncode)
                child.said.close()
                del self._children[name]

    def _address(self) -> str:
        return self._house.store.engine.url.render_as_string(hide_password=False)


def _arguments(run: RunInfo, options: ModelOptions, concurrency: int) -> list[str]:
    given: dict[str, object] = {
        "--concurrency": concurrency,
        "--config": None if options.config is None else Path(options.config).resolve(),
        "--cache": None if options.cache == "off" else options.cache,
        "--token-budget": options.token_budget,
        "--max-money": options.max_money,
        "--max-errors": options.max_errors,
    }
    flags = [str(one) for name, value in given.items() if value is not None for one in (name, value)]
    return ["resume", run.name, *flags, "--json"]


def _is_ours(worker: Worker, name: str) -> bool:
    """Whether a worker is a process of this machine that a server started for a run."""
    process: Process = worker.process
    if process.machine != this_process().machine or not process.machine or is_gone(process):
        return False
    try:
        parts = Path(f"/proc/{process.pid}/environ").read_bytes().split(b"\0")
    except OSError:
        return False
    return f"{STARTED_BY}={name}".encode() in parts


def _reason(said: str, code: int) -> str:
    """Return the reason why a process ended early, from its last output; "" if it played to the end."""
    if code == 0:
        return ""
    for line in reversed(said.splitlines()):
        if line.startswith("osler: "):
            return line.removeprefix("osler: ")
        with suppress(ValueError):
            value = json.loads(line)
            if isinstance(value, dict) and value.get("why"):
                return str(value["why"])
    return "the process that played it ended unexpectedly"
