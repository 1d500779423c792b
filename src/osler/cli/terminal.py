"""The terminal as a person's channel."""

from __future__ import annotations

import os
import sys
import tempfile
from contextlib import suppress

from osler.cli.output import err
from osler.text.hostile import safe

with suppress(ImportError):
    import readline  # noqa: F401 - line editing and history for input()


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
