"""Workers on this machine: child processes that play one run through its leases, watched by their parent.

The parent plays nothing. It starts `osler worker RUN` so many times, tells their common progress from the
store, starts a worker that died again, and stops all of them together.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from tempfile import TemporaryFile
from typing import IO, Any, Final

from osler.errors import BadStore, InfrastructureFault
from osler.runs.batch import COUNT_EVERY_S, Progress
from osler.runs.run import Sitting
from osler.store.records import RunInfo
from osler.store.store import Store

COMMAND: Final = (sys.executable, "-m", "osler.cli.main", "worker")
LOOK_S: Final = 0.2
PATIENCE_S: Final = 30.0
"""The seconds that workers have to give their blocks back before they are killed."""
MOST_STARTS: Final = 3
"""How often a worker that died is started again while no episode ends."""
_DONE: Final = 0
_LAST: Final = 4000


class _Worker:
    """One child. It ends by itself when its parent is gone: its standard input is then closed."""

    def __init__(self, command: Sequence[str], environ: Mapping[str, str]) -> None:
        self._said: IO[bytes] = TemporaryFile()  # noqa: SIM115 - closed by `end`
        self._log: IO[bytes] = TemporaryFile()  # noqa: SIM115
        self.process = subprocess.Popen(  # noqa: S603 - ourselves
            command,
            env=environ,
            stdin=subprocess.PIPE,
            stdout=self._said,
            stderr=self._log,
            start_new_session=True,  # Ctrl-C at a terminal reaches the parent alone, which passes it on once
        )

    def end(self) -> dict[str, Any]:
        """Its last words: its JSON object, or else `why` by the end of its log."""
        self._said.seek(0)
        self._log.seek(0)
        said, log = self._said.read(), self._log.read()[-_LAST:].decode("utf-8", "replace").strip()
        self._said.close()
        self._log.close()
        if self.process.stdin:
            self.process.stdin.close()
        with suppress(ValueError):
            found = json.loads(said)
            if isinstance(found, dict):
                return found
        code = self.process.returncode
        died = f"a worker was ended by signal {-code}" if code < 0 else f"a worker ended with status {code}"
        return {"why": log.splitlines()[-1] if log and code > 0 else died}


def play_by_workers(
    run: RunInfo,
    store: Store,
    processes: int,
    *,
    concurrency: int = 16,
    options: Sequence[str] = (),
    environ: Mapping[str, str] = os.environ,
    on_progress: Callable[[Progress], None] = lambda progress: None,
) -> Sitting:
    """Play the remaining episodes of a run in so many processes. `options` are passed on to the workers,
    `environ` tells them the store (OSLER_STORE), and `concurrency` is shared out.

    A worker that dies costs nothing: what it held is leased by another. A fault that pauses one stops all.
    """
    share = max(1, -(-concurrency // processes))
    command = [*COMMAND, run.name, "--json", "--with-parent", f"--concurrency={share}", *options]
    done = run.done
    progress = Progress(run.planned, done=done, done_before=done, at_once=min(concurrency, run.planned))
    workers = [_Worker(command, environ) for _ in range(processes)]
    counted, starts, best, why, interrupted = time.monotonic(), 0, done, "", False
    try:
        while workers:
            time.sleep(LOOK_S)
            if time.monotonic() - counted > COUNT_EVERY_S:
                counted = time.monotonic()
                progress.done = store.info(run.id).done
                starts, best = (0, progress.done) if progress.done > best else (starts, best)
            on_progress(progress)
            for worker in [one for one in workers if one.process.poll() is not None]:
                workers.remove(worker)
                end = worker.end()
                if worker.process.returncode == _DONE or why:
                    continue
                if worker.process.returncode < 0 and starts < MOST_STARTS * processes:
                    starts += 1
                    workers.append(_Worker(command, environ))
                    continue
                why = str(end.get("why", ""))
                _stop(workers)
    except KeyboardInterrupt:
        interrupted = True
    finally:
        _stop(workers)
        _wait(workers)
    return _sitting(run, store, progress, why, interrupted=interrupted)


def _sitting(run: RunInfo, store: Store, progress: Progress, why: str, *, interrupted: bool) -> Sitting:
    try:
        now = store.run(run.name)
    except (InfrastructureFault, BadStore) as gone:
        return Sitting(run, "paused", str(gone), progress.seconds, fault=gone)
    others = tuple(one for _, one in store.workers(run.id))
    if now.status == "done":
        return Sitting(now, "done", "", progress.seconds, others)
    if interrupted:
        return Sitting(now, "interrupted", "stopped by hand", progress.seconds, others)
    why = why or "its workers ended before all was played"
    return Sitting(now, "paused", why, progress.seconds, others, InfrastructureFault(why))


def _stop(workers: Sequence[_Worker]) -> None:
    for worker in workers:
        if worker.process.poll() is None:
            with suppress(ProcessLookupError):
                worker.process.terminate()  # SIGINT is ignored in the background of a script


def _wait(workers: Sequence[_Worker]) -> None:
    """Wait until all have given their blocks back; then kill the others. A second Ctrl-C does so at once."""
    until = time.monotonic() + PATIENCE_S
    try:
        for worker in workers:
            with suppress(subprocess.TimeoutExpired):
                worker.process.wait(max(0.0, until - time.monotonic()))
    finally:
        for worker in workers:
            worker.process.kill()
            worker.process.wait()
            worker.end()
