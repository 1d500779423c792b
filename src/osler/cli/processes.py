"""A run played in this process, or in several (`--processes`)."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Sequence
from typing import Any

from osler.cli.continuing import flags_of
from osler.core.config import Config
from osler.core.role import PERSON
from osler.core.source import Source
from osler.errors import BadInput
from osler.runs import run as runs
from osler.runs.batch import Progress
from osler.runs.seating import ModelOptions, OpenedCast
from osler.store.records import RunInfo
from osler.store.store import Store


def check_processes(processes: int, wanted: Sequence[Config], modelling: ModelOptions) -> None:
    """Raise BadInput if a run cannot be played by so many processes."""
    if processes == 1:
        return
    if any(PERSON in one.insides().values() for one in wanted):
        raise BadInput("a person plays in one process", where=f"--processes {processes}", hint="leave it out")
    if modelling.max_money is not None or modelling.token_budget is not None:
        raise BadInput(
            "a budget is counted by one process alone",
            where=f"--processes {processes}",
            hint="leave out --max-money and --token-budget, or --processes",
        )


def played(
    run: RunInfo,
    store: Store,
    seated: OpenedCast,
    modelling: ModelOptions,
    concurrency: int,
    on_progress: Callable[[Progress], None],
    source: Source[Any] | None,
    *,
    processes: int = 1,
    given: str | None = None,
) -> runs.Sitting:
    """Play the rest of a run in this process, or in several."""
    if processes > 1:
        from osler.runs.workers import play_by_workers  # noqa: PLC0415 - import time

        return play_by_workers(
            run,
            store,
            processes,
            concurrency=concurrency,
            options=shlex.split(flags_of(modelling)),
            # By its environment, since an address may hold a password and everybody reads command lines.
            environ={**os.environ, **({"OSLER_STORE": given} if given else {})},
            on_progress=on_progress,
        )
    return runs.play(
        run,
        store,
        concurrency=concurrency,
        max_errors=modelling.max_errors,
        more=seated.more,
        on_progress=on_progress,
        around=seated.around,
        source=source,
    )
