"""The terminal: a person's channel, and the progress of a run (a bar at a terminal, an occasional line
elsewhere)."""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
from rich.progress import Progress as Bar

from osler.cli.output import err, say
from osler.text.hostile import safe

if TYPE_CHECKING:
    from osler.runs.batch import Progress

with suppress(ImportError):
    import readline  # noqa: F401 - line editing and history for input()

EVERY_S = 0.1
LINE_EVERY_S = 10.0


class Terminal:
    """A person's channel on standard input and standard error. Standard output is reserved for results."""

    async def read(self, prompt: str) -> str:
        """Read a line, blocking: one person, one episode. Ctrl-C and Ctrl-D end the session."""
        try:
            return _line(prompt)
        except KeyboardInterrupt:
            raise EOFError from None

    def write(self, text: str) -> None:
        err.print(safe(text), markup=False)

    def picture(self, name: str, png: bytes) -> None:
        """Save a picture where an image viewer can open it, and print the path. The name is not used: it is
        text from the doctor or the case."""
        handle, path = tempfile.mkstemp(prefix="osler-", suffix=".png")
        with os.fdopen(handle, "wb") as file:
            file.write(png)
        self.write(f"[a picture: {path}]")


def _line(prompt: str) -> str:
    while True:
        try:
            return _one_line(prompt)
        except UnicodeDecodeError:
            err.print("That line could not be read as text. Please type it again.")


def _one_line(prompt: str) -> str:
    if sys.stdout.isatty():
        return input(prompt)
    sys.stderr.write(prompt)
    sys.stderr.flush()
    return input()


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
