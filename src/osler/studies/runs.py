"""A run's life: begun, played, interrupted or paused, resumed, summed up."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager, nullcontext
from itertools import islice
from typing import Any, NamedTuple, TypeVar

from pydantic import ValidationError
from pydantic_core import from_json

from osler.cases.sources import Source
from osler.errors import BadInput, InfrastructureFault, Status
from osler.reports.summary import RunSummary, Summary
from osler.store.keeping import KeptPart
from osler.store.leases import Holder
from osler.store.rows import RunInfo, RunStatus
from osler.store.store import Store
from osler.studies.batch import Batch, Progress, chosen, manifest
from osler.studies.build import Factory, RunConfig
from osler.studies.config import AnyConfig
from osler.studies.experience.recalling import with_experience
from osler.studies.graders import Grader
from osler.studies.judged_episodes import add_to, judged_episodes
from osler.studies.kept import KeptSource, placed
from osler.studies.kinds import NAMES, AnyKind, kind_of
from osler.studies.round_config import RoundConfig
from osler.studies.scenario_config import ScenarioConfig
from osler.studies.stored_case import StoredCase, stored

BUILT_IN = Grader()
MOST_NAMED = 12
K = TypeVar("K", RunConfig, RoundConfig, ScenarioConfig)


class Sitting(NamedTuple):
    """How one sitting of a run ended: `done`, `interrupted` (by a person) or `paused` (by a fault).

    `others` are the processes that go on with the run.
    """

    run: RunInfo
    status: RunStatus
    why: str
    seconds: float
    others: tuple[Holder, ...] = ()


def opened(config: AnyConfig) -> Source[Any]:
    """A run's cases, read once where the same source is handed to `begin` and to `play`."""
    return KeptSource(config.opened())


def begin(
    config: AnyConfig,
    store: Store,
    more: Mapping[str, Factory] | None = None,
    source: Source[Any] | None = None,
    kept: KeptPart | None = None,
    about: Mapping[str, object] | None = None,
    name: str | None = None,
) -> RunInfo:
    """Check that everything a run needs is there, count its episodes, and enter it into the store. `about` is
    written into its manifest as it is.

    Raises BadInput; nothing has been written then.
    """
    source = source or config.opened()
    casting = config.casting(with_experience(config, more, store, source))
    cases = 0
    consulted = placed(source, config)
    for _, case in chosen(consulted, config):
        if not cases:
            casting.cast(config.ready(case))
        cases += 1
        if consulted.size is not None and config.only is None:
            cases = min(consulted.size, config.limit or consulted.size)
            break
    if not cases:
        raise _nothing_to_play(config, source)
    written = {**manifest(config, source), **(about or {})}
    if kept:
        written["branch_of"] = {
            "run": store.info(kept.run).name,
            "ordinal": kept.ordinal,
            "at": kept.at,
        }
    return store.begin_run(name, written, cases * config.repeats, kept)


def _nothing_to_play(config: AnyConfig, source: Source[Any]) -> BadInput:
    """Why there is nothing: the one that is wanted is not there, or nothing can be read."""
    scenarios = isinstance(config, ScenarioConfig)
    if there := [case.id for case in islice(source, config.limit)]:
        known = ", ".join(there[:MOST_NAMED]) + (" ..." if len(there) > MOST_NAMED else "")
        what = "scenario" if scenarios else "case"
        return BadInput(f"there is no {what} {config.only}", where=config.cases, mend=f"known: {known}")
    reasons = source.report.reasons if source.report else ()
    what = f"nothing could be read: {reasons[0].reason}" if reasons else "nothing could be read"
    command = f"osler {'scenario lint' if scenarios else 'cases import'} {config.cases}"
    return BadInput(what, where=config.cases, mend=f"see: {command}")


def play(
    run: RunInfo,
    store: Store,
    *,
    concurrency: int = 16,
    more: Mapping[str, Factory] | None = None,
    on_progress: Callable[[Progress], None] = lambda progress: None,
    around: AbstractAsyncContextManager[object] | None = None,
    source: Source[Any] | None = None,
) -> Sitting:
    """Play what is not done yet of a run. Ctrl-C and faults of the infrastructure leave it resumable.

    Where other processes play the same run, this one shares it with them, takes over what they leave behind,
    and waits until all is done. `around` is open while it is played, such as the connections of models.
    """
    config, source = reopen(run, store, source)
    with store.claims(run.id) as claims:
        batch = Batch(
            run,
            config,
            placed(source, config),
            config.casting(with_experience(config, more, store, source)),
            store,
            claims,
            concurrency=concurrency,
            on_progress=on_progress,
        )
        status, why = _play(batch, around or nullcontext())
        others = claims.leave(status)
    return Sitting(store.run(run.name), status, why, batch.progress.seconds, others)


