"""One episode of a stored run, leased to one sitting.

It is leased, recorded, judged and ended as a batch does it, so another process, or another kind of session,
can continue it. All database access runs in threads: an event loop may hold many sittings, and a commit that
waits for another writer must not block the others.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from contextlib import ExitStack, suppress
from threading import Lock
from typing import Any, Final, TypeVar

from osler.core.config import Config
from osler.core.names import Kind
from osler.core.pace import PACE
from osler.core.source import Source
from osler.core.table import Recorder
from osler.core.trace import AskedRow, ExchangeRow, InnerRow, Trace
from osler.errors import BadInput, InfrastructureFault, Status
from osler.players.casting import Casting
from osler.runs.batch import stretches
from osler.runs.endpoints import KEEP_PROMPTS
from osler.runs.played import EndedEpisode, end, enter_case, or_paused, recorded, to_its_end
from osler.runs.unanswered import Unanswered
from osler.store.leases import Leases
from osler.store.records import RunInfo, RunStatus
from osler.store.store import Store
from osler.store.writer import Writer

T = TypeVar("T")
ONE_AT_A_TIME: Final = Lock()
"""The lock under which a process acquires and releases leases and reads cases, one thread at a time."""


async def in_thread(work: Callable[[], T]) -> T:
    """Run `work` in a thread; a cancelled caller still waits for it to finish."""
    task = asyncio.ensure_future(asyncio.to_thread(work))
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait([task])
        raise


class Leased:
    """An exclusive lease of an episode until it is left. Create it in a thread, under `ONE_AT_A_TIME`.

    With `ordinal` `None`, leases the first free episode; afterwards `ordinal` is its number. `ended` is the
    episode if it had already been played, and then there is no lease.

    Raises BadInput if there is no such episode, or another process holds its lease.
    """

    def __init__(
        self,
        run: RunInfo,
        store: Store,
        config: Config,
        source: Source[Any],
        casting: Casting,
        ordinal: int | None,
    ) -> None:
        self._run, self._store = run, store
        kinds = {kind for name in config.names().values() for kind in name.kinds}
        self._with_person = {Kind.PERSON, Kind.MODEL} <= kinds
        self.ended: EndedEpisode | None = None
        self.ordinal = ordinal
        ordinals = store.done(run.id)
        wanted = [each for each in _wanted(run, config, source, ordinal) if each not in ordinals]
        if not wanted:
            self.ended = _ended(run, store, config, ordinal)
            return
        with ExitStack() as held:
            self._claims = held.enter_context(store.claims(run.id))
            try:
                claimed = self._claims.take((each, each) for each in wanted)
                if claimed is None:
                    raise _not_free(run, ordinal, self._claims)
                (at,) = claimed.ordinals
                self.ordinal = at
                case = config.ready(source.get(at // config.repeats))
                self._episode = config.episode(at, case, source)
                self._cast = casting.cast(case)
                self._recorded = recorded(store, run.id, at) if at in claimed.begun else ([], [])
            except BaseException:
                self._claims.leave("interrupted")
                raise
            keep_prompts = bool(run.manifest.get(KEEP_PROMPTS))
            self.recorder = OffLoop(store.writer(run.id, self._claims.token, keep_prompts=keep_prompts), at)
            enter_case(self.recorder.writer, case)
            self._held = held.pop_all()

    async def play(self, recorder: Recorder) -> EndedEpisode:
        """Play the episode to its end, and release the lease whatever happens."""
        if self.ended is not None:
            return self.ended
        status: RunStatus = "interrupted"
        try:
            playing = self._episode.play(self._cast, recorder, *self._recorded)
            where = f"episode {self._run.name}:{self._episode.ordinal}"
            trace = await (or_paused(playing) if self._with_person else to_its_end(playing, where))
            pace = PACE.get()
            work = in_thread if pace is None else pace.work
            return await self.recorder.alone(lambda: self._end(trace), work)
        except InfrastructureFault:
            status = "paused"
            with suppress(InfrastructureFault):  # what was answered before is not asked again
                await self.recorder.flush()
            raise
        finally:
            self.recorder.unanswered.close()
            await in_thread(lambda: self.leave(status))

    def leave(self, status: RunStatus) -> None:
        """Release the lease; the last process to leave a run sets the run's status."""
        if self.ended is None:
            with ONE_AT_A_TIME, self._held:
                self._claims.leave(status)

    def _end(self, trace: Trace) -> EndedEpisode:
        result = end(self.recorder.writer, self._episode, self._cast, trace)
        self.recorder.commit()
        return result


