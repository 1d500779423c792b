"""Play many episodes: in any number at once, resumable at any instant, judged as they end."""

from __future__ import annotations

import asyncio
import gc
import platform
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from importlib import metadata
from itertools import islice
from typing import Any

import osler
from osler.cases.model import Case
from osler.cases.personas import persona
from osler.cases.sources import CaseSource
from osler.encounter.consultation import PROTOCOL
from osler.encounter.trace import ExchangeRow
from osler.errors import InfrastructureFault
from osler.judging.judge import judge
from osler.judging.scores import judgement_json
from osler.knowledge import fingerprint
from osler.store.rows import RunInfo
from osler.store.store import Store
from osler.store.writer import Writer
from osler.studies.build import Casting, RunConfig
from osler.studies.execute import Episode, play

GC_THRESHOLDS = (50_000, 20, 100)
"""An encounter makes many small records and no cycles: looking for cycles less often saves a tenth."""


@dataclass(slots=True)
class Progress:
    """How far a run is. `seconds` is wall time of this sitting."""

    planned: int
    done: int = 0
    played: int = 0
    exchanges: int = 0
    began: float = field(default_factory=time.monotonic)

    @property
    def seconds(self) -> float:
        return time.monotonic() - self.began

    @property
    def per_second(self) -> float:
        return self.played / self.seconds if self.seconds > 0 else 0.0

    @property
    def seconds_left(self) -> float | None:
        return (self.planned - self.done) / self.per_second if self.played else None


class _ToStore:
    """An episode's recorder: rows go to the run's writer under the episode's ordinal.

    Once a fault has paused the run, an answer that was under way is still kept, and then the episode rests.
    """

    __slots__ = ("_batch", "_ordinal", "_writer")

    def __init__(self, writer: Writer, ordinal: int, batch: Batch) -> None:
        self._writer, self._ordinal, self._batch = writer, ordinal, batch

    def exchange(self, row: ExchangeRow) -> None:
        self._writer.exchange(self._ordinal, row)

    async def flush(self) -> None:
        await self._writer.flush()
        if self._batch.fault:
            raise self._batch.fault


def manifest(config: RunConfig, source: CaseSource) -> dict[str, Any]:
    """What a run is, by names and hashes. `configuration` alone determines its episodes."""
    return {
        "configuration": {
            **config.model_dump(mode="json"),
            "cases": source.label,
            "cases_fingerprint": source.fingerprint,
            "protocol": PROTOCOL,
            "osler": osler.__version__,
            "knowledge": fingerprint(),
        },
        "versions": {"python": platform.python_version()}
        | {name: metadata.version(name) for name in ("numpy", "pydantic", "sqlalchemy")},
        "cases_given_as": config.cases,
        "import": source.report.model_dump(exclude={"reasons"}) if source.report else None,
    }


def chosen(source: CaseSource, config: RunConfig) -> Iterator[tuple[int, Case]]:
    """The cases a run consults, each with its place in the source."""
    for index, case in enumerate(islice(source, config.limit)):
        if config.only in (None, case.id):
            yield index, case


class Batch:
    """One sitting of a run. `play` goes on from wherever the store says it stands."""

    def __init__(
        self,
        run: RunInfo,
        config: RunConfig,
        source: CaseSource,
        casting: Casting,
        store: Store,
        *,
        concurrency: int = 16,
        on_progress: Callable[[Progress], None] = lambda progress: None,
    ) -> None:
        self._run, self._config, self._source, self._casting = run, config, source, casting
        self._store, self._concurrency, self._on_progress = store, concurrency, on_progress
        self._persona = persona(config.persona)
        self._done = store.done(run.id)
        self._partial = store.partial(run.id)
        self._last_case: Case | None = None
        self.fault: InfrastructureFault | None = None
        self.progress = Progress(planned=run.planned, done=len(self._done))

    async def play(self) -> None:
        """Play what is not done yet. Raises InfrastructureFault (pause) and CancelledError (interrupted)."""
        episodes = self._to_play()
        gc.freeze()  # what was loaded once is not looked through again and again
        gc.set_threshold(*GC_THRESHOLDS)
        writer = self._store.writer(self._run.id)
        hands = [
            asyncio.create_task(self._play_each(episodes, writer)) for _ in range(max(1, self._concurrency))
        ]
        try:
            await asyncio.gather(*hands)
            writer.close()
            if self.fault:
                raise self.fault
        except BaseException:
            for hand in hands:
                hand.cancel()
            await asyncio.gather(*hands, return_exceptions=True)
            with suppress(InfrastructureFault):  # what stopped us says more
                writer.close()
            raise

    def _to_play(self) -> Iterator[Episode]:
        if self._run.planned == len(self._done):
            return
        config = self._config
        for index, case in chosen(self._source, config):
            for repeat in range(config.repeats):
                ordinal = index * config.repeats + repeat
                if ordinal not in self._done:
                    seed = f"{config.seed}/{repeat}"
                    yield Episode(ordinal, case, self._persona, config.settings, seed)

    async def _play_each(self, episodes: Iterator[Episode], writer: Writer) -> None:
        for episode in episodes:
            try:
                await self._play_one(episode, writer)
            except InfrastructureFault as fault:
                self.fault = self.fault or fault
            if self.fault:
                return
            await asyncio.sleep(0)

    async def _play_one(self, episode: Episode, writer: Writer) -> None:
        case, ordinal = episode.case, episode.ordinal
        cast = self._casting.cast(case)
        recorded = self._store.recorded(self._run.id, ordinal) if ordinal in self._partial else []
        if case is not self._last_case:
            self._last_case = case
            writer.case(case.content_hash, case.model_dump_json())
        trace = await play(episode, cast, _ToStore(writer, ordinal, self), recorded)
        judged = judge(case, trace, options_shown=episode.settings.options == "shown")
        judgement = (judged.grader, judged.version, judgement_json(judged))
        key = episode.key(cast)
        writer.end(ordinal, key, case.content_hash, case.id, trace.outcome, [judgement])
        if any(player.durable for player in cast.values()):
            await writer.flush()
        progress = self.progress
        progress.done += 1
        progress.played += 1
        progress.exchanges += trace.outcome.exchanges
        self._on_progress(progress)
