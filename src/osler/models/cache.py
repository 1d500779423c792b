"""A content-addressed cache of answers, so that the same request to the same model is paid for once.

The key is a hash of model, extra body fields, messages with their images, sampling, seed, output type and
sample index, but not of the address, so a cache can move between hosts that serve the same model under the
same name. Valid answers are kept, without the parsed value: a hit is parsed and validated again, and if that
fails it is a miss. An unusable answer is kept where the caller asks again itself (`CompletionRequest.once`),
since a repeated run needs it to meet the same prompts. Identical requests made at the same time share one
call.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from pydantic import TypeAdapter, ValidationError
from pydantic_core import to_json

from osler.errors import BadInput
from osler.files import create_private
from osler.models.config import CacheMode, Endpoint
from osler.models.faults import Kind, ModelAnswerError
from osler.models.structured import read_answer
from osler.models.types import Attempt, Completion, CompletionRequest, ModelClient, Validate
from osler.models.wire import messages_json

_BUSY_S: Final = 2.0
_COMPLETION: Final = TypeAdapter(Completion)
_SPOILT: Final = frozenset({Kind.UNPARSABLE, Kind.INVALID})


def key_of(endpoint: Endpoint, request: CompletionRequest) -> bytes:
    """The cache key of a request, 16 bytes."""
    digest = blake2b(digest_size=16)
    settings: dict[str, object] = {
        "model": endpoint.model,
        "extra": sorted((name, to_json(value).decode()) for name, value in endpoint.settings.items()),
        "sampling": request.sampling.model_dump(),
        "seed": request.seed,
        "output": request.output and request.output.digest,
        "sample": request.sample,
    }
    if endpoint.max_answer_tokens is not None:
        settings["max_answer_tokens"] = endpoint.max_answer_tokens
    if request.weighs and endpoint.critic_temperature is not None:
        settings["weighs"] = True
    digest.update(to_json(settings))
    digest.update(messages_json(request.messages))
    return digest.digest()


class Cache:
    """A SQLite file of answers. Several processes may share it; a failed read is a miss, a failed write is
    ignored."""

    def __init__(self, path: Path) -> None:
        self.hits = self.misses = 0
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            create_private(path)  # answers may repeat what people said
            self._file = sqlite3.connect(path, timeout=_BUSY_S, isolation_level=None)
            self._file.execute("PRAGMA journal_mode=WAL")
            self._file.execute("PRAGMA synchronous=OFF")  # a lost entry only costs another request
            self._file.execute(
                "CREATE TABLE IF NOT EXISTS answers (key BLOB PRIMARY KEY, sum BLOB, body BLOB) WITHOUT ROWID"
            )
        except (sqlite3.Error, OSError) as error:
            hint = "give another file, or delete this one"
            raise BadInput(f"cannot be used as a cache: {error}", where=str(path), hint=hint) from None

    def get(self, key: bytes) -> Completion | None:
        """The cached answer, or `None`."""
        try:
            row = self._file.execute("SELECT sum, body FROM answers WHERE key = ?", (key,)).fetchone()
            if row is None or row[0] != _sum(row[1]):
                return None
            return _COMPLETION.validate_json(row[1])
        except (sqlite3.Error, ValidationError, TypeError):
            return None

    def put(self, key: bytes, completion: Completion) -> None:
        """Store an answer, replacing any earlier one."""
        body = to_json(_kept(completion))
        try:
            self._file.execute("INSERT OR REPLACE INTO answers VALUES (?, ?, ?)", (key, _sum(body), body))
        except sqlite3.Error:
            return

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


@dataclass(slots=True)
class _Flight:
    """A call in flight, and the number of requests waiting for it."""

    task: asyncio.Task[Completion]
    waiting: int = 0


class CachedClient:
    """A caching `ModelClient` around another one. In mode `read` nothing is written."""

    def __init__(
        self, inner: ModelClient, endpoint: Endpoint, cache: Cache, mode: CacheMode = "write"
    ) -> None:
        self._inner, self._endpoint, self._cache, self._mode = inner, endpoint, cache, mode
        self._flights: dict[bytes, _Flight] = {}

    async def complete(self, request: CompletionRequest, *, validate: Validate | None = None) -> Completion:
        """Answer from the cache, from an identical call in flight, or by asking."""
        if self._mode == "off":
            return await self._inner.complete(request, validate=validate)
        key = key_of(self._endpoint, request)
        completion = self._cache.get(key)
        if completion is not None:
            try:
                again = _read_again(completion, request, validate)
            except ModelAnswerError:
                self._cache.hits += 1
                raise
            if again:
                self._cache.hits += 1
                return again
        flight = self._flights.get(key)
        if flight is not None:
            again = _read_again(await self._join(key, flight), request, validate)
            return again or await self._inner.complete(request, validate=validate)
        self._cache.misses += 1
        task = asyncio.create_task(self._ask(key, request, validate))
        flight = self._flights[key] = _Flight(task)
        return await self._join(key, flight)

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Embed texts; this is not cached."""
        return await self._inner.embed(texts)

    async def _ask(self, key: bytes, request: CompletionRequest, validate: Validate | None) -> Completion:
        try:
            completion = await self._inner.complete(request, validate=validate)
        except ModelAnswerError as error:
            # The caller asks again, so the refused answer is part of the run that a repeated one meets.
            if self._mode == "write" and request.once and error.kind in _SPOILT and error.attempts:
                last = error.attempts[-1]
                self._cache.put(key, Completion(text=last.text, usage=last.usage))
            raise
        if self._mode == "write" and completion.finish_reason != "length":
            self._cache.put(key, completion)
        return completion

    async def _join(self, key: bytes, flight: _Flight) -> Completion:
        """Wait for a call in flight. A cancelled waiter leaves; the last one to leave cancels the call."""
        flight.waiting += 1
        try:
            return await asyncio.shield(flight.task)
        finally:
            flight.waiting -= 1
            if flight.task.done() or flight.waiting == 0:
                flight.task.cancel()
                if self._flights.get(key) is flight:
                    del self._flights[key]


def _read_again(
    completion: Completion, request: CompletionRequest, validate: Validate | None
) -> Completion | None:
    """The kept answer as read now; `None` if it is to be asked for again. Raises ModelAnswerError for one
    that cannot be used where the caller asks again itself."""
    value, wrong = read_answer(completion.text, completion.finish_reason, request.output, validate)
    if wrong and request.once:
        again = Attempt(
            outcome=wrong.kind.value, detail=wrong.detail, text=completion.text, usage=completion.usage
        )
        raise ModelAnswerError(wrong, (again,), from_cache=True)
    return None if wrong else completion._replace(parsed=value, from_cache=True)


def _kept(completion: Completion) -> dict[str, object]:
    """Return the parts of an answer to keep: all but the parsed value, which is read again."""
    attempts = [{**one._asdict(), "usage": one.usage._asdict()} for one in completion.attempts]
    result = {**completion._asdict(), "usage": completion.usage._asdict(), "attempts": attempts}
    del result["parsed"], result["from_cache"]
    return result


def _sum(body: bytes) -> bytes:
    return blake2b(body, digest_size=8).digest()
