"""The endpoint behind a memory's vectors: opened like a model in a seat, though it takes none."""

from __future__ import annotations

from typing import Final, NamedTuple

from osler.memory.vectors import Embeds

EMBEDDER: Final = "embedder"
"""The name under which a run's models are asked for it."""


class EmbedderSeat(NamedTuple):
    """An endpoint: its name, what determines its answers (`Endpoint.serving`), and its client."""

    name: str
    serving: bytes
    client: Embeds
