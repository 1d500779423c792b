"""Workers that play one run together through its leases, started and watched by one process.

That process plays nothing. It starts `osler worker RUN` so many times, here or wherever a launcher puts them,
tells their common progress from the store, starts a worker that died again, and stops all of them together.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Final, Protocol

from osler.errors import BadStore, InfrastructureFault
from osler.models.budget import BudgetPaused
from osler.runs.batch import COUNT_EVERY_S, Progress
from osler.runs.run import Session
from osler.runs.worker_process import LOOK_S, PATIENCE_S, WorkerEnd, WorkerProcess
from osler.store.records import RunInfo
from osler.store.store import Store

MOST_STARTS: Final = 3
"""How often a worker that died is started again while no episode ends, for each worker."""
ENDED: Final = "its workers ended before all was played"
_DONE: Final = 0


class Hand(Protocol):
    """A worker that was started, wherever it plays."""

    def ended(self) -> WorkerEnd | None:
        """Its end; `None` while it plays. Not asked again after that."""
        ...

    def stop(self) -> None:
        """Ask it to give its blocks back and to leave."""
        ...

    def kill(self) -> None:
        """End it as it is."""
        ...


def play_by_workers(
    run: RunInfo,
    store: Store,
    processes: int,
    *,
    concurrency: int = 16,
    options: Sequence[str] = (),
    environ: Mapping[str, str] = os.environ,
    on_progress: Callable[[Progress], None] = lambda progress: None,
    start: Callable[[Sequence[str]], Hand] | None = None,
) -> Session:
    """Play the remaining episodes of a run in so many processes, or in one each where fewer are left.
    `options` are passed on to the workers, `environ` tells them the store (OSLER_STORE), and `concurrency` is
    shared out. `start` starts one, given the words of its command; without it, they play on this machine.

    A worker that dies costs nothing: what it held is leased by another. A fault that pauses one stops all,
    except that a budget lets each go on as long as it has something left.
    """
    begin = start or (lambda words: WorkerProcess(words, environ))
    at_once = max(1, min(processes, run.planned - run.done))  # each takes seconds to start
    share = max(1, -(-concurrency // at_once))
    words = [run.name, f"--concurrency={share}", *options]
    progress = Progress(
        run.planned, done=run.done, done_before=run.done, at_once=min(concurrency, run.planned)
    )
    interrupted, hands = False, list[Hand]()
    fault: InfrastructureFault | None = None
    try:
        for _ in range(at_once):
            hands.append(begin(words))
        fault = _watch(run, store, hands, begin, words, progress, on_progress)
    except KeyboardInterrupt:
        interrupted = True
    finally:
        _stop(hands)
    return _sitting(run, store, progress, fault, interrupted=interrupted)


def _watch(
    run: RunInfo,
    store: Store,
    hands: list[Hand],
    begin: Callable[[Sequence[str]], Hand],
    words: Sequence[str],
    progress: Progress,
    on_progress: Callable[[Progress], None],
) -> InfrastructureFault | None:
    """Watch workers until all have ended; return the fault of one, `None` without a fault."""
    most, starts, best, counted = MOST_STARTS * len(hands), 0, progress.done, time.monotonic()
    fault: InfrastructureFault | None = None
    while True:
        time.sleep(LOOK_S)
        if time.monotonic() - counted > COUNT_EVERY_S or not hands:
            counted = time.monotonic()
            progress.done = store.info(run.id).done
            starts, best = (0, progress.done) if progress.done > best else (starts, best)
        on_progress(progress)
        if not hands:
            if fault or progress.done >= run.planned or starts >= most:
                return fault
            # The rest is held by others, or by a dead worker on another machine until its lease ends.
            starts += 1
            hands.append(begin([*words, "--wait"]))
        for hand in list(hands):
            if (end := hand.ended()) is None:
                continue
            hands.remove(hand)
            if end.code == _DONE or fault:
                continue
            if end.code < 0 and starts < most:
                starts += 1
                hands.append(begin(words))
                continue
            if spent := end.said.get("budget"):
                fault = BudgetPaused.told(spent)  # the others may use up what they have reserved
                continue
            fault = InfrastructureFault(str(end.said.get("why", "")) or ENDED)
            for other in hands:
                other.stop()


def _sitting(
    run: RunInfo,
    store: Store,
    progress: Progress,
    fault: InfrastructureFault | None,
    *,
    interrupted: bool,
) -> Session:
    try:
        now = store.run(run.name)
    except (InfrastructureFault, BadStore) as gone:
        return Session(run, "paused", str(gone), progress.seconds, fault=gone)
    others = tuple(one for _, one in store.workers(run.id))
    if interrupted:  # also if it has just ended: whoever plays many runs is to stop here, too
        return Session(now, "interrupted", "stopped by hand", progress.seconds, others)
    if now.status == "done":
        return Session(now, "done", "", progress.seconds, others)
    fault = fault or InfrastructureFault(ENDED)
    return Session(now, "paused", str(fault), progress.seconds, others, fault)


def _stop(hands: Sequence[Hand]) -> None:
    """Wait until all have given their blocks back; then kill the others. A second Ctrl-C does so at once."""
    until, left = time.monotonic() + PATIENCE_S, list(hands)
    try:
        for hand in left:
            hand.stop()
        while left and time.monotonic() < until:
            left = [hand for hand in left if hand.ended() is None]
            time.sleep(LOOK_S if left else 0)
    finally:
        for hand in left:
            hand.kill()
