"""The life cycle of a run: begin, play, interrupt or pause, resume."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager, nullcontext, suppress
from importlib import import_module
from itertools import islice
from typing import Any, Final, NamedTuple, TypeVar

from pydantic import ValidationError

from osler.core.config import Config, config_type
from osler.core.factory import Factory
from osler.core.pace import PACE
from osler.core.permitted import PEOPLE
from osler.core.pictures import ImageFile
from osler.core.protocol import Protocol
from osler.core.registry import protocol_named
from osler.core.role import EXTERNAL, PERSON, Seating
from osler.core.source import Source
from osler.errors import (
    FAULTS,
    BadInput,
    BadStore,
    InfrastructureFault,
    OslerError,
    Status,
    TooManyFaults,
    in_words,
)
from osler.models.budget import Amounts
from osler.models.config import Config as Endpoints
from osler.models.open_models import Models
from osler.players.casting import casting_of, casting_type, players_of
from osler.players.external import Desk
from osler.runs import sitting
from osler.runs.batch import Batch, Progress, chosen, counted, manifest
from osler.runs.cached_source import KeptSource, placed
from osler.runs.images import check_images, images_shown, take_images
from osler.runs.leased import ONE_AT_A_TIME, Leased
from osler.runs.listed import list_cases, listed_cases
from osler.runs.stored_case import StoredCase, stored
from osler.runs.usage import ledger_of, usage
from osler.store.budgets import SharedBudget
from osler.store.leases import Worker
from osler.store.records import KeptPart, RunInfo, RunStatus
from osler.store.store import Store

MOST_NAMED = 12
STARTED_BY: Final = "OSLER_PLAYED_FOR"
"""The environment variable by which a process is known as one that a server started."""
SITTING: Final = "sitting"
"""The name of the task that plays a session of a run: cancelled, it ends as interrupted."""
C = TypeVar("C", bound=Config)


class Session(NamedTuple):
    """The outcome of one session of a run: `done`, `interrupted` (by a person) or `paused` (by a fault).

    `others` are the processes that continue the run, `fault` is what paused it.
    """

    run: RunInfo
    status: RunStatus
    why: str
    seconds: float
    others: tuple[Worker, ...] = ()
    fault: OslerError | None = None


def opened(config: Config) -> Source[Any]:
    """Return a run's cases, cached so that passing the same source to `begin` and `play` reads them once."""
    return KeptSource(config.opened())


class Prepared(NamedTuple):
    """A run that can begin: every need is checked, its `episodes` are counted, and nothing is written yet."""

    config: Config
    source: Source[Any]
    manifest: dict[str, object]
    files: Mapping[str, ImageFile]
    episodes: int

    def begin(self, store: Store, kept: KeptPart | None = None, name: str | None = None) -> RunInfo:
        """Write the run to the store. A branch's `kept` part names its parent."""
        written = dict(self.manifest)
        if kept:
            parent = store.info(kept.run)
            written["branch_of"] = {
                "run": parent.name,
                "id": parent.id,
                "ordinal": kept.ordinal,
                "at": kept.at,
                "earlier": parent.manifest.get("branch_of"),
            }
        run = store.begin_run(name, written, self.episodes, kept, self.files)
        return list_cases(run, store, self.config, self.source)


def prepare(
    config: Config,
    store: Store,
    more: Mapping[str, Factory] | None = None,
    source: Source[Any] | None = None,
    about: Mapping[str, object] | None = None,
) -> Prepared:
    """Check that everything a run needs is there, and count its episodes. `about` is added to its manifest
    as it is.

    Raises BadInput; nothing is written.
    """
    source = source or config.opened()
    check_images(source)
    given = {**players_of(Seating(config, channel=Desk())), **(more or {})}
    casting = casting_of(config, casting_type(config).supplied(config, given, store, source))
    consulted = placed(source, config)
    first = next(chosen(consulted, config), None)
    if first is None:
        raise _nothing_to_play(config, source)
    casting.cast(config.ready(first[1]))
    cases = counted(consulted, config)
    files = images_shown(source, first[1])
    written = {**manifest(config, source, files), **(about or {})}
    if PEOPLE not in written and (people := _people(config)):
        written[PEOPLE] = people
    return Prepared(config, source, written, files, cases * config.repeats)


def begin(
    config: Config,
    store: Store,
    more: Mapping[str, Factory] | None = None,
    source: Source[Any] | None = None,
    kept: KeptPart | None = None,
    about: Mapping[str, object] | None = None,
    name: str | None = None,
) -> RunInfo:
    """Check that everything a run needs is there, count its episodes, and write it to the store.

    Raises BadInput before anything is written.
    """
    return prepare(config, store, more, source, about).begin(store, kept, name)


def _people(config: Config) -> list[str]:
    """The seats in which people sit, or may sit behind another program."""
    return [seat for seat, name in config.insides().items() if name in (PERSON, EXTERNAL)]


