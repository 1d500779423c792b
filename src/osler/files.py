"""Files: written atomically, and the hash of those that are packaged."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from hashlib import blake2b
from importlib import resources
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


@cache
def packaged_fingerprint(package: str) -> str:
    """16 hex digits over the names and bytes of every YAML file packaged in `package` (blake2b)."""
    digest = blake2b(digest_size=8)
    files = (file for file in resources.files(package).iterdir() if file.name.endswith(".yaml"))
    for file in sorted(files, key=lambda file: file.name):
        digest.update(f"{file.name}\0".encode() + file.read_bytes())
    return digest.hexdigest()
