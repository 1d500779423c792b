"""The driver of a whole study: plan it, play its streams in one process or several, and report."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from itertools import islice
from multiprocessing import get_context
from typing import Final, Literal, NamedTuple

from osler.cases.importers.images import Images
from osler.cases.sources import open_source
from osler.errors import BadInput
from osler.protocols.consultation.config import RunConfig
from osler.protocols.consultation.longitudinal.design import Design
from osler.protocols.consultation.longitudinal.findings import LongitudinalReport
from osler.protocols.consultation.longitudinal.load_results import StreamData, read_stream
from osler.protocols.consultation.longitudinal.planning import Stream, kind_of, plan
from osler.protocols.consultation.longitudinal.results import report_of
from osler.protocols.consultation.longitudinal.run_stream import Sit, Stopped, Studied, play_stream
from osler.protocols.consultation.memory.summaries import Summarize
from osler.runs import run as runs
from osler.runs.cached_source import InMemory
from osler.store.child_process import end_with_parent
from osler.store.records import RunInfo
from osler.store.store import Store, open_store

MOST: Final = 20_000
"""The most cases kept in memory: a study draws a few thousand at most."""
Status = Literal["done", "paused", "interrupted"]
Say = Callable[[str], None]


class Ended(NamedTuple):
    """The outcome of one stream: its data, or the reason why it stopped."""

    lived: StreamData | None
    status: Status = "done"
    why: str = ""


def studied(design: Design) -> Studied:
    """Read a design's cases and plan the study. Raises BadInput if there are too few or too many cases."""
    images = Images(design.images, without=design.without_images)
    images.check()
    source = open_source(design.cases, design.format, images)
    most = design.limit or source.size or MOST + 1
    cases = list(islice(source, most)) if most <= MOST + 1 else []
    if most > MOST + 1 or len(cases) > MOST:
        raise BadInput(f"there are more than {MOST} cases", where=design.cases, hint=f"add --limit {MOST}")
    memory = InMemory(source.label, cases, source.fingerprint, source.report, images)
    kinds = [kind_of(place, case) for place, case in enumerate(cases)]
    return Studied(design, plan(kinds, design), design.key(memory.fingerprint), memory)


def run_here(
    study: Studied, store: Store, sit: Sit, say: Say, summarize: Summarize | None = None
) -> LongitudinalReport:
    """Play the streams one after another in this process, which models require; see `play_stream`."""
    result: list[StreamData] = []
    for number, stream in enumerate(study.plan.streams, 1):
        ended = _live(study, stream, store, sit, summarize)
        if ended.lived is None:
            return report_of(study, result, ended.status, ended.why)
        result.append(ended.lived)
        say(f"stream {number} of {len(study.plan.streams)} is done")
    return report_of(study, result)


def run_apart(study: Studied, url: str, processes: int, say: Say) -> LongitudinalReport:
    """Play the streams of built-in players in several processes over one store."""
    streams, ended = study.plan.streams, dict[str, Ended]()
    context = get_context("spawn")
    with ProcessPoolExecutor(min(processes, len(streams)), context, _begin, (study, url)) as pool:
        waiting = {pool.submit(_live_apart, stream): stream for stream in streams}
        try:
            for number, future in enumerate(as_completed(waiting), 1):
                ended[waiting[future].name] = future.result()
                say(f"{number} of {len(streams)} streams are done")
        except KeyboardInterrupt:
            pool.shutdown(cancel_futures=True)
        except BrokenProcessPool:
            ended[""] = Ended(None, "paused", "a process that played a stream was killed")
    lived = [ended[s.name].lived for s in streams if s.name in ended]
    stopped = next((one for one in ended.values() if one.status != "done"), None)
    if stopped is None and len(ended) < len(streams):
        stopped = Ended(None, "interrupted", "stopped by hand")
    datas = [one for one in lived if one is not None]
    return report_of(study, datas, stopped.status, stopped.why) if stopped else report_of(study, datas)


def processes_for(streams: int) -> int:
    """Return the default number of processes: one per core, at most one per stream."""
    return max(1, min(os.cpu_count() or 1, streams))


def sits(study: Studied, store: Store, concurrency: int) -> Sit:
    """Return the callback that plays runs of built-in players."""

    def sit(config: RunConfig, find: Callable[..., RunInfo]) -> runs.Session:
        run = find(config, {})
        if run.status == "done":
            return runs.Session(run, "done", "", 0.0)
        return runs.play(run, store, concurrency=concurrency, source=study.source)

    return sit


def _live(
    study: Studied, stream: Stream, store: Store, sit: Sit, summarize: Summarize | None = None
) -> Ended:
    try:
        play_stream(study, stream, store, sit, summarize)
    except Stopped as stopped:
        return Ended(None, stopped.status, stopped.why)
    return Ended(read_stream(study, stream, store))


_here: list[tuple[Studied, Store]] = []
"""The study and store of this worker process; empty in the main process."""
_AT_ONCE: Final = 16


def _begin(study: Studied, url: str) -> None:
    end_with_parent()
    _here.append((study, open_store(url)))


def _live_apart(stream: Stream) -> Ended:
    study, store = _here[0]
    return _live(study, stream, store, sits(study, store, _AT_ONCE))
