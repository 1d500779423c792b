"""The limiter against simulated endpoints, on a virtual clock: strays, a real capacity, an outage."""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Callable, Coroutine
from random import Random
from typing import Any, TypeVar

import pytest

from osler.models.limiter import Limiter, begin_episode

T = TypeVar("T")
ANSWERS_S, REFUSES_S = 0.3, 0.02


class _NoWaiting(selectors.SelectSelector):
    """A selector for loops without sockets: what would be waited passes at once on the loop's clock."""

    now_s = 0.0

    def select(self, timeout: float | None = None) -> list[Any]:
        self.now_s += timeout or 0.0
        return super().select(0)


def on_virtual_time(main: Coroutine[Any, Any, T]) -> T:
    clock = _NoWaiting()
    loop = asyncio.SelectorEventLoop(clock)
    loop.time = lambda: clock.now_s  # type: ignore[method-assign]
    loop.slow_callback_duration = float("inf")
    try:
        return loop.run_until_complete(main)
    finally:
        loop.close()


class Simulated:
    """An endpoint that refuses a call where `refuses` says so of the number it is serving, and those who call
    it: each asks on for ever, and waits a little after a refusal."""

    def __init__(self, most: int, refuses: Callable[[int], bool], seed: int = 1) -> None:
        self.limiter = Limiter(most)
        self.refuses, self.rng = refuses, Random(seed)
        self.serving, self.served, self.refused = 0, 0, 0

    async def asked(self, seconds: float, callers: int = 0) -> float:
        """Let `callers`, or twice as many as are allowed, call. Returns how many were served at once, in the
        mean."""
        calling = [asyncio.create_task(self._call_on()) for _ in range(callers or 2 * self.limiter.limit)]
        await asyncio.sleep(seconds)
        for caller in calling:
            caller.cancel()
        await asyncio.gather(*calling, return_exceptions=True)
        return self.served * ANSWERS_S / seconds

    async def _call_on(self) -> None:
        while True:
            await self.call()

    async def call(self) -> None:
        answered = await self._once()
        while not answered:
            await asyncio.sleep(self.rng.uniform(0, 1))
            answered = await self._once()

    async def _once(self) -> bool:
        ticket = await self.limiter.acquire()
        refused = self.refuses(self.serving)
        self.serving += not refused
        try:
            await asyncio.sleep(REFUSES_S if refused else ANSWERS_S)
        finally:
            self.serving -= not refused
            self.limiter.release()
        if refused:
            self.refused += 1
            self.limiter.congested(ticket)
        else:
            self.served += 1
            self.limiter.succeeded(ANSWERS_S)
        return not refused


@pytest.mark.parametrize(
    ("allowed", "strays", "kept"),
    [
        (64, 0.002, 0.9),
        (64, 0.01, 0.9),
        (64, 0.02, 0.9),
        (64, 0.05, 0.6),
        pytest.param(1024, 0.02, 0.9, marks=pytest.mark.slow),
        pytest.param(1024, 0.05, 0.6, marks=pytest.mark.slow),
    ],
)
def test_stray_refusals_cost_little(allowed: int, strays: float, kept: float) -> None:
    chance = Random(7)
    endpoint = Simulated(allowed, lambda serving: chance.random() < strays)
    assert on_virtual_time(endpoint.asked(60)) > kept * allowed


@pytest.mark.parametrize("allowed", [64, 1024])
@pytest.mark.parametrize("capacity", [5, 40, 300])
def test_an_endpoint_that_refuses_above_a_number_is_asked_for_about_that(allowed: int, capacity: int) -> None:
    endpoint = Simulated(allowed, lambda serving: serving >= capacity)
    reached = min(allowed, capacity)

    async def settled() -> float:
        await endpoint.asked(30)
        endpoint.served = endpoint.refused = 0
        return await endpoint.asked(60, callers=2 * allowed)

    assert on_virtual_time(settled()) > 0.6 * reached
    assert endpoint.limiter.limit <= max(1.5 * reached, reached + 3)
    assert endpoint.refused < 0.15 * (endpoint.served + endpoint.refused)


def test_where_all_is_refused_hardly_anything_is_sent_and_all_comes_back_afterwards() -> None:
    down = True
    endpoint = Simulated(1024, lambda serving: down)

    async def through_an_outage() -> tuple[int, float]:
        nonlocal down
        await endpoint.asked(20)
        lowest, down = endpoint.limiter.limit, False
        await endpoint.asked(60, callers=2048)
        return lowest, endpoint.limiter.limit

    lowest, after = on_virtual_time(through_an_outage())
    assert lowest == 1
    assert after == 1024


def test_where_few_calls_are_allowed_the_episodes_begun_first_end_first() -> None:
    async def play() -> list[int]:
        endpoint, ended = Simulated(4, lambda serving: False), list[int]()

        async def episode(number: int) -> None:
            begin_episode()
            for _ in range(10):
                await endpoint.call()
            ended.append(number)

        await asyncio.gather(*(episode(number) for number in range(40)))
        return ended

    # Between two calls of one episode the next one begun may slip in, so an episode ends a few places late.
    ended = on_virtual_time(play())
    assert all(abs(place - number) <= 3 for place, number in enumerate(ended))