class OffLoop:
    """A recorder that commits in a thread."""

    def __init__(self, writer: Writer, ordinal: int) -> None:
        self.writer, self._ordinal = writer, ordinal
        self._rows: list[ExchangeRow] = []
        self._inner: list[InnerRow] = []
        self._asked: list[AskedRow] = []
        self._one = asyncio.Lock()
        self._soon = set[asyncio.Task[None]]()
        self.unanswered = Unanswered(self._asked.append, self._flush_soon)

    def asked(self, row: AskedRow, *, at_once: bool) -> None:
        self.unanswered.asked(row, at_once=at_once)

    def exchange(self, row: ExchangeRow) -> None:
        self.unanswered.answered(row.n)
        self._rows.append(row)

    def inner(self, row: InnerRow) -> None:
        self._inner.append(row)

    async def flush(self) -> None:
        await self.alone(self.commit)

    def _flush_soon(self) -> None:
        task = asyncio.ensure_future(self._flush_quietly())
        self._soon.add(task)
        task.add_done_callback(self._soon.discard)

    async def _flush_quietly(self) -> None:
        with suppress(InfrastructureFault):  # the commit of the answer meets it, too
            await self.flush()

    async def alone(
        self, work: Callable[[], T], run: Callable[[Callable[[], T]], Awaitable[T]] = in_thread
    ) -> T:
        """Run `work`, which commits, in a thread while nothing else does."""
        async with self._one:
            return await run(work)

    def commit(self) -> None:
        """Commit all pending rows; call from one thread at a time."""
        # Rows that arrive meanwhile are left for the next commit.
        rows, self._rows = self._rows, []
        inner, self._inner = self._inner, []
        while self._asked:
            self.writer.asked(self._ordinal, self._asked.pop(0))
        for row in rows:
            self.writer.exchange(self._ordinal, row)
        for within in inner:
            self.writer.inner(self._ordinal, within)
        self.writer.close()


def _wanted(run: RunInfo, config: Config, source: Source[Any], ordinal: int | None) -> Iterable[int]:
    all_of_them = stretches(source, config, run.planned)
    if ordinal is None:
        return (each for stretch in all_of_them for each in stretch)
    if not any(ordinal in stretch for stretch in all_of_them):
        raise BadInput(f"the run has no episode {ordinal}", where=run.name)
    return (ordinal,)


def _not_free(run: RunInfo, ordinal: int | None, claims: Leases) -> BadInput:
    what, where = "it", f"{run.name}:{ordinal}"
    if ordinal is None:
        what, where = "all that is left", run.name
    if not claims.others:
        return BadInput(f"{what} has just ended", where=where)
    return BadInput(
        f"{what} is being played by {', '.join(map(str, claims.others))}",
        where=where,
        hint="wait until it has ended, or stop it",
    )


def _ended(run: RunInfo, store: Store, config: Config, ordinal: int | None) -> EndedEpisode:
    """Return an episode that has already ended, with its stored judgement."""
    if ordinal is None:
        raise BadInput("every episode has ended", where=run.name, hint="name one, or begin another run")
    row, trace, judgements = store.record(run.id, ordinal)
    if row.status is Status.DELETED:
        raise BadInput("its words were deleted", where=f"{run.name}:{ordinal}", hint="begin another run")
    graders = config.plays.judges[0].graders
    judged = next(one for one in judgements if one.grader in graders)
    return EndedEpisode(trace, judged.grader, judged.version, judged.body, row.key)
