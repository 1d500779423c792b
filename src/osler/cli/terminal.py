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
    from osler.models.budget import Ledger, Tally
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

    def picture(self, name: str, image: bytes) -> None:
        """Save a picture where an image viewer can open it, and print the path. The name is not used: it is
        text from the doctor or the case."""
        suffix = ".jpeg" if image.startswith(b"\xff\xd8") else ".png"
        handle, path = tempfile.mkstemp(prefix="osler-", suffix=suffix)
        with os.fdopen(handle, "wb") as file:
            file.write(image)
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
def shown(
    *, moving: bool = True, what: str = "consultations", ledger: Ledger | None = None
) -> Iterator[Callable[[Progress], None]]:
    """Yield a callback that shows the progress of a run of `what`, its rate, the time left, and what the
    `ledger` of its models counts."""
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
            words = ", ".join((*progress_words(progress), *(spent_words(ledger.total) if ledger else ())))
            if at_terminal:
                bar.update(task, total=progress.planned, completed=progress.done, description=words)
            else:
                say(f"{progress.done} of {progress.planned} {what}{', ' if words else ''}{words}")

        yield show


def progress_words(progress: Progress) -> list[str]:
    """The rate and the time left, as far as they are known."""
    if progress.waiting_for:
        return [f"waiting for {progress.waiting_for}"]
    rate, left = progress.per_second, progress.seconds_left
    return [*([_rate(rate)] if rate else ()), *([f"{_duration(left)} left"] if left is not None else ())]


def spent_words(spent: Tally) -> list[str]:
    """Tokens, cost and failed requests so far; nothing before the first call."""
    if not spent.calls:
        return []
    words = [f"{spent.tokens:,} tokens"]
    if spent.cost or not spent.unpriced:
        words.append(f"cost {'at least ' if spent.unpriced else ''}{spent.cost:.4g}")
    if spent.failed:
        words.append(f"{spent.failed:,} failed requests")
    if spent.retried:
        words.append(f"{spent.retried:,} sent again")
    return words


def _rate(per_second: float) -> str:
    """A rate in the unit in which it is at least 1: "3/s", "12/min", "5/h"."""
    for seconds, unit in ((1, "s"), (60, "min")):
        if per_second * seconds >= 1:
            return f"{per_second * seconds:.0f}/{unit}"
    return f"{max(1, round(per_second * 3600))}/h"


def _duration(seconds: float) -> str:
    whole = round(seconds)
    return f"{whole // 60} min {whole % 60} s" if whole >= 60 else f"{whole} s"
