"""Progress of a run on standard error: a progress bar at a terminal, an occasional line elsewhere."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
from rich.progress import Progress as Bar

from osler.cli.output import err, say
from osler.runs.batch import Progress

EVERY_S = 0.1
LINE_EVERY_S = 10.0


@contextmanager
def shown(*, moving: bool = True, what: str = "consultations") -> Iterator[Callable[[Progress], None]]:
    """Yield a callback that shows the progress of a run of `what`, its rate, and the time left."""
    at_terminal = moving and err.is_terminal
    last = time.monotonic()
    columns = (
        TextColumn(what),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.description}"),
    )
    with Bar(*columns, console=err, disable=not at_terminal, transient=True) as bar:
        task = bar.add_task("", total=None)

        def show(progress: Progress) -> None:
            nonlocal last
            now = time.monotonic()
            if now - last < (EVERY_S if at_terminal else LINE_EVERY_S):
                return
            last = now
            left = progress.seconds_left
            words = f"{progress.per_second:.0f}/s, {_duration(left)} left" if left is not None else ""
            if progress.waiting_for:
                words = f"waiting for {progress.waiting_for}"
            if at_terminal:
                bar.update(task, total=progress.planned, completed=progress.done, description=words)
            else:
                say(f"{progress.done} of {progress.planned} {what}, {words}")

        yield show


def _duration(seconds: float) -> str:
    whole = round(seconds)
    return f"{whole // 60} min {whole % 60} s" if whole >= 60 else f"{whole} s"
