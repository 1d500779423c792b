"""Files: written atomically, and their hashes."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from hashlib import blake2b, file_digest, sha256
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Final

from osler.errors import BadInput

if TYPE_CHECKING:
    from hashlib import _Hash

# The packages whose files decide what built-in players know and understand.
KNOWLEDGE: Final = ("osler.knowledge", "osler.reading")


def create_private(path: Path) -> None:
    """Create an empty file for its owner alone, whatever the umask; a file that is there stays as it is.
    Raises OSError."""
    if not path.exists():
        os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600))


@contextmanager
def whole_file(path: Path, *, private: bool = False) -> Iterator[Path]:
    """Yield a temporary path beside `path` to write to, which replaces `path` if nothing goes wrong.

    With `private`, only its owner may read it, whatever the umask. A pipe or a device is written to directly,
    never replaced. Raises BadInput if the write fails.
    """
    try:
        direct = path.exists() and not path.is_file()  # asked first: what a pipe resolves to does not exist
        path = path if direct else path.resolve()
        partial = path if direct else path.with_name(f".{path.name}.{os.getpid()}.part")
        if private and not direct:
            create_private(partial)
        try:
            yield partial
            if not direct:
                partial.replace(path)
        finally:
            if not direct:
                partial.unlink(missing_ok=True)
    except OSError as error:
        reason = error.strerror or str(error)
        raise BadInput(f"cannot be written: {reason}", where=str(path), hint="check the folder") from error


def write_whole(path: Path, text: str) -> None:
    """Write a text file atomically, and the folders it lies in. Raises BadInput if the write fails."""
    write_bytes(path, text.encode())


def write_bytes_once(path: Path, raw: bytes) -> None:
    """Write bytes to a file named by their hash, unless it holds them. Raises BadInput if the write fails."""
    if not (path.is_file() and path.stat().st_size == len(raw) and path.read_bytes() == raw):
        write_bytes(path, raw)


def write_bytes(path: Path, raw: bytes) -> None:
    """Write a file atomically, and the folders it lies in. Raises BadInput if the write fails."""
    with whole_file(path) as partial:
        partial.parent.mkdir(parents=True, exist_ok=True)
        partial.write_bytes(raw)


def write_once(path: Path, text: str, holds: Callable[[Path], bool]) -> Path:
    """Write a text to `path` atomically, and return the path.

    A file for which `holds` is true is left as it is. Raises BadInput where any other file exists there.
    """
    try:
        if path.exists():
            if holds(path):
                return path
            raise BadInput(
                "a different file is already there", where=str(path), hint="move it or choose another folder"
            )
    except OSError as error:
        raise BadInput(f"cannot be written: {error.strerror or error}", where=str(path)) from None
    write_whole(path, text)
    return path


def write_folder(folder: Path, texts: Mapping[str, str]) -> None:
    """Write text files, by name, as a new folder that is there whole or not at all.

    A folder that holds just these is left as it is. Raises BadInput where any other exists there, and if the
    write fails.
    """
    try:
        if folder.exists():
            if _held(folder) == texts:
                return
            hint = "choose another folder with --out"
            raise BadInput("the folder has other contents", where=str(folder), hint=hint)
        folder.parent.mkdir(parents=True, exist_ok=True)
        partial = Path(tempfile.mkdtemp(prefix=".osler-", dir=folder.parent))
        try:
            for name, text in texts.items():
                (partial / name).write_bytes(text.encode())
            partial.chmod(0o755)
            partial.rename(folder)
        finally:
            shutil.rmtree(partial, ignore_errors=True)
    except OSError as error:
        raise BadInput(f"cannot be written: {error.strerror or error}", where=str(folder)) from None


def _held(folder: Path) -> dict[str, str] | None:
    try:
        return {path.name: path.read_bytes().decode() for path in folder.iterdir()}
    except (OSError, UnicodeDecodeError):
        return None


def feed(digest: _Hash | blake2b, path: Path) -> None:
    """Update a hash with the bytes of a file, which is never held whole. Raises OSError."""
    with path.open("rb") as file:
        file_digest(file, lambda: digest)


def sha256_of(path: Path) -> str:
    """The SHA-256 of a file, which is never held whole. Raises OSError."""
    digest = sha256()
    feed(digest, path)
    return digest.hexdigest()


@cache
def packaged_fingerprint(*packages: str) -> str:
    """16 hex digits over the names and bytes of every YAML file packaged in `packages` (blake2b)."""
    digest = blake2b(digest_size=8)
    for package in packages:
        files = (file for file in resources.files(package).iterdir() if file.name.endswith(".yaml"))
        for file in sorted(files, key=lambda file: file.name):
            digest.update(f"{file.name}\0".encode() + file.read_bytes())
    return digest.hexdigest()
