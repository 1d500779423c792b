"""Rates: the rule of the bucket by its properties, and what waits for it on a virtual clock."""

from __future__ import annotations

import asyncio
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from osler.errors import BadInput, InfrastructureFault
from osler.models import rates as rating
from osler.models.config import Config, Endpoint, Rates, config_of
from osler.models.open_models import Models
from osler.models.rates import Chunk, LocalBucket, Pacer, State, factor_of, fresh, slowed, take
from tests.models.endpoint import client_of, fails, request_of, says, serving
from tests.models.test_limiter import on_virtual_time

CAP_S = 0.5
TAKES = st.lists(st.tuples(st.floats(0, 3), st.floats(0, 2)), min_size=1, max_size=40)


def taken_at(script: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """When chunks worth so many seconds may be used; each is asked for so many seconds after the last."""
    state, now, found = fresh(0.0), 0.0, []
    for later, worth_s in script:
        now += later
        state, taken = take(state, now, worth_s, 0.0, CAP_S)
        found.append((now + taken.wait_s, worth_s))
    return found


@given(TAKES)
def test_no_more_is_granted_than_has_passed_since_the_beginning(script: list[tuple[float, float]]) -> None:
    granted = 0.0
    for at, worth_s in taken_at(script):
        granted += worth_s
        assert granted <= at + 1e-9, "a new bucket is empty"


@given(TAKES)
def test_in_any_stretch_no_more_than_its_length_and_the_burst(script: list[tuple[float, float]]) -> None:
    found = taken_at(script)
    for first, (begin, worth_s) in enumerate(found):
        granted = 0.0
        for at, worth in found[first:]:
            granted += worth
            # the first was being paid for before the stretch began; an idle bucket is CAP_S behind at most
            assert granted <= at - begin + CAP_S + worth_s + 1e-9


@given(TAKES)
def test_who_asks_first_is_served_first_and_waits_only_for_those_before(
    script: list[tuple[float, float]],
) -> None:
    found = taken_at(script)
    assert all(one[0] <= other[0] + 1e-9 for one, other in pairwise(found))
    asked = 0.0
    for at, (later, _) in enumerate(script):
        asked += later
        assert found[at][0] - asked <= sum(worth for _, worth in script[: at + 1]) + 1e-9


@given(st.lists(st.tuples(st.floats(0, 20), st.integers(0, 3)), max_size=30))
def test_one_congestion_halves_once_and_the_rate_comes_back_by_the_same_each_second(
    script: list[tuple[float, int]],
) -> None:
    state, now = fresh(0.0), 0.0
    for later, behind in script:
        before, now = factor_of(state, now), now + later
        assert factor_of(state, now) == pytest.approx(min(1.0, before + later / rating.RECOVERY_S))
        at_present = factor_of(state, now)
        state = slowed(state, now, state.epoch - behind)
        halved = max(rating.SLOWEST, at_present / 2) if behind == 0 else at_present
        assert factor_of(state, now) == pytest.approx(halved)


def test_a_slowed_bucket_grants_half() -> None:
    state = slowed(fresh(0.0), 0.0, 0)
    _, taken = take(state, 0.0, 1.0, 0.0, CAP_S)
    assert taken == Chunk(2.0, 1)


# What waits


class Wall:
    """The virtual clock of the loop that runs, for a bucket and its pacer."""

    def __call__(self) -> float:
        return asyncio.get_running_loop().time()


def pacer_of(rates: Rates) -> Pacer:
    return Pacer(rates, LocalBucket(Wall()), clock=Wall())


def served(rates: Rates, seconds: float, callers: int, tokens: int = 0) -> list[float]:
    """When calls are let go by a bucket that callers never leave alone."""

    async def all_of_them() -> list[float]:
        pacer, found = pacer_of(rates), list[float]()

        async def caller() -> None:
            while True:
                await pacer.admit(tokens)
                found.append(Wall()())
                await asyncio.sleep(0.01)

        calling = [asyncio.create_task(caller()) for _ in range(callers)]
        await asyncio.sleep(seconds)
        for task in calling:
            task.cancel()
        await asyncio.gather(*calling, return_exceptions=True)
        await pacer.close()
        return found

    return on_virtual_time(all_of_them())


@pytest.mark.parametrize(("per_second", "callers"), [(2.0, 8), (20.0, 1), (20.0, 64), (500.0, 64)])
def test_under_load_nearly_all_of_the_rate_is_granted_and_no_more(per_second: float, callers: int) -> None:
    found = served(Rates(requests=per_second), 60, callers)
    assert 0.95 * 60 * per_second <= len(found) <= 60 * per_second


def test_tokens_have_a_rate_of_their_own() -> None:
    assert 0.95 * 600 <= len(served(Rates(requests=100.0, tokens=5000.0), 60, 32, tokens=500)) <= 600
    assert 0.95 * 600 <= len(served(Rates(tokens=5000.0), 60, 32, tokens=500)) <= 600


def test_after_a_rest_the_burst_is_about_half_a_second() -> None:
    async def rest() -> int:
        pacer = pacer_of(Rates(requests=100.0))
        for _ in range(50):
            await pacer.admit()
        await asyncio.sleep(3600)
        calls = [asyncio.create_task(pacer.admit()) for _ in range(1000)]
        await asyncio.sleep(0.001)
        done = sum(call.done() for call in calls)
        for call in calls:
            call.cancel()
        await asyncio.gather(*calls, return_exceptions=True)
        await pacer.close()
        return done

    assert 1 <= on_virtual_time(rest()) <= 51


def test_tokens_are_counted_as_they_were_used() -> None:
    async def tenth() -> float:
        pacer = pacer_of(Rates(tokens=100.0))
        for _ in range(10):
            leave = await pacer.admit(100)
            pacer.settle(leave, 10)
        return Wall()()

    assert on_virtual_time(tenth()) == pytest.approx(1.9, abs=0.5), "100 once, then 10 each"

    async def debt() -> float:
        pacer = pacer_of(Rates(tokens=100.0))
        pacer.settle(await pacer.admit(100), 600)
        await pacer.admit(100)
        return Wall()()

    assert on_virtual_time(debt()) == pytest.approx(7.0, abs=0.01)


def test_more_than_a_minutes_tokens_are_let_go_after_a_minute() -> None:
    async def large() -> float:
        await pacer_of(Rates(tokens=10.0)).admit(100_000)
        return Wall()()

    assert on_virtual_time(large()) == pytest.approx(60)


def test_who_leaves_the_queue_costs_nothing_and_the_others_go_on() -> None:
    async def leave() -> float:
        pacer = pacer_of(Rates(requests=1.0))
        calls = [asyncio.create_task(pacer.admit()) for _ in range(5)]
        await asyncio.sleep(0.5)
        for call in calls[:4]:
            call.cancel()
        await calls[4]
        return Wall()()

    assert on_virtual_time(leave()) <= 2


def test_a_fault_of_the_bucket_is_told_to_all_that_wait() -> None:
    class Broken(LocalBucket):
        async def take(self, requests_s: float, tokens_s: float) -> Chunk:
            raise InfrastructureFault("the server is gone")

    async def ask() -> list[Any]:
        pacer = Pacer(Rates(requests=1.0), Broken())
        return await asyncio.gather(*(pacer.admit() for _ in range(3)), return_exceptions=True)

    assert [type(one) for one in asyncio.run(ask())] == [InfrastructureFault] * 3


# At an endpoint


def test_a_client_keeps_to_the_rate_and_halves_it_once_for_one_congestion() -> None:
    async def ask() -> tuple[int, State]:
        script = [fails(429)] * 4 + [says("ok")]
        async with (
            serving(*script) as served,
            client_of(served.url, max_in_flight=4, requests_per_minute=60_000) as client,
        ):
            assert client.pacer is not None
            await asyncio.gather(*(client.complete(request_of("S", str(n))) for n in range(4)))
            assert isinstance(client.pacer.bucket, LocalBucket)
            return len(served.bodies), client.pacer.bucket._state

    calls, state = asyncio.run(ask())
    assert calls == 8
    assert state.epoch == 1
    assert state.factor == pytest.approx(0.5, abs=0.05)


def test_an_endpoint_without_rates_has_nothing_that_waits() -> None:
    client = client_of("http://127.0.0.1:1/v1")
    assert client.pacer is None


def test_rates_are_given_in_osler_toml() -> None:
    table = {"base_url": "http://h/v1", "model": "m", "requests_per_minute": 600, "tokens_per_minute": 6e6}
    config = config_of({"endpoints": {"e": table}})
    assert config.endpoint("e").rates == Rates(10.0, 100_000.0)
    with pytest.raises(BadInput, match="requests_per_minute"):
        config_of({"endpoints": {"e": {**table, "requests_per_minute": 0}}})
    other = config_of({"endpoints": {"f": {**table, "key_env": "OTHER_KEY"}}}).endpoint("f")
    assert other.account != config.endpoint("e").account, "another key is another account"
    assert config.endpoint("e").settings == {}, "how fast it is asked is no setting of its answers"


def test_the_rate_of_a_client_of_another_kind_cannot_be_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    from osler.models import open_models  # noqa: PLC0415 - to be patched

    class Plugin:
        name = "own"

    monkeypatch.setattr(open_models, "plugins", lambda group: [Plugin()])
    endpoint = Endpoint(name="e", base_url="http://h/v1", model="m", kind="own", requests_per_minute=1)
    with pytest.raises(BadInput, match="rate cannot be limited"):
        Models(Config(endpoints={"e": endpoint})).client("e")