def _play(batch: Batch, around: AbstractAsyncContextManager[object]) -> tuple[RunStatus, str]:
    async def sit() -> None:
        async with around:
            await batch.play()

    try:
        asyncio.run(sit())
    except (KeyboardInterrupt, asyncio.CancelledError):
        return "interrupted", "stopped by hand"
    except InfrastructureFault as fault:
        return "paused", str(fault)
    return "done", ""


def forget_diverged(run: RunInfo, store: Store) -> int:
    """Forget the episodes whose record no longer fits, so that they are played from the start, those of a
    branch from where it left its parent.

    Raises BadInput while somebody plays the run.
    """
    branch = any_config_of(run).branch
    store.check_unplayed(run.id)
    diverged = [row.ordinal for row in store.episodes(run.id) if row.status is Status.DIVERGED]
    for ordinal in diverged:
        store.forget(run.id, ordinal, after=branch.at if branch else 0)
    return len(diverged)


def config_of(run: RunInfo) -> RunConfig:
    """The configuration of a run of consultations. Raises BadInput where it is of something else."""
    return _config_of(run, RunConfig)


def round_config_of(run: RunInfo) -> RoundConfig:
    """The configuration of a run of ward rounds. Raises BadInput where it is of something else."""
    return _config_of(run, RoundConfig)


def scenario_config_of(run: RunInfo) -> ScenarioConfig:
    """The configuration of a run of scenarios. Raises BadInput where it is of something else."""
    return _config_of(run, ScenarioConfig)


def kind_of_run(run: RunInfo) -> AnyKind:
    """What a run is of."""
    return kind_of(run.manifest["configuration"].get("protocol", ""))


def is_of_rounds(run: RunInfo) -> bool:
    """Whether a run is of ward rounds."""
    return kind_of_run(run) is RoundConfig


def is_of_scenarios(run: RunInfo) -> bool:
    """Whether a run is of scenarios."""
    return kind_of_run(run) is ScenarioConfig


def check_kind(run: RunInfo, kind: AnyKind) -> None:
    """Raise BadInput where a run is of something else."""
    if (found := kind_of_run(run)) is not kind:
        raise BadInput(f"this is a run of {NAMES[found]}, not of {NAMES[kind]}", where=run.name)


def check_of_consultations(run: RunInfo) -> None:
    """Raise BadInput where a run is of something else than consultations."""
    check_kind(run, RunConfig)


def _config_of(run: RunInfo, kind: type[K]) -> K:
    check_kind(run, kind)
    config = any_config_of(run)
    assert isinstance(config, kind)
    return config


def any_config_of(run: RunInfo) -> AnyConfig:
    """A run's configuration, as it was begun. Raises BadInput where an earlier Osler wrote what this one
    cannot read."""
    kind = kind_of_run(run)
    known = kind.model_fields.keys() - {"cases"}
    written = {name: value for name, value in run.manifest["configuration"].items() if name in known}
    try:
        return kind(cases=run.manifest["cases_given_as"], **written)
    except ValidationError as error:
        first = error.errors()[0]
        raise BadInput(
            f"{'.'.join(map(str, first['loc']))}: {first['msg']}; the run was begun by Osler "
            f"{run.manifest['configuration'].get('osler', 'of an unknown version')}",
            where=run.name,
            mend="go on with that version, or begin another run",
        ) from None


def reopen(run: RunInfo, store: Store, source: Source[Any] | None = None) -> tuple[AnyConfig, Source[Any]]:
    """A run's configuration and its cases. Raises BadInput where the cases are gone or have changed."""
    config = any_config_of(run)
    if source is None and config.branch:
        source = StoredCase(config.cases, stored(store, config.model)(config.branch.case))
    source = source or config.opened()
    if source.fingerprint != run.manifest["configuration"]["cases_fingerprint"]:
        raise BadInput(
            "the cases have changed since this run began", where=config.cases, mend="begin another run"
        )
    return config, source


def summarize(run: RunInfo, store: Store, wall_s: float, grader: Grader = BUILT_IN) -> RunSummary:
    """Sum a run up from what is stored: the same figures after any number of sittings."""
    named = config_of(run).players()
    summary = Summary(run.name, [seat for seat, name in named.items() if name.startswith("model:")])
    judged_by = Counter[str]()
    for episode, judgements in judged_episodes(run, store, earlier=bool(grader.version)):
        found = grader.among(judgements)
        add_to(summary, episode, from_json(found.body) if found else None)
        if found:
            judged_by[f"{found.grader} {found.version}"] += 1
    return summary.result(wall_s=wall_s).model_copy(update={"judged_by": dict(sorted(judged_by.items()))})
