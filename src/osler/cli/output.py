"""Output: results on standard output or in files, all else on standard error; and the one error boundary."""

from __future__ import annotations

import json
import logging
import os
import shlex
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import Any, Final, ParamSpec

import typer
from rich.console import Console, RenderableType
from rich.text import Text

from osler.errors import BadInput, InfrastructureFault, OslerError
from osler.files import whole_file
from osler.reports.printed import add_row as add_row
from osler.reports.printed import plain as plain
from osler.text.hostile import safe

P = ParamSpec("P")
out = Console(highlight=False, emoji=False, soft_wrap=False)
err = Console(stderr=True, highlight=False, emoji=False)

_STORE_LOG: Final = logging.getLogger("osler.store")
_SALVAGE: Final = "restore a copy, or `sqlite3 DAMAGED .recover | sqlite3 NEW`, then --store NEW"
SHOWN: Final = 20
"""Lines of a list that are shown; --json has all of them."""

NOTHING_DONE, USAGE, PAUSED, BELOW, INTERRUPTED = 1, 2, 3, 4, 130
"""Exit codes besides 0: bad input or nothing done, wrong usage, a paused run, a score below `--fail-under`,
and stopped by hand."""


def result(as_json: bool, value: dict[str, Any], *shown: RenderableType) -> None:
    """Print a command's result: one JSON object, or the form for people."""
    if as_json:
        sys.stdout.write(json.dumps(value, allow_nan=False) + "\n")
    else:
        for renderable in shown:
            # Plain text is not wrapped, so that it can be piped.
            out.print(renderable, soft_wrap=isinstance(renderable, Text))


@contextmanager
def paged(as_json: bool) -> Iterator[None]:
    """Meanwhile, show what is printed in the terminal's pager; without a terminal, or as JSON, print it."""
    if as_json or not out.is_terminal:
        yield
        return
    with out.pager(styles=True):
        yield


def say(text: str) -> None:
    """Print a message that is not the result to standard error. Plain text: markup is not interpreted, and
    no control code of a file's or a model's text reaches the terminal."""
    err.print(safe(text), markup=False, soft_wrap=True)


def some(lines: Sequence[str], most: int = SHOWN) -> list[str]:
    """The first lines of a list, and the number of those left out."""
    left = len(lines) - most
    return [*lines[:most], *([f"  and {left} more; --json lists them"] if left > 0 else ())]


def write_page(text: str, path: Path) -> None:
    """Write a report to a file, replacing an existing one only once all is written."""
    with whole_file(path) as partial:
        partial.write_text(text, encoding="utf-8", newline="\n")
    say(safe(f"written: {path}"))


def write_lines(lines: Iterable[bytes], path: Path) -> bool:
    """Write lines to a file atomically, in constant memory; return False if it already holds exactly these.

    Raises BadInput if it holds anything else, is a folder, or cannot be written.
    """
    if path.is_dir():
        raise BadInput("is a folder, not a file", where=str(path), hint="name a file with --out")
    if path.exists():
        if not _holds(path, lines):
            raise BadInput(
                "a different file is already there", where=str(path), hint="move it or name another"
            )
        return False
    with whole_file(path) as partial:
        partial.parent.mkdir(parents=True, exist_ok=True)
        with partial.open("wb") as file:
            file.writelines(lines)
    return True


def _holds(path: Path, lines: Iterable[bytes]) -> bool:
    with path.open("rb") as file:
        return all(file.read(len(line)) == line for line in lines) and not file.read(1)


@contextmanager
def _what_is_lost() -> Iterator[list[str]]:
    """Say what a damaged store warns of, and list it."""
    lost: list[str] = []

    class Sayer(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            lost.append(record.getMessage())
            say(safe(f"osler: {lost[-1]}"))

    handler = Sayer(logging.WARNING)
    _STORE_LOG.addHandler(handler)
    propagates, _STORE_LOG.propagate = _STORE_LOG.propagate, False  # or the log would say it again
    try:
        yield lost
    finally:
        _STORE_LOG.removeHandler(handler)
        _STORE_LOG.propagate = propagates


def _given(values: Iterable[object]) -> str:
    """The files and folders among the arguments of a command."""
    each = [one for value in values for one in (value if isinstance(value, list | tuple) else [value])]
    return ", ".join(str(one) for one in each if isinstance(one, str | Path) and os.path.exists(one))


def _beyond(error: RecursionError | MemoryError | OverflowError) -> str:
    if isinstance(error, RecursionError):
        return "something in it is nested too deeply"
    return "it needs more memory than there is" if isinstance(error, MemoryError) else "a number is too large"


def _by_this_python(words: str) -> str:
    """A message whose advice to install names the Python that runs here: any other pip installs elsewhere."""
    return words.replace("pip install ", f"{shlex.quote(sys.executable)} -m pip install ")


def command(body: Callable[P, None]) -> Callable[P, None]:
    """The error boundary of a command: turn errors into a message and an exit code."""

    @wraps(body)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            with _what_is_lost() as lost:
                body(*args, **kwargs)
            if lost:
                say(safe(f"osler: what cannot be read was left out ({_SALVAGE})"))
                raise typer.Exit(NOTHING_DONE)
        except OslerError as error:
            say(f"osler: {_by_this_python(str(error))}")
            raise typer.Exit(PAUSED if isinstance(error, InfrastructureFault) else NOTHING_DONE) from None
        except OSError as error:
            say(f"osler: {error.filename or 'output'}: {error.strerror or error}")
            raise typer.Exit(NOTHING_DONE) from None
        except (RecursionError, MemoryError, OverflowError) as error:
            say(safe(f"osler: {_given(kwargs.values()) or body.__name__}: {_beyond(error)}"))
            raise typer.Exit(NOTHING_DONE) from None
        except KeyboardInterrupt:
            say("osler: stopped")
            raise typer.Exit(INTERRUPTED) from None

    return run
