"""Shares of the processor: who has used much waits while others want some, and nobody else does."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from osler.web.shares import LEAST, LONGEST_S, TOGETHER, Shares, level


class Clock:
    """A clock that is moved by hand."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def used(clock: Clock, seconds: dict[str, float]) -> Shares:
    shares = Shares(clock)
    for visitor, each in seconds.items():
        shares.charge([visitor], each)
    return shares


def test_a_light_visitor_beside_a_crowd_is_never_held() -> None:
    crowd = {f"heavy {n}": 5.0 for n in range(50)}
    shares = used(Clock(), {**crowd, "light": 0.2})
    assert not shares.is_over("light")
    assert not shares.is_over("a stranger")
    assert all(shares.is_over(one) for one in crowd)


def test_somebody_who_is_alone_may_use_what_all_together_may() -> None:
    assert not used(Clock(), {"alone": 2.0}).is_over("alone")
    assert used(Clock(), {"alone": 20.0}).is_over("alone")


def test_what_was_used_is_forgotten() -> None:
    clock = Clock()
    shares = used(clock, {f"heavy {n}": 3.0 for n in range(20)})
    assert shares.is_over("heavy 1")
    clock.now += 120
    assert not shares.is_over("heavy 1")


def test_work_of_several_is_counted_for_each_in_part_and_in_a_thread_for_whom_it_is_done() -> None:
    shares = Shares(Clock())
    shares.charge(["ann", "ben"], 40.0)
    assert shares.is_over("ann")
    assert shares.is_over("ben")
    assert asyncio.run(shares.work("ann", lambda: 7)) == 7


def test_a_move_is_held_until_others_have_had_their_part_or_it_has_waited_long_enough(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock, looks = Clock(), []

    async def sleep(seconds: float) -> None:
        looks.append(seconds)
        clock.now += seconds

    monkeypatch.setattr("osler.web.shares.asyncio.sleep", sleep)
    asyncio.run(used(clock, {f"heavy {n}": 2.0 for n in range(30)}).held("heavy 1"))
    assert looks
    waited = clock.now
    asyncio.run(used(clock, {f"heavy {n}": 1e9 for n in range(30)}).held("heavy 1"))
    assert clock.now - waited == pytest.approx(LONGEST_S, abs=0.5)


@given(st.lists(st.floats(0, 10), max_size=60))
def test_cut_off_at_the_level_all_rates_fit(rates: Sequence[float]) -> None:
    """Max-min fairness: nobody below the level is cut, and what is cut adds up to what there is."""
    at = level(rates)
    total = sum(min(rate, at) for rate in rates)
    assert total <= TOGETHER + 1e-9 or at == float("inf")
    if sum(rates) > TOGETHER + 1e-9:
        assert total == pytest.approx(TOGETHER)
    else:
        assert at == float("inf")
    assert LEAST < TOGETHER
