"""Atomic file writes: a file is there whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from osler.errors import BadInput


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """Yield a temporary path beside `path` to write to, which replaces `path` if nothing goes wrong.

    A pipe or a device is written to directly, never replaced. Raises BadInput if the write fails.
    """
    direct = path.exists() and not path.is_file()  # asked first: what a pipe resolves to does not exist
    path = path if direct else path.resolve()
    partial = path if direct else path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        try:
            yield partial
            if not direct:
                partial.replace(path)
        finally:
            if not direct:
                partial.unlink(missing_ok=True)
    except OSError as error:
        reason = error.strerror or str(error)
        raise BadInput(f"cannot be written: {reason}", where=str(path), mend="check the folder") from error
