"""Text embeddings as unit vectors: the built-in `hashed-lexical`, which knows no meaning, or an endpoint's.

Hashed-lexical is feature hashing (Weinberger et al. 2009): a word's hash gives one of 256 dimensions and a
sign, and the word counts 1 + ln(times). Texts that share words are near; synonyms are not.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import Final, Protocol

import numpy as np

from osler.errors import BadInput
from osler.memory.card import Float32, unit
from osler.memory.term_counts import Counted, count
from osler.models.types import ModelClient

HASHED_LEXICAL: Final = "hashed-lexical"
DIMENSIONS: Final = 256
_MOST_LETTERS: Final = 4_000


class Embedder(Protocol):
    """An embedding of texts as (n, dimensions) unit vectors, each text independently. Only vectors of the
    same `name` are comparable."""

    @property
    def name(self) -> str: ...

    async def embed(self, texts: Sequence[str]) -> Float32: ...


class HashedLexical:
    """The built-in embedder."""

    name: Final = HASHED_LEXICAL

    async def embed(self, texts: Sequence[str]) -> Float32:
        """Embed the texts, one row each."""
        return hashed(count(texts))


class EndpointVectors:
    """An embedder that calls an endpoint. An empty text gets a zero vector and is not sent."""

    def __init__(self, client: ModelClient, name: str) -> None:
        self._client, self.name = client, f"endpoint:{name}"

    async def embed(self, texts: Sequence[str]) -> Float32:
        """Embed the texts, one row each. Raises EndpointFault, and BadInput if the vectors differ in length
        or are not finite."""
        sent = [place for place, text in enumerate(texts) if text.strip()]
        vectors = await self._client.embed([texts[place][:_MOST_LETTERS] for place in sent]) if sent else []
        sizes = {len(vector) for vector in vectors}
        if len(sizes) > 1 or len(vectors) != len(sent) or 0 in sizes:
            raise BadInput("the endpoint's vectors are not all of one length", where=self.name)
        found = np.zeros((len(texts), sizes.pop() if sizes else 1), np.float32)
        if sent:
            found[sent] = np.array(vectors, np.float32)
        if not np.isfinite(found).all():
            raise BadInput("the endpoint's vectors contain a number that is not finite", where=self.name)
        return unit(found)


def hashed(counted: Counted) -> Float32:
    """The hashed-lexical vectors of counted texts, shape (texts, 256)."""
    found = np.zeros((len(counted.lengths), DIMENSIONS), np.float32)
    if counted.words:
        places, signs = (np.array(each, np.int32) for each in zip(*map(_place, counted.words), strict=True))
        weights = signs[counted.columns] * (1 + np.log(counted.times))
        np.add.at(found, (counted.rows, places[counted.columns]), weights.astype(np.float32))
    return unit(found)


@lru_cache(maxsize=65_536)
def _place(word: str) -> tuple[int, int]:
    number = int.from_bytes(blake2b(word.encode("utf-8", "replace"), digest_size=8).digest())
    return number % DIMENSIONS, 1 if number >> 63 else -1
