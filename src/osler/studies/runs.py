"""A run's life: begun, played, interrupted or paused, resumed, judged again, summed up."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractAsyncContextManager, nullcontext
from functools import lru_cache
from itertools import islice
from typing import Any, NamedTuple

from pydantic_core import from_json

from osler.cases.model import Case
from osler.cases.personas import persona
from osler.cases.sources import CaseSource, open_source
from osler.encounter.trace import Trace
from osler.errors import BadInput, InfrastructureFault, Status
from osler.judging.judge import GRADER, judge
from osler.judging.scores import Judgement, judgement_json, judgement_of
from osler.reports.summary import Figures, RunSummary, Summary
from osler.store.rows import RunInfo, RunStatus
from osler.store.store import Store
from osler.studies.batch import Batch, Progress, chosen, manifest
from osler.studies.build import Casting, Factory, RunConfig

JUDGED_AT_ONCE = 200


class Sitting(NamedTuple):
    """How one sitting of a run ended: `done`, `interrupted` (by a person) or `paused` (by a fault)."""

    run: RunInfo
    status: RunStatus
    why: str
    seconds: float


def begin(config: RunConfig, store: Store, more: Mapping[str, Factory] | None = None) -> RunInfo:
    """Check that everything a run needs is there, count its episodes, and enter it into the store.

    Raises BadInput; nothing has been written then.
    """
    casting, source = Casting(config, more), open_source(config.cases, config.format)
    persona(config.persona)
    cases = 0
    for _, case in chosen(source, config):
        if not cases:
            casting.cast(case)
        cases += 1
        if source.size is not None and config.only is None:
            cases = min(source.size, config.limit or source.size)
            break
    if not cases:
        raise BadInput("no case could be read", where=config.cases, mend="see: osler cases import FILE")
    return store.begin_run(None, manifest(config, source), cases * config.repeats)


def play(
    run: RunInfo,
    store: Store,
    *,
    concurrency: int = 16,
    more: Mapping[str, Factory] | None = None,
    on_progress: Callable[[Progress], None] = lambda progress: None,
    around: AbstractAsyncContextManager[object] | None = None,
) -> Sitting:
    """Play what is not done yet of a run. Ctrl-C and faults of the infrastructure leave it resumable.

    `around` is open while it is played, such as the connections of models.
    """
    config, source = reopen(run)
    with store.hold(run.id):
        return _play(run, store, config, source, concurrency, more, on_progress, around)


def _play(
    run: RunInfo,
    store: Store,
    config: RunConfig,
    source: CaseSource,
    concurrency: int,
    more: Mapping[str, Factory] | None,
    on_progress: Callable[[Progress], None],
    around: AbstractAsyncContextManager[object] | None,
) -> Sitting:
    store.set_status(run.id, "running")
    batch = Batch(
        run,
        config,
        source,
        Casting(config, more),
        store,
        concurrency=concurrency,
        on_progress=on_progress,
    )

    async def sit() -> None:
        async with around or nullcontext():
            await batch.play()

    status: RunStatus = "done"
    why = ""
    try:
        asyncio.run(sit())
    except (KeyboardInterrupt, asyncio.CancelledError):
        status, why = "interrupted", "stopped by hand"
    except InfrastructureFault as fault:
        status, why = "paused", str(fault)
    store.set_status(run.id, status)
    return Sitting(store.run(run.name), status, why, batch.progress.seconds)


def forget_diverged(run: RunInfo, store: Store) -> int:
    """Forget the episodes whose record no longer fits, so that they are played from the start."""
    diverged = [row.ordinal for row in store.episodes(run.id) if row.status is Status.DIVERGED]
    for ordinal in diverged:
        store.forget(run.id, ordinal)
    return len(diverged)


def config_of(run: RunInfo) -> RunConfig:
    """A run's configuration, as it was begun."""
    written = dict(run.manifest["configuration"])
    for name in written.keys() - RunConfig.model_fields.keys() | {"cases"}:
        del written[name]
    return RunConfig(cases=run.manifest["cases_given_as"], **written)


def reopen(run: RunInfo) -> tuple[RunConfig, CaseSource]:
    """A run's configuration and its cases. Raises BadInput where the cases are gone or have changed."""
    config = config_of(run)
    source = open_source(config.cases, config.format)
    if source.fingerprint != run.manifest["configuration"]["cases_fingerprint"]:
        raise BadInput(
            "the cases have changed since this run began", where=config.cases, mend="begin another run"
        )
    return config, source


def judge_again(run: RunInfo, store: Store) -> int:
    """Judge every stored episode of a run anew from its trace. Returns how many."""
    shown, case_of = options_shown(run), stored_cases(store)
    count = 0
    traces = store.traces(run.id)
    while some := list(islice(traces, JUDGED_AT_ONCE)):
        found = [(row.ordinal, judge(case_of(row.case_hash), trace, shown)) for row, trace in some]
        store.put_judgements(run.id, [(n, j.grader, j.version, judgement_json(j)) for n, j in found])
        count += len(found)
    return count


def options_shown(run: RunInfo) -> bool:
    """Whether the run showed a case's options to its doctor."""
    return bool(run.manifest["configuration"]["settings"]["options"] == "shown")


def stored_cases(store: Store) -> Callable[[str], Case]:
    """Looks cases up by content hash; the last few hundred are kept."""

    @lru_cache(maxsize=256)
    def case_of(case_hash: str) -> Case:
        body = store.case(case_hash)
        if body is None:
            raise BadInput("a case of this run is not in the store", where=case_hash)
        return Case.model_validate_json(body)

    return case_of


def judged(run: RunInfo, store: Store) -> Iterator[tuple[int, Trace, Judgement]]:
    """Each ended episode of a run with its trace and the built-in judge's judgement."""
    for episode, trace, judgements in store.records(run.id):
        for found in judgements:
            if found.grader == GRADER:
                yield episode.ordinal, trace, judgement_of(found.body)


def summarize(run: RunInfo, store: Store, wall_s: float) -> RunSummary:
    """Sum a run up from what is stored: the same figures after any number of sittings."""
    named = config_of(run).players()
    summary = Summary(run.name, [seat for seat, name in named.items() if name.startswith("model:")])
    judgements = store.judgements(run.id)
    judgement = next(judgements, None)
    for episode in store.episodes(run.id):
        body: dict[str, Any] | None = None
        while judgement is not None and judgement.ordinal <= episode.ordinal:
            if judgement.ordinal == episode.ordinal and judgement.grader == GRADER:
                body = from_json(judgement.body)
            judgement = next(judgements, None)
        kind, chance = (body["kind"], body["chance"]) if body else ("unjudged", None)
        used = (episode.turns, episode.tests, episode.minutes, episode.cost, episode.exchanges)
        summary.add(episode.status, episode.case_hash, kind, chance, Figures(*used), body)
    return summary.result(wall_s=wall_s)
