"""Concurrent play of a run's episodes: resumable at any instant, each judged as it ends."""

from __future__ import annotations

import asyncio
import platform
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from importlib import metadata
from itertools import islice
from typing import Any, Final

from sqlalchemy.engine import Connection

import osler
from osler.core.config import Config
from osler.core.episode import Episode
from osler.core.pictures import ImageFile
from osler.core.source import Source
from osler.core.trace import AskedRow, ExchangeRow, InnerRow
from osler.errors import EpisodeFault, InfrastructureFault
from osler.knowledge import fingerprint
from osler.models.limiter import begin_episode
from osler.players.casting import Casting
from osler.runs.endpoints import KEEP_PROMPTS
from osler.runs.faults import Faults, Stopped
from osler.runs.images import fingerprint_of
from osler.runs.played import end, enter_case, recorded
from osler.runs.unanswered import Unanswered
from osler.store.leases import Leases, Worker
from osler.store.records import Ordinals, RunInfo
from osler.store.store import Store
from osler.store.writer import Writer

LOOK_S = 0.5
"""The polling interval, in seconds, of a process with nothing left to play, for leases given back."""

COUNT_EVERY_S = 2.0

TELL_S = 1.0

ROUND_S = 5.0
"""The interval, in seconds, at which a run with models looks how many processes share their endpoints."""


