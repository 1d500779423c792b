"""Output: results on standard output, all else on standard error; and the one error boundary."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec

import typer
from rich.console import Console, RenderableType
from rich.text import Text

from osler.errors import OslerError

P = ParamSpec("P")
out = Console(highlight=False, emoji=False, soft_wrap=False)
err = Console(stderr=True, highlight=False, emoji=False)

NOTHING_DONE, USAGE, INTERRUPTED = 1, 2, 130


def result(as_json: bool, value: dict[str, Any], *shown: RenderableType) -> None:
    """Print a command's result: one JSON object, or the form for people."""
    if as_json:
        sys.stdout.write(json.dumps(value, allow_nan=False) + "\n")
    else:
        for renderable in shown:
            # Plain text is not wrapped, so that it can be piped.
            out.print(renderable, soft_wrap=isinstance(renderable, Text))


def say(text: str) -> None:
    """Print a message that is not the result to standard error. Plain text: markup is not interpreted."""
    err.print(text, markup=False, soft_wrap=True)


def command(body: Callable[P, None]) -> Callable[P, None]:
    """The error boundary of a command: turn errors into a message and an exit code."""

    @wraps(body)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            body(*args, **kwargs)
        except OslerError as error:
            say(f"osler: {error}")
            raise typer.Exit(NOTHING_DONE) from None
        except OSError as error:
            say(f"osler: {error.filename or 'output'}: {error.strerror or error}")
            raise typer.Exit(NOTHING_DONE) from None
        except KeyboardInterrupt:
            say("osler: stopped")
            raise typer.Exit(INTERRUPTED) from None

    return run
