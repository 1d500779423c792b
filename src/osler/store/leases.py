"""Leases: several processes can play one run, and no episode is ever played by two of them.

A process that plays a run registers as a worker (a row of `workers`) and leases blocks of its episodes (rows
of `leases`). The registration, called its place, lasts a minute and is renewed by a background thread, so
that neither a slow answer nor a person who is thinking loses it. An expired place, or one whose process is
known to be dead, is removed together with its blocks by the next process that asks for a block. The number of
a place is its fencing token: every writing transaction checks it, so a process that has lost its place can
write nothing more.
"""

from __future__ import annotations

import os
import socket
import sys
import time
import uuid
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import Path
from threading import Event, Thread
from typing import Final, NamedTuple

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Engine
from sqlalchemy.exc import IntegrityError, SQLAlchemyError

from osler.errors import BadInput, InfrastructureFault
from osler.store import queries as reading
from osler.store.connect import WRITES, explain
from osler.store.records import RunStatus
from osler.store.schema import leases, runs, workers

LEASE_S: Final = 60.0
RENEWALS: Final = 4  # in the time of one lease
_JOIN_S: Final = 5.0

# Built once: it is run with every commit.
_PLACE: Final = (
    sa.select(workers.c.id)
    .where(workers.c.id == sa.bindparam("token"))
    .with_for_update(read=True, key_share=True)
)
_ours = set[tuple[str, int]]()  # the places this process has taken and not left


class BeingPlayed(BadInput):
    """The run is being played; `what` names the workers."""


class Worker(NamedTuple):
    """A worker registered at a run, with the number of blocks it holds; `since` is when it took its place, in
    seconds since 1970, UTC (`None`: unknown)."""

    token: int
    process: Process
    blocks: int
    since: float | None = None

    def __str__(self) -> str:
        return f"{self.process.host}:{self.process.pid}"


class Claimed(NamedTuple):
    """A block leased to us: the ordinals not ended yet, and those with recorded exchanges."""

    ordinals: Sequence[int]
    begun: frozenset[int]


class Leases:
    """A process's registration as a worker of a run, with its leases. For one event loop; renews itself in a
    background thread."""

    def __init__(self, engine: Engine, label: str, run_id: int) -> None:
        """Register as a worker. Raises BadInput if the run no longer exists."""
        self._engine, self._reading = engine.execution_options(**{WRITES: True}), engine
        self._label, self._run = label, run_id
        self.others: tuple[Worker, ...] = ()
        """The other workers that held blocks of the run at the last `take`."""
        self._left = Event()
        self.token = self._take_place()
        _ours.add((label, self.token))
        self._renewing = Thread(target=self._renew, name=f"place-{self.token}", daemon=True)
        self._renewing.start()

    def take(self, blocks: Iterable[tuple[int, int]], most: int | None = None) -> Claimed | None:
        """Lease the first of `blocks` (first and last ordinal) that is free and unfinished, or the first free
        part of one, of at most `most` episodes.

        `None` if there is none; then `others` has the workers that may still release some.
        Raises InfrastructureFault if this place was taken over.
        """
        with faults(self._label), self._engine.begin() as connection:
            lock(connection, self._run)
            if not still_ours(connection, self.token):
                raise taken_over(self._label)
            self.others = self._with_blocks(take_dead_away(connection, self._label, self._run, self.token))
            for first, last in blocks:
                for begin, end in _free(connection, self._run, first, last):
                    if claimed := _what_is_left(connection, self._run, begin, end, most):
                        end = end if most is None else claimed.ordinals[-1]
                        row = {"run": self._run, "first": begin, "last": end, "worker": self.token}
                        connection.execute(sa.insert(leases), row)
                        return claimed
            return None

    def holding_others(self) -> tuple[Worker, ...]:
        """The other workers that hold blocks of the run now."""
        with faults(self._label), self._reading.connect() as connection:
            return self._with_blocks(holders(connection, self._label, self._run))

    def rest(self) -> None:
        """Release all blocks but keep the place: everything claimed has been played."""
        with faults(self._label), self._engine.begin() as connection:
            connection.execute(sa.delete(leases).where(leases.c.worker == self.token))

    def leave(self, status: RunStatus) -> tuple[Worker, ...]:
        """Give up the place; the last to leave sets the run's status. Return those still playing."""
        self._stop()
        with faults(self._label), self._engine.begin() as connection:
            lock(connection, self._run)
            ours = connection.execute(sa.delete(workers).where(workers.c.id == self.token)).rowcount
            others = holders(connection, self._label, self._run)
            if ours and not others:
                _settle(connection, self._run, status)
        return others

    def abandon(self) -> None:
        """Give up the place without setting the run's status. Does nothing after `leave`."""
        if self._left.is_set():
            return
        self._stop()
        # If that fails, the place is already marked as left in this process, and expires by itself.
        with suppress(SQLAlchemyError, InfrastructureFault), self._engine.begin() as connection:
            connection.execute(sa.delete(workers).where(workers.c.id == self.token))

    def _take_place(self) -> int:
        values = {"run": self._run, **this_process()._asdict()}
        with faults(self._label), self._engine.begin() as connection:
            lock(connection, self._run)
            now = clock(connection)
            insert = sa.insert(workers).values(**values, expires=now + LEASE_S, since=now)
            insert = insert.returning(workers.c.id)
            try:
                token: int = connection.execute(insert).scalar_one()
            except IntegrityError:
                raise BadInput("the run no longer exists", where=self._label) from None
            connection.execute(sa.update(runs).where(runs.c.id == self._run).values(status="running"))
        return token

    def _renew(self) -> None:
        place = sa.update(workers).where(workers.c.id == self.token)
        while not self._left.wait(LEASE_S / RENEWALS):
            # If that fails, there is time for another attempt.
            with suppress(SQLAlchemyError, InfrastructureFault), self._engine.begin() as connection:
                connection.execute(place.values(expires=clock(connection) + LEASE_S))

    def _with_blocks(self, holders: Sequence[Worker]) -> tuple[Worker, ...]:
        return tuple(one for one in holders if one.blocks and one.token != self.token)

    def _stop(self) -> None:
        self._left.set()
        self._renewing.join(_JOIN_S)
        _ours.discard((self._label, self.token))