def _nothing_to_play(config: Config, source: Source[Any]) -> BadInput:
    """Return the error for an empty run: the wanted case does not exist, or no case can be read."""
    if there := [case.id for case in islice(source, config.limit)]:
        known = ", ".join(there[:MOST_NAMED]) + (" ..." if len(there) > MOST_NAMED else "")
        return BadInput(
            f"there is no {config.plays.case} {config.only}", where=config.cases, hint=f"known: {known}"
        )
    reasons = source.report.reasons if source.report else ()
    what = f"nothing could be read: {reasons[0].reason}" if reasons else "nothing could be read"
    return BadInput(what, where=config.cases, hint=f"see: {config.plays.reading} {config.cases}")


def play(
    run: RunInfo,
    store: Store,
    *,
    concurrency: int = 16,
    more: Mapping[str, Factory] | None = None,
    max_errors: int | None = None,
    on_progress: Callable[[Progress], None] = lambda progress: None,
    around: AbstractAsyncContextManager[object] | None = None,
    source: Source[Any] | None = None,
    wait: bool = True,
) -> Session:
    """Play the remaining episodes of a run. Ctrl-C and infrastructure faults leave it resumable.

    An episode that an endpoint refuses to go on with ends unscored (`endpoint_fault`), and the others go on;
    `max_errors` is how many may end so before the run pauses. A player's exception pauses the run, but with
    `max_errors` it ends its episode in the same way (`player_fault`).

    If other processes play the same run, this one shares the work with them, takes over expired leases, and
    waits until all is done; without `wait` it leaves once nothing is left to lease. `around` is a context
    manager held open meanwhile, such as models' connections.
    """
    config, source = reopen(run, store, source)
    with store.claims(run.id) as claims:
        models = around if isinstance(around, Models) else None
        purse = share_limits(models, store, run.id, claims.token) if models else None
        batch = Batch(
            run,
            config,
            placed(source, config),
            casting_of(config, casting_type(config).supplied(config, more or {}, store, source)),
            store,
            claims,
            concurrency=concurrency,
            max_errors=max_errors,
            on_progress=on_progress,
            on_workers=models.share_among if models else None,
            also=purse.settle if purse else None,
            wait=wait,
        )
        status, fault = _play(batch, around or nullcontext())
        with suppress(InfrastructureFault):  # the fault that stopped the run is more informative
            if purse:
                purse.leave()
        others: tuple[Worker, ...] = ()
        try:
            others = claims.leave(status)
            now = store.run(run.name)
        except (InfrastructureFault, BadStore) as gone:  # what it lacks is said with how to go on
            fault = fault or gone
            now = run._replace(status="paused", done=batch.progress.done)
    if status == "paused" and now.status == "done" and not isinstance(fault, TooManyFaults):
        status, fault = "done", None  # other processes have played what was left
    elif fault and status == "done":
        status = "paused"
    why = "stopped by hand" if status == "interrupted" else str(fault or "")
    return Session(now, status, why, batch.progress.seconds, others, fault)


async def sit(
    run: RunInfo,
    store: Store,
    ordinal: int | None = None,
    *,
    models: Any = None,
    more: Mapping[str, Factory] | None = None,
    source: Source[Any] | None = None,
) -> sitting.Sitting:
    """Open a session of an episode of a run, in the seats named `external` or `person`.

    Without an `ordinal`, it is the first free episode. The episode is leased until it has ended or is left,
    every reply is committed before the encounter continues, and it is judged and ended as by `play`.

    `models` are the opened models for seats that name one, `more` adds players by name, and `source` is the
    opened source, if it is at hand. Raises BadInput if there is no such episode or another process plays it,
    and as `play` does.

        >>> import asyncio
        >>> from osler.runs.run import begin
        >>> async def first_question(store):
        ...     run = begin(osler.configure(limit=1).seated({"doctor": "external"}), store)
        ...     async with await osler.sit(run, store) as sitting:
        ...         return (await sitting.next()).ticket
        >>> with osler.open_store("osler.db") as store:
        ...     asyncio.run(first_question(store))
        '0.0'
    """
    desk = Desk()

    def opened() -> Leased:
        with ONE_AT_A_TIME:
            config, cases = reopen(run, store, source)
            config.check_seating(models)
            given = {**players_of(Seating(config, models, desk)), **(more or {})}
            casting = casting_of(config, casting_type(config).supplied(config, given, store, cases))
            return Leased(run, store, config, placed(cases, config), casting, ordinal)

    pace = PACE.get()
    opening = asyncio.ensure_future(asyncio.to_thread(opened) if pace is None else pace.work(opened))
    try:
        leased = await asyncio.shield(opening)
    except asyncio.CancelledError:
        await asyncio.wait([opening])
        if not opening.exception():
            opening.result().leave("interrupted")
        raise
    recorder = leased.recorder if leased.ended is None else None
    found = sitting.Sitting(desk, leased.play, recorder, leased.ordinal)
    found.start()
    return found


