"""`osler worker`: one process that plays what is free of a run, and leaves when nothing is."""

from __future__ import annotations

import re
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Final

import typer

from osler.cli.collector import collect_seldom
from osler.cli.continuing import sigterm_as_ctrl_c
from osler.cli.model_options import takes_models
from osler.cli.options import AT_ONCE, AsJson, Concurrency, RunName, StoreUrl
from osler.cli.output import INTERRUPTED, PAUSED, command, plain, result
from osler.errors import BadInput
from osler.models.budget import BudgetPaused
from osler.runs import run as runs
from osler.runs.seating import ModelOptions, open_cast
from osler.store.store import open_store

_UNITS: Final = {"s": 1, "m": 60, "h": 3600}


@command
@takes_models(begins=False)
def worker(
    run: RunName,
    concurrency: Concurrency = AT_ONCE,
    for_: Annotated[
        str | None,
        typer.Option("--for", metavar="TIME", help="Leave after 90s, 55m or 2h.", show_default=False),
    ] = None,
    wait: Annotated[
        bool, typer.Option("--wait", help="Stay while others play what is left, to take over from the dead.")
    ] = False,
    with_parent: Annotated[bool, typer.Option("--with-parent", hidden=True)] = False,
    *,
    modelling: ModelOptions,
    store: StoreUrl = None,
    as_json: AsJson = False,
) -> None:
    """Play what nobody else plays of a run, and leave when nothing is left to lease.

    Start as many as you like, here or (PostgreSQL) on other machines. Exits 0 when nothing is left or its
    time is over, 3 when a fault pauses the run, 130 on SIGTERM or Ctrl-C; its episodes then go to others.
    """
    limit = seconds(for_) if for_ else None
    with open_store(store, create=False) as opened:
        info = opened.run(run)
        seated = open_cast(runs.config_of(info), modelling, resumed=(info, opened))
        with sigterm_as_ctrl_c(), _with_parent(with_parent), _for_at_most(limit) as over:
            collect_seldom()
            try:
                sitting = runs.play(
                    info,
                    opened,
                    concurrency=concurrency,
                    max_errors=modelling.max_errors,
                    more=seated.more,
                    around=seated.around,
                    wait=wait,
                )
            except KeyboardInterrupt:
                sitting = runs.Session(opened.run(info.name), "interrupted", "stopped by hand", 0.0)
        now = sitting.run
    in_time = sitting.status == "interrupted" and over.is_set()
    value = {
        "run": now.name,
        "status": "time over" if in_time else sitting.status,
        "why": "" if in_time else sitting.why,
        "done": now.done,
        "planned": now.planned,
        "others": [str(one) for one in sitting.others],
        "wall_s": round(sitting.seconds, 3),
    }
    if isinstance(sitting.fault, BudgetPaused):
        value["budget"] = sitting.fault.as_json()
    words = f"{now.name}: {value['status']}, {now.done} of {now.planned} are done"
    result(as_json, value, plain(f"{words}: {value['why']}" if value["why"] else words))
    if sitting.status != "done" and not in_time:
        raise typer.Exit(INTERRUPTED if sitting.status == "interrupted" else PAUSED)


def seconds(text: str) -> float:
    """A duration such as 90s, 55m or 2h in seconds. Raises BadInput."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([smh])", text.strip())
    if not match or not float(match[1]):
        raise BadInput(f"{text!r} is no duration", where="--for", hint="write 90s, 55m or 2h")
    return float(match[1]) * _UNITS[match[2]]


@contextmanager
def _for_at_most(limit: float | None) -> Iterator[threading.Event]:
    """Interrupt the block after `limit` seconds, and say so."""
    over = threading.Event()

    def stop() -> None:
        over.set()
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGTERM)

    timer = threading.Timer(limit, stop) if limit else None
    if timer:
        timer.daemon = True
        timer.start()
    try:
        yield over
    finally:
        if timer:
            timer.cancel()


@contextmanager
def _with_parent(wanted: bool) -> Iterator[None]:
    """Interrupt the block when standard input is closed: whoever started this process is gone."""

    def watch() -> None:
        sys.stdin.read()
        if not left.is_set():
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGTERM)

    left = threading.Event()
    if wanted:
        threading.Thread(target=watch, daemon=True).start()
    try:
        yield
    finally:
        left.set()
