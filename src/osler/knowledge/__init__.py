"""THE KNOWLEDGE BASE OF THE BUILT-IN PLAYERS: formulary, topics, conditions and findings."""

from __future__ import annotations

from functools import cache
from hashlib import blake2b
from importlib import resources


@cache
def fingerprint() -> str:
    """The fingerprint of the packaged knowledge, 16 hex digits; if it differs, built-in players may too."""
    digest = blake2b(digest_size=8)
    files = (file for file in resources.files(__name__).iterdir() if file.name.endswith(".yaml"))
    for file in sorted(files, key=lambda file: file.name):
        digest.update(f"{file.name}\0".encode() + file.read_bytes())
    return digest.hexdigest()