def share_limits(models: Models, store: Store, run_id: int, token: int) -> SharedBudget | None:
    """Let the models of the worker with this lease keep their limits together with everybody else's. Returns
    the budget, to be told of every commit, if there is one. Raises InfrastructureFault."""
    models.share_rates(store.shared_bucket)
    budget = models.budget
    if budget is None or not budget.bounds_spending:
        return None
    purse = store.shared_budget(run_id, token, lambda: recorded(store, run_id, models.config))
    purse.spent = budget.spent_here
    budget.share(purse)
    return purse


def recorded(store: Store, run_id: int, config: Endpoints) -> Amounts:
    """Return what a run has used so far by its record, at the configured prices."""
    tally = ledger_of(usage(store, run_id, config)).total
    return Amounts(tally.tokens, tally.cost)


def _play(batch: Batch, around: AbstractAsyncContextManager[object]) -> tuple[RunStatus, OslerError | None]:
    async def sit() -> None:
        if task := asyncio.current_task():
            task.set_name(SITTING)
        async with around:
            await batch.play()

    try:
        with asyncio.Runner(loop_factory=_fast_loop()) as runner:
            runner.run(sit())
    except (KeyboardInterrupt, asyncio.CancelledError):
        return "interrupted", None
    except (InfrastructureFault, BadStore) as fault:
        return "paused", fault
    return "done", None


def _fast_loop() -> Callable[[], asyncio.AbstractEventLoop] | None:
    """The factory of uvloop's event loops where the extra `fast` is installed; asyncio's own elsewhere."""
    with suppress(ImportError):
        made: Callable[[], asyncio.AbstractEventLoop] = import_module("uvloop").new_event_loop
        return made
    return None


def forget_diverged(run: RunInfo, store: Store) -> int:
    """Delete the episodes whose record can no longer be replayed, so that they are played again: from the
    start, or for a branch from where it left its parent. Returns how many.

    Raises BadInput while the run is being played.
    """
    branch = config_of(run).branch
    store.check_unplayed(run.id)
    diverged = [row.ordinal for row in store.episodes(run.id) if row.status is Status.DIVERGED]
    for ordinal in diverged:
        store.forget(run.id, ordinal, after=branch.at if branch else 0)
    return len(diverged)


def forget_faults(run: RunInfo, store: Store) -> int:
    """Reopen the episodes that faults ended, each where its record stands. Returns how many.

    Raises BadInput while the run is being played.
    """
    store.check_unplayed(run.id)
    faulted = [row.ordinal for row in store.episodes(run.id) if row.status in FAULTS]
    for ordinal in faulted:
        kept = [row.n for row in store.recorded(run.id, ordinal)]
        kept += [row.n for row in store.recorded_inner(run.id, ordinal)]
        store.forget(run.id, ordinal, after=max(kept, default=0))
    return len(faulted)


def protocol_of(run: RunInfo) -> Protocol:
    """Return the protocol of a run. Raises BadInput if its configuration names none that is installed."""
    return protocol_in(run.manifest.get("configuration", {}))


def protocol_in(configuration: Mapping[str, Any]) -> Protocol:
    """Return the protocol that a run's configuration names. Raises BadInput as `protocol_of` does."""
    return protocol_named(str(configuration.get("protocol", "")))


def player_of(run: RunInfo) -> str:
    """Return the name of the player under test in a run."""
    return str(run.manifest["configuration"].get(protocol_of(run).under_test, ""))


def config_as(run: RunInfo, kind: type[C]) -> C:
    """Return a run's configuration as a `kind`. Raises BadInput if the run is of another protocol."""
    config = config_of(run)
    if not isinstance(config, kind):
        protocol = protocol_named(kind.protocol)
        raise BadInput(f"this is a run of {config.plays.many}, not of {protocol.many}", where=run.name)
    return config


def config_of(run: RunInfo) -> Config:
    """Return a run's configuration, as it was begun. Raises BadInput if another version of Osler wrote it and
    this one cannot read it."""
    own = config_type(protocol_of(run))
    known = own.model_fields.keys() - {"cases"}
    written = {name: value for name, value in run.manifest["configuration"].items() if name in known}
    try:
        return own(cases=run.manifest["cases_given_as"], **written)
    except ValidationError as error:
        raise BadInput(
            f"{in_words(error)}; the run was begun by Osler "
            f"{run.manifest['configuration'].get('osler', 'of an unknown version')}",
            where=run.name,
            hint="continue with that version, or start another run",
        ) from None


def reopen(run: RunInfo, store: Store, source: Source[Any] | None = None) -> tuple[Config, Source[Any]]:
    """Return a run's configuration and its cases. Raises BadInput if the cases are gone or have changed."""
    config = config_of(run)
    if source is None and config.branch:
        source = StoredCase(config.cases, stored(store, config.model)(config.branch.case))
    if source is None:
        source = listed_cases(run, store, config)
    if source is None:
        source = config.opened()
        take_images(source, store.pictures(run.id))
    if source.fingerprint != run.manifest["configuration"]["cases_fingerprint"]:
        raise BadInput(
            "the cases have changed since this run began", where=config.cases, hint="start another run"
        )
    return config, source