@dataclass(slots=True)
class Progress:
    """The progress of a run. `played` and `exchanges` count this process's work, `at_once` are the episodes
    it plays concurrently, `seconds` is the wall-clock time of its session, and `waiting_for` names the
    processes that play the rest while this one waits."""

    planned: int
    done: int = 0
    played: int = 0
    exchanges: int = 0
    waiting_for: str = ""
    done_before: int = 0
    at_once: int = 1
    began: float = field(default_factory=time.monotonic)

    @property
    def seconds(self) -> float:
        return time.monotonic() - self.began

    @property
    def per_second(self) -> float:
        """The episodes that end in a second, of any process."""
        return (self.done - self.done_before) / self.seconds if self.seconds > 0 else 0.0

    @property
    def seconds_left(self) -> float | None:
        """The time left, once there is enough to tell it from: the first episodes of those played at once say
        little, since the others have been under way as long."""
        new, wanted = self.done - self.done_before, self.planned - self.done_before
        if new < min(2 * self.at_once, (wanted + 1) // 2) or not new:
            return None
        return (self.planned - self.done) * self.seconds / new


class _ToStore:
    """The recorder of an episode: rows go to the run's writer under the episode's ordinal."""

    __slots__ = ("_ordinal", "_unanswered", "_writer")

    def __init__(self, writer: Writer, ordinal: int) -> None:
        self._writer, self._ordinal = writer, ordinal
        self._unanswered = Unanswered(lambda row: writer.asked(ordinal, row), writer.flush_soon)

    def asked(self, row: AskedRow, *, at_once: bool) -> None:
        self._unanswered.asked(row, at_once=at_once)

    def exchange(self, row: ExchangeRow) -> None:
        self._unanswered.answered(row.n)
        self._writer.exchange(self._ordinal, row)

    def inner(self, row: InnerRow) -> None:
        self._writer.inner(self._ordinal, row)

    async def flush(self) -> None:
        await self._writer.flush()

    def close(self) -> None:
        self._unanswered.close()


def manifest(
    config: Config,
    source: Source[Any],
    files: Mapping[str, ImageFile] = {},
) -> dict[str, Any]:
    """Return the manifest of a run, by names and hashes. `configuration` alone determines its episodes;
    `files` are the image files of its cases."""
    return {
        "configuration": {
            **config.model_dump(mode="json"),
            "cases": source.label,
            "cases_fingerprint": source.fingerprint,
            **({"images_fingerprint": fingerprint_of(files)} if files else {}),
            "protocol": config.protocol,
            "osler": osler.__version__,
            "knowledge": fingerprint(),
        },
        "versions": {"python": platform.python_version()}
        | {name: metadata.version(name) for name in ("numpy", "pydantic", "sqlalchemy")},
        "cases_given_as": config.cases,
        "import": source.report.model_dump(exclude={"reasons"}) if source.report else None,
    }


def chosen(source: Source[Any], config: Config) -> Iterator[tuple[int, Any]]:
    """Yield the cases that a run uses, each with its index in the source."""
    left_out = frozenset(config.left_out)
    for index, case in enumerate(islice(source, config.limit)):
        if config.only in (None, case.id) and case.id not in left_out:
            yield index, case


def counted(source: Source[Any], config: Config) -> int:
    """Return the number of cases that a run uses; they are read if the source does not know it."""
    if source.size is not None and config.only is None and not config.left_out:
        return min(source.size, config.limit or source.size)
    return sum(1 for _ in chosen(source, config))


def stretches(source: Source[Any], config: Config, planned: int) -> list[range]:
    """Return the ordinals of a run's episodes as ascending ranges."""
    if config.only is None and not config.left_out:
        return [range(planned)]
    repeats = config.repeats
    return [range(index * repeats, (index + 1) * repeats) for index, _ in chosen(source, config)]


class Batch:
    """A session of playing a run, possibly alongside other processes. `play` continues from the state in the
    store, with the episodes leased through `claims`, until all have ended.

    `max_errors` is how many episodes faults may end before the run pauses. Without it a player's exception
    pauses the run at once, and any number of episodes may end by a request that an endpoint refuses.
    `on_workers` is told now and then how many processes play the run, and `also` is done in every commit;
    without `wait`, this one leaves as soon as nothing is left to lease, though others still play.
    """

    def __init__(
        self,
        run: RunInfo,
        config: Config,
        source: Source[Any],
        casting: Casting,
        store: Store,
        claims: Leases,
        *,
        concurrency: int = 16,
        max_errors: int | None = None,
        on_progress: Callable[[Progress], None] = lambda progress: None,
        on_workers: Callable[[int], None] | None = None,
        also: Callable[[Connection], None] | None = None,
        wait: bool = True,
    ) -> None:
        self._on_workers, self._also, self._wait = on_workers, also, wait
        self._run, self._config, self._source, self._casting = run, config, source, casting
        self._store, self._claims = store, claims
        self._concurrency, self._on_progress = concurrency, on_progress
        self._done = store.done(run.id)
        self._faults = Faults(run, store, max_errors)
        self._blocks: Blocks | None = None
        self._counted = time.monotonic()
        self._last_case: object = None
        self.fault: InfrastructureFault | None = None
        done = len(self._done)
        at_once = max(1, min(concurrency, run.planned - done))
        self.progress = Progress(planned=run.planned, done=done, done_before=done, at_once=at_once)

    async def play(self) -> None:
        """Play what is not done yet. Raises InfrastructureFault (pause) and CancelledError (interrupted).

        After a fault that pauses the run no further episode is begun, and those under way play on as far as
        they can.
        """
        aside = [asyncio.create_task(self._tell())]
        if self._on_workers is not None:
            aside.append(asyncio.create_task(self._look_round(self._on_workers)))
        try:
            await self._play_all()
        finally:
            for task in aside:
                task.cancel()

    async def _tell(self) -> None:
        """Report progress at intervals, even while no episode ends."""
        while True:
            await asyncio.sleep(TELL_S)
            self._on_progress(self.progress)

    async def _look_round(self, on_workers: Callable[[int], None]) -> None:
        """Look how many processes play the run, even while nothing is leased: who came first would learn of
        the others only when its block has ended."""
        while True:
            await asyncio.sleep(ROUND_S)
            with suppress(InfrastructureFault):  # whoever must know it is told when it next writes
                on_workers(1 + len(await asyncio.to_thread(self._claims.holding_others)))

    async def _play_all(self) -> None:
        keep_prompts = bool(self._run.manifest.get(KEEP_PROMPTS))
        writer = self._store.writer(
            self._run.id, self._claims.token, keep_prompts=keep_prompts, also=self._also
        )
        await self._play_what_is_free(writer)
        while self._wait and self._claims.others:
            await self._wait_for_others()
            await self._play_what_is_free(writer)

    async def _play_what_is_free(self, writer: Writer) -> None:
        episodes = self._to_play()
        hands = [
            asyncio.create_task(self._play_each(episodes, writer)) for _ in range(max(1, self._concurrency))
        ]
        try:
            await asyncio.gather(*hands)
            await self._settle(writer)
            writer.close()
            if self.fault:
                raise self.fault
        except BaseException:
            for hand in hands:
                hand.cancel()
            await asyncio.gather(*hands, return_exceptions=True)
            with suppress(InfrastructureFault):  # the fault that stopped the run is more informative
                writer.close()
            raise

    async def _wait_for_others(self) -> None:
        """Wait until a process that held leases when we last asked has given one up."""
        others = self._claims.others
        self._claims.rest()
        while self._claims.holding_others() == others:
            self._count(others)
            self.progress.waiting_for = ", ".join(map(str, others))
            self._on_progress(self.progress)
            await asyncio.sleep(LOOK_S)
        self._count((), now=True)
        self.progress.waiting_for = ""

    def _to_play(self) -> Iterator[tuple[Episode, bool]]:
        """Yield the episodes leased to this process, each with whether part of it is already recorded."""
        if self._run.planned == len(self._done):
            return
        config = self._config
        self._blocks = self._blocks or Blocks(stretches(self._source, config, self._run.planned))
        at, case = -1, None
        while claimed := self._claims.take(self._blocks.not_done(self._done), self._share()):
            self._count(self._claims.others)
            if self._on_workers is not None:
                self._on_workers(1 + len(self._claims.others))
            for ordinal in claimed.ordinals:
                index = ordinal // config.repeats
                if case is None or index != at:
                    at, case = index, config.ready(self._source.get(index))
                yield config.episode(ordinal, case, self._source), ordinal in claimed.begun

    def _share(self) -> int | None:
        """The most episodes to lease at once beside other processes: half of an equal share of what is left,
        so that all end at about the same time."""
        if not (others := len(self._claims.others)):
            return None
        return max(1, (self.progress.planned - self.progress.done) // (2 * (1 + others)))

    async def _play_each(self, episodes: Iterator[tuple[Episode, bool]], writer: Writer) -> None:
        try:
            for episode, begun in episodes:
                await self._play_one(episode, begun, writer)
                if self.fault:
                    return
                await asyncio.sleep(0)
        except InfrastructureFault as fault:
            self.fault = self.fault or fault

    async def _play_one(self, episode: Episode, begun: bool, writer: Writer) -> None:
        begin_episode()
        case, ordinal = episode.case, episode.ordinal
        cast = self._casting.cast(case)
        rows, inner = recorded(self._store, self._run.id, ordinal) if begun else ([], [])
        if case is not self._last_case:
            self._last_case = case
            enter_case(writer, case)
        recorder = _ToStore(writer, ordinal)
        try:
            trace = await episode.play(cast, recorder, rows, inner)
        except EpisodeFault as fault:
            stopped = Stopped(episode, cast, fault.trace)
            if await self._faults.ends(stopped, fault):
                await self._end(stopped, writer)
                self._faults.count(fault)
            return
        finally:
            recorder.close()
        await self._end(Stopped(episode, cast, trace), writer)

    async def _settle(self, writer: Writer) -> None:
        """End the episodes that were held until it was known whose fault it is that they stopped."""
        try:
            for stopped, fault in self._faults.released(all_tried=self.fault is None):
                await self._end(stopped, writer)
                self._faults.count(fault)
        except InfrastructureFault as fault:
            self.fault = self.fault or fault

    async def _end(self, ended: Stopped, writer: Writer) -> None:
        episode, cast, trace = ended
        end(writer, episode, cast, trace)
        if any(player.durable for player in cast.values()):
            await writer.flush()
        self._done.add(episode.ordinal)
        progress = self.progress
        progress.done += 1
        progress.played += 1
        progress.exchanges += trace.outcome.exchanges
        self._on_progress(progress)

    def _count(self, others: Sequence[Worker], *, now: bool = False) -> None:
        """Update the count with the other processes' episodes, at intervals."""
        if now or (others and time.monotonic() - self._counted > COUNT_EVERY_S):
            self._counted = time.monotonic()
            self.progress.done = max(self.progress.done, self._store.info(self._run.id).done)


BLOCKS: Final = 16
"""The number of blocks of a small run: enough to share it out, and a lease costs next to nothing."""

MOST: Final = 256  # episodes in a block of a large run


class Blocks:
    """The blocks of a run, the same in every process; each search continues where the last one succeeded."""

    def __init__(self, stretches: Sequence[range]) -> None:
        """Cut `stretches`, which hold the ordinals of all episodes in ascending order, into blocks."""
        size = min(MOST, max(1, sum(map(len, stretches)) // BLOCKS))
        self._blocks = [
            (first, min(first + size, stretch.stop) - 1)
            for stretch in stretches
            for first in range(stretch.start, stretch.stop, size)
        ]
        self._next = 0

    def not_done(self, done: Ordinals) -> Iterator[tuple[int, int]]:
        """Yield (first, last) of each block that is not entirely done, from the last one yielded on."""
        begin = self._next
        for step in range(len(self._blocks)):
            at = (begin + step) % len(self._blocks)
            first, last = self._blocks[at]
            if not done.holds(first, last):
                self._next = at + 1
                yield first, last
