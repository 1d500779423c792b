"""The base class of protocol-specific cases."""

from __future__ import annotations

from functools import cached_property
from hashlib import blake2b

from pydantic import Field

from osler.core.events import Frozen


class Material(Frozen):
    """Base class of a protocol's cases. A protocol adds the fields that its story needs.

    >>> class Puzzle(osler.Material):
    ...     answer: str
    >>> puzzle = Puzzle(id="sum", answer="4")
    >>> len(puzzle.content_hash)
    32
    """

    id: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$")

    @cached_property
    def content_hash(self) -> str:
        """32 hex digits over the whole case (blake2b of its canonical JSON)."""
        return blake2b(self.model_dump_json().encode(), digest_size=16).hexdigest()
