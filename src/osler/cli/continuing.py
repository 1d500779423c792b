"""Runs that stop: by which signal, and the command that continues them."""

from __future__ import annotations

import asyncio
import shlex
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from threading import current_thread, main_thread

import typer

from osler.cli.output import INTERRUPTED, PAUSED, result, say
from osler.errors import OslerError, TooManyFaults
from osler.models.budget import BudgetPaused
from osler.runs import run as runs
from osler.runs.seating import ModelOptions
from osler.store.store import Store


@contextmanager
def sigterm_as_ctrl_c() -> Iterator[None]:
    """Meanwhile, let SIGTERM stop a run as Ctrl-C does, so that it says how to continue."""

    def stop(*_: object) -> None:
        if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as in a background job of a script
            if not _cancelled():
                raise KeyboardInterrupt
        else:
            signal.raise_signal(signal.SIGINT)

    if current_thread() is not main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before or signal.SIG_DFL)


def _cancelled() -> bool:
    """Cancel the task that plays, if one does, as asyncio itself does on Ctrl-C; an exception that came up in
    the middle of any task would be reported as that task's."""
    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:
        return False
    playing = [task for task in asyncio.all_tasks(loop) if task.get_name() == runs.SITTING]
    for task in playing:
        loop.call_soon_threadsafe(task.cancel)
    return bool(playing)


def leave_unfinished(
    sitting: runs.Session, where: str, modelling: ModelOptions, as_json: bool = False
) -> None:
    """If a sitting did not finish the run, say why and how to continue, and exit; else do nothing."""
    if sitting.status == "done":
        return
    run = sitting.run
    again = f"osler resume {run.name}{where}{flags_of(modelling, sitting.fault)}"
    if run.done == run.planned and sitting.fault:
        again += " --retry-failed"  # nothing else is left
    say(f"{sitting.status}: {sitting.why}. {run.done} of {run.planned} are done.")
    if sitting.others:
        say(f"Other processes are still playing it: {', '.join(map(str, sitting.others))}")
    say(f"To continue: {again}")
    if as_json:
        said = {"run": run.name, "status": sitting.status, "why": sitting.why}
        result(True, {**said, "done": run.done, "planned": run.planned, "to_continue": again})
    raise typer.Exit(INTERRUPTED if sitting.status == "interrupted" else PAUSED)


def flags_of(options: ModelOptions, fault: OslerError | None = None) -> str:
    """The options for models, as flags of a suggested command; "" for those not given. A limit whose
    exhaustion is the `fault` is raised: the same again would pause the run again."""
    given: dict[str, object] = {
        "--config": options.config,
        "--cache": None if options.cache == "off" else options.cache,
        "--token-budget": options.token_budget,
        "--max-money": options.max_money,
        "--max-errors": options.max_errors,
    }
    if isinstance(fault, BudgetPaused) and fault.limit == "money":
        given["--max-money"] = f"{fault.enough:g}"
    if isinstance(fault, BudgetPaused) and fault.limit == "tokens":
        given["--token-budget"] = round(fault.enough)
    if isinstance(fault, TooManyFaults):
        given["--max-errors"] = 2 * fault.found
    return "".join(f" {flag} {value}" for flag, value in given.items() if value is not None)


def store_flag(store: Store, given: str | None) -> str:
    """The ` --store ...` flag to repeat in a suggested command, "" if none was given."""
    return f" --store {shlex.quote(store.label)}" if given else ""
