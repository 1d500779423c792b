"""One worker as a child process: `osler worker RUN`. It imports nothing heavy, for Ray's processes.

It ends by itself when its parent is gone: its standard input is then closed.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any, Final, NamedTuple

PATIENCE_S: Final = 30.0
"""The seconds that workers have to give their blocks back before they are killed."""
LOOK_S: Final = 0.2
_LAST: Final = 4000


class WorkerEnd(NamedTuple):
    """The end of a worker: its exit status, negative for a signal, and its last words; `why` if it failed."""

    code: int
    said: dict[str, Any]


class WorkerProcess:
    """A worker that plays on this machine. `words` are the run and the options of `osler worker`; `environ`
    tells it the store (OSLER_STORE), since everybody reads command lines."""

    def __init__(self, words: Sequence[str], environ: Mapping[str, str], folder: str | None = None) -> None:
        self._said: IO[bytes] = TemporaryFile()  # noqa: SIM115 - closed by `end`
        self._log: IO[bytes] = TemporaryFile()  # noqa: SIM115
        self.process = subprocess.Popen(  # noqa: S603 - ourselves
            [sys.executable, "-m", "osler.cli.main", "worker", *words, "--json", "--with-parent"],
            env=environ,
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=self._said,
            stderr=self._log,
            start_new_session=True,  # Ctrl-C at a terminal reaches the parent alone, which passes it on once
        )

    def ended(self) -> WorkerEnd | None:
        """Its end; `None` while it plays. Ask no more after that."""
        code = self.process.poll()
        return None if code is None else WorkerEnd(code, self._last_words(code))

    def stop(self) -> None:
        """Ask it to give its blocks back and to leave."""
        if self.process.poll() is None:
            with suppress(ProcessLookupError):
                self.process.terminate()  # SIGINT is ignored in the background of a script

    def kill(self) -> None:
        """End it as it is."""
        self.process.kill()
        self.process.wait()

    def _last_words(self, code: int) -> dict[str, Any]:
        """Its JSON object, or else `why` by the end of its log."""
        self._said.seek(0)
        self._log.seek(0)
        said, log = self._said.read(), self._log.read()[-_LAST:].decode("utf-8", "replace").strip()
        self._said.close()
        self._log.close()
        if self.process.stdin:
            self.process.stdin.close()
        with suppress(ValueError):
            value = json.loads(said)
            if isinstance(value, dict):
                return value
        died = f"a worker was ended by signal {-code}" if code < 0 else f"a worker ended with status {code}"
        return {"why": log.splitlines()[-1] if log and code > 0 else died}


def play_here(words: Sequence[str], store: str, folder: str) -> WorkerEnd:
    """Play as a worker until it ends: what Ray is given to run, on whatever machine. `folder` is where the
    command was given; it is used where it exists, for osler.toml."""
    # Ray's processes may block the signal by which a worker is asked to leave, and children inherit that.
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT, signal.SIGTERM})
    here = folder if Path(folder).is_dir() else None
    one = WorkerProcess(words, {**os.environ, "OSLER_STORE": store}, here)
    try:
        while one.process.poll() is None:  # in short steps, between which a cancelled task is interrupted
            with suppress(subprocess.TimeoutExpired):
                one.process.wait(LOOK_S)
    finally:
        one.stop()
        with suppress(subprocess.TimeoutExpired):
            one.process.wait(PATIENCE_S)
        one.kill()
        ended = one.ended()
    assert ended is not None
    return ended