def still_ours(connection: Connection, token: int) -> bool:
    """Whether a place still exists. On PostgreSQL it is locked until the transaction ends."""
    return connection.execute(_PLACE, {"token": token}).first() is not None


def taken_over(label: str) -> InfrastructureFault:
    """The error for a process that has lost its place."""
    return InfrastructureFault(
        "another process has taken over what this one was playing",
        where=label,
        hint="its lease had expired; resume the run to join again",
    )


def take_dead_away(connection: Connection, label: str, run_id: int, ours: int) -> tuple[Worker, ...]:
    """Take away the places of a run's workers that are gone; return the live ones. The run is locked."""
    alive, gone = _all_holders(connection, label, run_id)
    for one in gone:
        if one.token != ours:  # ours has expired but no one has claimed it
            connection.execute(sa.delete(workers).where(workers.c.id == one.token))
    return alive


def refuse_while_played(connection: Connection, label: str, run_id: int) -> None:
    """Raise BeingPlayed if the run is being played; else block new workers until the transaction ends."""
    lock(connection, run_id)
    if playing := holders(connection, label, run_id):
        raise BeingPlayed(
            f"the run is being played by {', '.join(map(str, playing))}",
            where=str(connection.scalar(sa.select(runs.c.name).where(runs.c.id == run_id))),
            hint="wait until it ends, or stop it",
        )


def played_runs(connection: Connection, label: str, among: Sequence[int] | None = None) -> set[int]:
    """The ids of the runs being played now, of all runs or of some."""
    if among is not None and not among:
        return set()
    alive, _ = _workers(connection, label, *() if among is None else (workers.c.run.in_(among),))
    return {run_id for run_id, _ in alive}


def live_workers(connection: Connection, label: str, run_id: int | None = None) -> list[tuple[int, Worker]]:
    """The live workers, each with its run's id: of one run, or of all."""
    return _workers(connection, label, *() if run_id is None else (workers.c.run == run_id,))[0]


def holders(connection: Connection, label: str, run_id: int) -> tuple[Worker, ...]:
    """The live workers of a run."""
    return _all_holders(connection, label, run_id)[0]


def _all_holders(
    connection: Connection, label: str, run_id: int
) -> tuple[tuple[Worker, ...], tuple[Worker, ...]]:
    """The workers of a run: the live ones, and those whose place may be taken over."""
    alive, gone = _workers(connection, label, workers.c.run == run_id)
    return tuple(worker for _, worker in alive), tuple(worker for _, worker in gone)


