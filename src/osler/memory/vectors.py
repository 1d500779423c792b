"""Vectors of texts by an endpoint (`/embeddings`), asked for once and kept in the store.

A text is asked for once per model: its vector is stored under the hash of the model, its settings and the
text, so that a resumed run searches with the same vectors as an undisturbed one, and a second run asks for
nothing it shares with the first. Faults pause the run in words: an answer without memory is no answer.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from hashlib import blake2b
from typing import Final, NamedTuple, Protocol

import numpy as np

from osler.errors import EpisodeFault, InfrastructureFault
from osler.memory.card import Card, Float32, unit
from osler.memory.index import Index, index_by

_MOST_LETTERS: Final = 4_000
_AT_ONCE: Final = 64
_HINT: Final = "name an endpoint that serves /embeddings, or leave out --embedder"


class Embeds(Protocol):
    """The part of a model client that embeds."""

    async def embed(self, texts: Sequence[str]) -> list[list[float]]: ...


class AnswerCache(Protocol):
    """The answers that models gave before, by the hash of what they were asked (`SqlAnswers`)."""

    def get(self, keys: Sequence[str]) -> dict[str, bytes]: ...

    def put(self, rows: Iterable[tuple[str, bytes]]) -> None: ...


class Endpoint(NamedTuple):
    """An endpoint that embeds: its name, and what determines its answers (the model and its settings)."""

    name: str
    serving: bytes


class EndpointVectors:
    """An embedder that asks an endpoint for what `kept` does not hold yet. It belongs to one event loop.

    An empty text gets a zero vector and is not sent; of a long one the first 4,000 letters are.
    """

    def __init__(self, client: Embeds, endpoint: Endpoint, cache: AnswerCache) -> None:
        self._client, self._endpoint, self._kept = client, endpoint, cache
        self.name = f"endpoint:{endpoint.name}"
        self._size: int | None = None
        self._flights: dict[str, asyncio.Future[Float32 | None]] = {}
        self._index: asyncio.Task[Index] | None = None

    async def index(self, cards: Iterable[Card]) -> Index:
        """The index of a memory's cards by this endpoint's vectors, built once for all who wait for it.
        Raises InfrastructureFault: without it no episode can be played."""
        if self._index is None:
            self._index = asyncio.create_task(self._indexed(cards))
        return await asyncio.shield(self._index)

    async def _indexed(self, cards: Iterable[Card]) -> Index:
        try:
            return await index_by(cards, self)
        except EpisodeFault as error:
            raise InfrastructureFault(f"the memory cannot be embedded: {error}", hint=_HINT) from None

    async def embed(self, texts: Sequence[str]) -> Float32:
        """Embed the texts, one row each, of length 1. Raises EndpointFault, and InfrastructureFault if the
        vectors are not what was asked for: of another length than before, all zero, or not finite."""
        wanted = [text[:_MOST_LETTERS] if text.strip() else "" for text in texts]
        keys = {text: self._key(text) for text in wanted if text}
        known = await self._found({key: text for text, key in keys.items()})
        result = np.zeros((len(texts), self._size or 1), np.float32)
        for row, text in enumerate(wanted):
            if text:
                result[row] = known[keys[text]]
        return result

    def _key(self, text: str) -> str:
        told = b"\x1f".join((b"vector", self._endpoint.serving, text.encode("utf-8", "surrogatepass")))
        return blake2b(told, digest_size=16).hexdigest()

    async def _found(self, wanted: dict[str, str]) -> dict[str, Float32]:
        """The vectors of texts by key: kept, being asked for by another episode, or asked for now."""
        found: dict[str, Float32] = {}
        while left := wanted.keys() - found.keys():
            if mine := [key for key in wanted if key in left and key not in self._flights]:
                found |= await self._fetched({key: wanted[key] for key in mine})
                continue
            flights = {key: self._flights[key] for key in left}
            await asyncio.wait(set(flights.values()))
            for key, flight in flights.items():
                if (vector := flight.result()) is not None:  # else the other asked in vain
                    found[key] = vector
        return found

    async def _fetched(self, wanted: dict[str, str]) -> dict[str, Float32]:
        result: dict[str, Float32] = {}
        loop = asyncio.get_running_loop()
        mine = {key: loop.create_future() for key in wanted}
        self._flights |= mine
        try:
            for key, body in self._kept.get(list(wanted)).items():
                result[key] = self._checked(np.frombuffer(body, np.float32))
            rows = [(key, text) for key, text in wanted.items() if key not in result]
            for begin in range(0, len(rows), _AT_ONCE):
                result |= await self._asked(rows[begin : begin + _AT_ONCE])
        finally:
            for key, flight in mine.items():
                del self._flights[key]
                flight.set_result(result.get(key))
        return result

    async def _asked(self, rows: Sequence[tuple[str, str]]) -> dict[str, Float32]:
        """Ask for some texts, and keep what is answered before anything else is asked."""
        vectors = await self._client.embed([text for _, text in rows])
        sizes = {len(vector) for vector in vectors}
        if len(vectors) != len(rows) or len(sizes) != 1 or 0 in sizes:
            raise self._wrong("its vectors are not one for each text, all of one length")
        result = np.array(vectors, np.float32)
        if not np.isfinite(result).all() or not result.any(axis=1).all():
            raise self._wrong("a vector is all zero, or holds a number that is not finite")
        self._kept.put(
            (key, self._checked(one).tobytes()) for (key, _), one in zip(rows, unit(result), strict=True)
        )
        # Read back, so that processes that asked for the same text at once go on with the same vector.
        return {
            key: np.frombuffer(body, np.float32) for key, body in self._kept.get([k for k, _ in rows]).items()
        }

    def _checked(self, vector: Float32) -> Float32:
        if self._size is not None and len(vector) != self._size:
            raise self._wrong(f"its vectors have {len(vector)} numbers now and had {self._size} before")
        self._size = len(vector)
        return vector

    def _wrong(self, what: str) -> InfrastructureFault:
        return InfrastructureFault(what, where=f"endpoint {self._endpoint.name}, /embeddings", hint=_HINT)
