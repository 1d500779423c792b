"""The hashes on a card: of the card itself, of the prompts, and of the package that computed it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache
from hashlib import blake2b
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any, Final

_PROMPTS: Final = (".jinja",)
_PACKAGE: Final = (".py", ".yaml", ".jinja")
"""The endings of the files that decide what is played, judged and computed."""


def hash_of(value: object) -> str:
    """The hash of plain JSON, 32 hex digits (blake2b)."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return blake2b(text.encode(), digest_size=16).hexdigest()


def card_hash(card: Mapping[str, Any]) -> str:
    """The hash of a card, 32 hex digits over all that it says but the hash."""
    return hash_of({name: value for name, value in card.items() if name != "hash"})


def prompts_hash() -> str:
    """A hash, 32 hex digits, of every prompt that this version of Osler puts to models."""
    return _hash_of_files(_PROMPTS)


def package_hash() -> str:
    """A hash, 32 hex digits, of Osler's code, data and prompts, its judges and figures among them."""
    return _hash_of_files(_PACKAGE)


@cache
def _hash_of_files(endings: tuple[str, ...]) -> str:
    digest = blake2b(digest_size=16)
    for name, text in sorted(_texts(files("osler"), "", endings)):
        digest.update(f"{name}\x1f{text}\x1e".encode())
    return digest.hexdigest()


def _texts(folder: Traversable, path: str, endings: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    for entry in folder.iterdir():
        if entry.is_dir():
            yield from _texts(entry, f"{path}/{entry.name}", endings)
        elif entry.name.endswith(endings):
            yield f"{path}/{entry.name}", entry.read_text("utf-8")