def _workers(
    connection: Connection, label: str, *where: sa.ColumnElement[bool]
) -> tuple[list[tuple[int, Worker]], list[tuple[int, Worker]]]:
    """The live workers and those that are gone, each with its run's id."""
    held = sa.select(sa.func.count()).where(leases.c.worker == workers.c.id).scalar_subquery()
    query = sa.select(workers, (workers.c.expires < clock(connection)).label("late"), held.label("held"))
    alive, gone = list[tuple[int, Worker]](), list[tuple[int, Worker]]()
    for row in connection.execute(query.where(*where).order_by(workers.c.id)):
        process = Process(row.host, row.machine, row.pid, row.started)
        left = process == this_process() and (label, row.id) not in _ours
        which = gone if row.late or left or is_gone(process) else alive
        which.append((row.run, Worker(row.id, process, row.held, row.since)))
    return alive, gone


def _free(connection: Connection, run_id: int, first: int, last: int) -> Iterator[tuple[int, int]]:
    """Yield the parts of a block that nobody holds, in order."""
    overlapping = sa.select(leases.c.first, leases.c.last).where(
        leases.c.run == run_id, leases.c.first <= last, leases.c.last >= first
    )
    begin = first
    for row in connection.execute(overlapping.order_by(leases.c.first)).all():
        if row.first > begin:
            yield begin, row.first - 1
        begin = row.last + 1
    if begin <= last:
        yield begin, last


def _what_is_left(
    connection: Connection, run_id: int, first: int, last: int, most: int | None = None
) -> Claimed | None:
    done = set(reading.done_between(connection, run_id, first, last))
    left = [ordinal for ordinal in range(first, last + 1) if ordinal not in done][:most]
    if not left:
        return None
    begun = reading.begun_between(connection, run_id, left[0], left[-1])
    return Claimed(left, frozenset(begun))


def _settle(connection: Connection, run_id: int, status: RunStatus) -> None:
    """Set the status of a run that no worker plays any more."""
    if status != "done":
        planned = sa.select(runs.c.planned).where(runs.c.id == run_id)
        if connection.scalar(sa.select(reading.ended_of(run_id))) == connection.scalar(planned):
            status = "done"
    connection.execute(sa.update(runs).where(runs.c.id == run_id).values(status=status))


def lock(connection: Connection, run_id: int) -> None:
    """Let no one else join, leave, claim or reserve until the transaction ends; episodes are written."""
    connection.execute(sa.select(runs.c.id).where(runs.c.id == run_id).with_for_update(key_share=True))


def clock(connection: Connection) -> sa.ColumnElement[float]:
    """Seconds since 1970 by one clock shared by all users of the store: the server's, if there is one."""
    if connection.dialect.name == "postgresql":
        return sa.cast(sa.extract("epoch", sa.func.clock_timestamp()), sa.Double)
    return sa.literal(time.time(), sa.Double)


@contextmanager
def faults(label: str) -> Iterator[None]:
    """Convert database errors into a fault that pauses the run."""
    try:
        yield
    except SQLAlchemyError as error:
        what, hint = explain(error)
        raise InfrastructureFault(what, where=label, hint=hint) from error


class Process(NamedTuple):
    """The identity of a process. `machine` is the scope in which `pid` is unique; "" if unknown.

    `started` distinguishes it from a later process that reuses the pid; "" if unknown.
    """

    host: str
    machine: str
    pid: int
    started: str


def this_process() -> Process:
    """The calling process."""
    pid = os.getpid()
    return Process(socket.gethostname(), _machine(), pid, _stat(pid)[1])


def is_gone(process: Process) -> bool:
    """Whether a process is known to have ended. One on another machine never is."""
    if not process.machine or process.machine != _machine():
        return False
    try:
        os.kill(process.pid, 0)
    except ProcessLookupError:
        return True
    except OSError:  # another user's process, so it exists
        pass
    state, started = _stat(process.pid)
    return state in ("Z", "X") or (started != process.started and "" not in (started, process.started))


@lru_cache(maxsize=1)
def _machine() -> str:
    if sys.platform == "win32":
        return ""  # os.kill(pid, 0) would terminate the process there
    if sys.platform != "linux":
        return f"{socket.gethostname()}/{uuid.getnode():x}"
    try:
        # Containers may share a host name and even a boot id, but not a pid namespace.
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        return f"{boot}/{os.readlink('/proc/self/ns/pid')}"
    except OSError:
        return ""


def _stat(pid: int) -> tuple[str, str]:
    """(state, start in clock ticks since boot) from Linux's /proc; ("", "") if not available."""
    try:
        words = Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()
        return words[0], words[19]
    except (OSError, IndexError):
        return "", ""
