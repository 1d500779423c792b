"""Answers that are kept: what makes two questions the same, and what is never kept or trusted."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from osler.errors import BadInput
from osler.models.cache import Cache, CachedClient, key_of
from osler.models.config import CacheMode, Endpoint
from osler.models.faults import EndpointFault, ModelAnswerError
from osler.models.types import Completion, CompletionRequest, Image, Message, Output, Sampling, Validate
from tests.models.endpoint import Served, client_of, fails, request_of, resets, says, serving

ENDPOINT = Endpoint(name="e", base_url="http://h/v1", model="m")
ANY = Output(name="any", json_schema={"type": "object"})


class Counting:
    """A `ModelClient` that answers `text` after `ticks` turns of the loop; `asked` counts its calls."""

    def __init__(self, text: str = "ok", ticks: int = 3, finish: str = "stop") -> None:
        self.text, self.ticks, self.finish, self.asked = text, ticks, finish, 0

    async def complete(self, request: CompletionRequest, *, validate: Validate | None = None) -> Completion:
        self.asked += 1
        for _ in range(self.ticks):
            await asyncio.sleep(0)
        parsed = validate(self.text) if validate else None
        return Completion(text=self.text, parsed=parsed, finish_reason=self.finish)

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        return [[0.0] for _ in texts]


def twice(
    cache: Cache, inner: Counting, mode: CacheMode = "write", **rest: Any
) -> tuple[Completion, Completion]:
    async def go() -> tuple[Completion, Completion]:
        client = CachedClient(inner, ENDPOINT, cache, mode)
        return await client.complete(request_of(), **rest), await client.complete(request_of(), **rest)

    return asyncio.run(go())


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "deeper" / "answers.db"


def test_the_same_question_is_paid_for_once_also_by_another_process(file: Path) -> None:
    inner = Counting()
    with Cache(file) as cache:
        first, second = twice(cache, inner)
        assert (cache.hits, cache.misses) == (1, 1)
    assert (first.from_cache, second.from_cache) == (False, True)
    assert first.text == second.text
    with Cache(file) as reopened:
        assert twice(reopened, inner)[0].from_cache
    assert inner.asked == 1


def test_modes(file: Path) -> None:
    with Cache(file) as cache:
        script: list[tuple[CacheMode, int]] = [("off", 2), ("read", 2), ("write", 1), ("read", 0), ("off", 2)]
        for mode, asked in script:
            inner = Counting()
            twice(cache, inner, mode)
            assert inner.asked == asked, mode


def test_whatever_changes_the_answer_changes_the_key() -> None:
    picture, other = (Image.of(b"\x89PNG\r\n\x1a\n" + bytes([n])) for n in (1, 2))
    asked = [
        request_of("S", "U"),
        request_of("S", "V"),
        request_of("SU"),
        request_of("S", "", "U"),
        request_of("S", "U", seed=1),
        request_of("S", "U", sample=1),
        request_of("S", "U", sampling=Sampling(temperature=0)),
        request_of("S", "U", sampling=Sampling(top_p=1)),
        request_of("S", "U", output=ANY),
        request_of("S", "U", output=ANY.model_copy(update={"json_schema": {}})),
        CompletionRequest(messages=(Message(role="user", text="S"), Message(role="user", text="U"))),
        CompletionRequest(messages=(Message(role="user", text="U", images=(picture,)),)),
        CompletionRequest(messages=(Message(role="user", text="U", images=(other,)),)),
    ]
    keys = {key_of(ENDPOINT, request) for request in asked}
    keys.add(key_of(ENDPOINT.model_copy(update={"model": "n"}), asked[0]))
    keys.add(key_of(ENDPOINT.model_copy(update={"extra": {"top_k": 1}}), asked[0]))
    assert len(keys) == len(asked) + 2


def test_what_does_not_change_the_answer_does_not_change_the_key() -> None:
    moved = ENDPOINT.model_copy(update={"base_url": "http://other/v1", "name": "f", "price_in": 1.0})
    assert key_of(moved, request_of(seat="doctor")) == key_of(ENDPOINT, request_of())


@pytest.mark.parametrize("damage", ["UPDATE answers SET body = X'00'", "UPDATE answers SET sum = NULL"])
def test_a_damaged_entry_is_a_miss_and_is_mended(file: Path, damage: str) -> None:
    inner = Counting()
    with Cache(file) as cache:
        twice(cache, inner)
        with sqlite3.connect(file) as other:
            other.execute(damage)
        other.close()
        assert [one.from_cache for one in twice(cache, inner)] == [False, True]
    assert inner.asked == 2


def test_a_file_that_is_no_cache_is_refused_in_plain_words(tmp_path: Path) -> None:
    file = tmp_path / "notes.txt"
    file.write_text("not a database, but long enough to be taken for one" * 100)
    with pytest.raises(BadInput, match="cache"):
        Cache(file)


def test_a_locked_or_broken_file_stops_nobody(file: Path) -> None:
    inner = Counting()
    cache = Cache(file)
    cache.close()
    assert [one.text for one in twice(cache, inner)] == ["ok", "ok"]


def test_an_answer_is_validated_anew_and_one_that_no_longer_fits_is_asked_again(file: Path) -> None:
    def shouted(found: object) -> str:
        if not str(found).isupper():
            raise ValueError("write in capitals")
        return str(found)

    with Cache(file) as cache:
        twice(cache, Counting("quiet"))
        first, second = twice(cache, Counting("LOUD"), validate=shouted)
    assert (first.from_cache, first.parsed) == (False, "LOUD")
    assert (second.from_cache, second.parsed) == (True, "LOUD")


def test_bad_and_cut_answers_are_not_kept(file: Path) -> None:
    async def fail(served: Served, cache: Cache) -> None:
        async with client_of(served.url, tries=1) as inner:
            client = CachedClient(inner, ENDPOINT, cache)
            with pytest.raises((EndpointFault, ModelAnswerError)):
                await client.complete(request_of())

    async def go(cache: Cache) -> Completion:
        script = fails(500), resets, says(None, refusal="No."), says("At last.")
        async with serving(*script) as served:
            for _ in range(3):
                await fail(served, cache)
            async with client_of(served.url) as inner:
                return await CachedClient(inner, ENDPOINT, cache).complete(request_of())

    with Cache(file) as cache:
        assert asyncio.run(go(cache)).text == "At last."
    cut = Counting(finish="length")
    with Cache(file.with_name("other.db")) as cache:
        twice(cache, cut)
    assert cut.asked == 2


def test_identical_questions_at_the_same_time_share_one_call(file: Path) -> None:
    async def crowd(cache: Cache) -> int:
        inner = Counting()
        client = CachedClient(inner, ENDPOINT, cache)
        same = [client.complete(request_of()) for _ in range(20)]
        other = [client.complete(request_of(sample=n)) for n in (1, 2)]
        done = await asyncio.gather(*same, *other)
        assert len(done) == 22
        return inner.asked

    with Cache(file) as cache:
        assert asyncio.run(crowd(cache)) == 3


def test_who_leaves_a_shared_call_takes_nobody_along_and_the_last_ends_it(file: Path) -> None:
    async def leave(cache: Cache) -> None:
        inner = Counting(ticks=10)
        client = CachedClient(inner, ENDPOINT, cache)
        first, second = (asyncio.create_task(client.complete(request_of())) for _ in range(2))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        first.cancel()
        assert (await second).text == "ok"
        assert inner.asked == 1
        alone = asyncio.create_task(client.complete(request_of(sample=1)))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        alone.cancel()
        with pytest.raises(asyncio.CancelledError):
            await alone
        await asyncio.sleep(0)
        assert len(asyncio.all_tasks()) == 1
        assert not (await client.complete(request_of(sample=1))).from_cache

    with Cache(file) as cache:
        asyncio.run(leave(cache))


def test_an_unusable_answer_is_kept_where_the_caller_asks_again_itself(file: Path) -> None:
    """A run with a refused move, repeated from the cache, meets the same refusal, then the same prompts."""
    request = request_of()._replace(output=ANY, once=True)

    async def ask(client: CachedClient) -> ModelAnswerError:
        with pytest.raises(ModelAnswerError) as raised:
            await client.complete(request)
        return raised.value

    async def go(cache: Cache) -> tuple[ModelAnswerError, ModelAnswerError, int]:
        async with serving(says("{no JSON} at all")) as served, client_of(served.url) as inner:
            client = CachedClient(inner, ENDPOINT, cache)
            return await ask(client), await ask(client), len(served.bodies)

    with Cache(file) as cache:
        first, second, sent = asyncio.run(go(cache))
    assert sent == 1
    assert (first.kind, first.attempts[-1].text) == (second.kind, second.attempts[-1].text)
    assert (first.from_cache, second.from_cache) == (False, True)
