"""A run played in this process, in several of this machine (`--processes`), or by Ray (`--on`)."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from osler.cli.continuing import flags_of
from osler.cli.options import ALONE, Spread
from osler.cli.output import say
from osler.core.config import Config
from osler.core.role import PERSON
from osler.core.source import Source
from osler.errors import BadInput
from osler.runs import run as runs
from osler.runs.batch import Progress
from osler.runs.seating import ModelOptions, OpenedCast
from osler.store.connect import address
from osler.store.records import RunInfo
from osler.store.store import Store


class PlayOptions(NamedTuple):
    """The options of a command that plays: its models' settings, the episodes at once, the processes, and
    `--store` as given."""

    modelling: ModelOptions
    concurrency: int = 1
    over: Spread = ALONE
    store: str | None = None


def check_spread(over: Spread, configs: Sequence[Config], given: str | None) -> None:
    """Raise BadInput if a run cannot be played so; `given` is `--store` as given."""
    if over.alone:
        return
    if any(PERSON in one.insides().values() for one in configs):
        raise BadInput("a person plays in one process", where=over.where, hint="leave it out")
    if over.by_ray:
        if address(given).get_backend_name() == "sqlite":
            raise BadInput(
                "SQLite is for one machine, and Ray's processes may be on many",
                where=over.where,
                hint="name a store on PostgreSQL (--store or OSLER_STORE); or play here: "
                f"--processes {over.processes}",
            )
        from osler.runs.on_ray import check_ray  # noqa: PLC0415 - import time

        check_ray(over.where)


def played(
    run: RunInfo,
    store: Store,
    seated: OpenedCast,
    how: PlayOptions,
    on_progress: Callable[[Progress], None],
    source: Source[Any] | None,
) -> runs.Session:
    """Play the rest of a run in this process, or in several if there is a rest."""
    options = shlex.split(flags_of(how.modelling))
    over = how.over if run.done < run.planned else ALONE
    if over.by_ray:
        from osler.runs.on_ray import play_on_ray  # noqa: PLC0415 - import time

        return play_on_ray(
            run,
            store,
            over.processes,
            how.store or os.environ.get("OSLER_STORE", ""),
            concurrency=how.concurrency,
            options=options,
            on_progress=on_progress,
            tell=say,
        )
    if over.processes > 1:
        from osler.runs.workers import play_by_workers  # noqa: PLC0415 - import time

        return play_by_workers(
            run,
            store,
            over.processes,
            concurrency=how.concurrency,
            options=options,
            # By its environment, since an address may hold a password and everybody reads command lines.
            environ={**os.environ, **({"OSLER_STORE": how.store} if how.store else {})},
            on_progress=on_progress,
        )
    return runs.play(
        run,
        store,
        concurrency=how.concurrency,
        max_errors=how.modelling.max_errors,
        more=seated.more,
        on_progress=on_progress,
        around=seated.around,
        source=source,
    )
