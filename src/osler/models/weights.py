"""The identity of the weights behind an endpoint, where they are files on this machine."""

from __future__ import annotations

from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from osler.files import feed
from osler.models.config import Endpoint

SIZE: Final = 16
_HERE: Final = ("localhost", "127.0.0.1", "::1")
_KINDS: Final = frozenset({".json", ".jinja", ".safetensors", ".txt", ".model"})
"""The files of a model: its configuration, tokenizer, template and weights."""
_MOST_KEPT: Final = 64


def weights_hash(endpoint: Endpoint) -> str:
    """The hash over the files of the model that an endpoint of this machine names: the file that Osler serves
    itself, or the folder that `osler train serve` serves. "" if it names no file here.

    It is of the files as they lie there now; a server of its own may hold others in memory.
    """
    if endpoint.gguf is not None:
        return _hash_of((endpoint.gguf,)) if endpoint.gguf.is_file() else ""
    folder = Path(endpoint.model)
    if urlsplit(endpoint.base_url).hostname not in _HERE or not folder.is_absolute():
        return ""
    files = sorted(one for one in folder.glob("*") if one.suffix in _KINDS and one.is_file())
    return _hash_of(tuple(files)) if any(one.suffix == ".safetensors" for one in files) else ""


def _hash_of(files: tuple[Path, ...]) -> str:
    """The hash over names, sizes and bytes of files, which are read again only once they have changed."""
    seen = [(path, one.st_size, one.st_mtime_ns) for path in files for one in [path.stat()]]
    return _read(tuple(seen))


@lru_cache(_MOST_KEPT)
def _read(files: tuple[tuple[Path, int, int], ...]) -> str:
    digest = blake2b(digest_size=SIZE)
    for path, size, _ in files:
        digest.update(f"{path.name}\0{size}\0".encode())
        feed(digest, path)
    return digest.hexdigest()
