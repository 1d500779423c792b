"""What holds calls back: requests in flight, the breaker, waits, budgets; and what is counted."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from osler.errors import BadInput, InfrastructureFault
from osler.models.budget import Budget, BudgetPaused, Estimate, Ledger, Limits, cost_of, estimate
from osler.models.config import Endpoint
from osler.models.faults import EndpointFault, Fault, Kind, Retry, seconds_of
from osler.models.limiter import Breaker, Limiter
from osler.models.types import Image, Message, Sampling, Usage
from tests.models.endpoint import client_of, fails, request_of, says, serving

PRICED = Endpoint(name="e", base_url="http://h/v1", model="m", price_in=2.0, price_cached=0.5, price_out=10.0)
FREE = Endpoint(name="f", base_url="http://h/v1", model="m")


# In flight


def test_who_comes_first_is_served_first_and_who_leaves_is_skipped() -> None:
    async def queue() -> list[int]:
        limiter, order = Limiter(1), list[int]()

        async def call(n: int) -> None:
            await limiter.acquire()
            order.append(n)
            limiter.release()

        await limiter.acquire()
        calls = [asyncio.create_task(call(n)) for n in range(5)]
        await asyncio.sleep(0)
        calls[1].cancel()
        limiter.release()
        await asyncio.sleep(0)
        calls[2].cancel()
        await asyncio.gather(*calls, return_exceptions=True)
        assert limiter.in_flight == 0
        return order

    assert [n for n in asyncio.run(asyncio.wait_for(queue(), 5)) if n != 2] == [0, 3, 4]


def test_a_slot_granted_in_the_instant_of_leaving_is_handed_on() -> None:
    async def leave() -> None:
        limiter = Limiter(1)
        await limiter.acquire()
        waiting = asyncio.create_task(limiter.acquire())
        behind = asyncio.create_task(limiter.acquire())
        await asyncio.sleep(0)
        limiter.release()  # grants the slot; its taker has not run yet
        waiting.cancel()
        await behind
        assert limiter.in_flight == 1

    asyncio.run(asyncio.wait_for(leave(), 5))


def test_congestion_halves_once_and_success_adds_one_a_window_up_to_the_maximum() -> None:
    async def adapt() -> None:
        limiter = Limiter(8)
        ticket = await limiter.acquire()
        for _ in range(8):  # eight requests of the same moment were refused
            limiter.congested(ticket)
        assert limiter.limit == 4
        for _ in range(20):
            limiter.succeeded(0.1)
        assert limiter.limit == 5
        for _ in range(100):
            limiter.succeeded(0.1)
        assert limiter.limit == 8

    asyncio.run(adapt())


def test_answers_that_grow_slow_add_nothing() -> None:
    limiter = Limiter(8)
    for _ in range(3):
        limiter.congested(0)
    for _ in range(20):
        limiter.succeeded(0.1)
    for _ in range(20):
        limiter.succeeded(0.5)
    assert limiter.limit == 5


@given(st.lists(st.sampled_from(["take", "give", "good", "bad"]), max_size=60), st.integers(1, 5))
def test_the_limit_holds_whatever_happens(script: list[str], most: int) -> None:
    async def run() -> None:
        limiter, tickets, waiting = Limiter(most), list[int](), list[asyncio.Task[int]]()
        for act in script:
            if act == "take":
                waiting.append(asyncio.create_task(limiter.acquire()))
            elif act == "give" and tickets:
                tickets.pop()
                limiter.release()
            elif act == "good":
                limiter.succeeded(0.1)
            elif tickets:
                limiter.congested(tickets[-1])
            for _ in range(3):
                await asyncio.sleep(0)
            tickets += [task.result() for task in waiting if task.done()]
            waiting = [task for task in waiting if not task.done()]
            assert limiter.in_flight == len(tickets) <= most
            assert 1 <= limiter.limit <= most
            assert not waiting or limiter.in_flight >= limiter.limit
        for task in waiting:
            task.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)

    asyncio.run(run())


def test_a_client_asks_less_of_an_endpoint_that_says_it_is_too_much() -> None:
    async def ask() -> int:
        script = [fails(429)] * 4 + [says("ok")]
        async with serving(*script) as served, client_of(served.url, max_in_flight=4) as client:
            await asyncio.gather(*(client.complete(request_of("S", str(n))) for n in range(4)))
            return client.limiter.limit

    assert asyncio.run(ask()) < 4


# The breaker and waits


def test_a_breaker_opens_after_failures_in_a_row_and_lets_one_try_when_it_has_cooled() -> None:
    now = 0.0
    breaker = Breaker("e", after=2, cool_s=10, clock=lambda: now)
    fault = Fault(Kind.TIMEOUT)
    breaker.failed(fault)
    breaker.succeeded()
    breaker.failed(fault)
    breaker.admit()
    breaker.failed(fault)
    with pytest.raises(EndpointFault, match="2 calls in a row failed; the last: timeout"):
        breaker.refuse()
    now = 11.0
    breaker.admit()
    with pytest.raises(EndpointFault):
        breaker.admit()
    breaker.succeeded()
    breaker.admit()


@given(st.integers(0, 2**32), st.integers(1, 4), st.sampled_from(list(Kind)))
def test_a_wait_is_within_its_range_and_only_for_what_may_pass(seed: int, tried: int, kind: Kind) -> None:
    retry = Retry(tries=4, base_s=1.0, cap_s=3.0)
    wait = retry.wait_s(Fault(kind), tried, Random(seed))
    passing = {"timeout", "connection", "rate_limited", "server_error", "truncated", "empty"}
    assert (wait is not None) == (kind in passing and tried < 4)
    assert wait is None or 0 <= wait <= min(3.0, 2.0 ** (tried - 1))


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("7", 7),
        ("1.5", 1.5),
        ("-3", 0),
        ("Fri, 01 Jan 2027 00:01:00 GMT", 60),
        ("Fri, 01 Jan 2027 00:01:00 -0000", 60),
        ("Thu, 31 Dec 2026 00:00:00 GMT", 0),
        ("soon", None),
        ("", None),
        ("nan", None),
    ],
)
def test_a_time_to_wait_is_read_as_seconds_or_as_a_date(header: str, seconds: float | None) -> None:
    assert seconds_of(header, datetime(2027, 1, 1, tzinfo=UTC)) == seconds


# Budgets and the ledger


def test_costs_follow_prices_and_what_is_unknown_has_none() -> None:
    used = Usage(prompt_tokens=1000, completion_tokens=100, cached_tokens=400)
    assert cost_of(used, PRICED) == pytest.approx((600 * 2 + 400 * 0.5 + 100 * 10) / 1e6)
    assert cost_of(used._replace(cached_tokens=None), PRICED) == pytest.approx(3000 / 1e6)
    assert cost_of(Usage(prompt_tokens=1000), PRICED) is None
    assert cost_of(used, FREE) is None


def test_a_ledger_keeps_what_is_known_apart_from_what_is_assumed() -> None:
    ledger = Ledger()
    known = Usage(prompt_tokens=100, completion_tokens=10, cached_tokens=50)
    ledger.charge("doctor", PRICED, known, Estimate(999, 999))
    ledger.charge("doctor", PRICED, Usage(), Estimate(30, 4))
    ledger.charge("patient", FREE, known, Estimate(0, 0))
    ledger.lost("patient", "f")
    doctor, patient = ledger.rows["doctor", "e"], ledger.rows["patient", "f"]
    assert (doctor.calls, doctor.prompt_tokens, doctor.unreported, doctor.assumed_tokens) == (2, 100, 1, 34)
    assert doctor.cost == pytest.approx((50 * 2 + 50 * 0.5 + 100) / 1e6)
    assert doctor.assumed_cost == pytest.approx((60 + 40) / 1e6)
    assert (patient.calls, patient.failed, patient.cost, patient.unpriced) == (2, 1, 0, 1)
    assert ledger.total.calls == 4
    assert ledger.total.tokens == 110 + 34 + 110


def overdrawn(limits: Limits, clock: Callable[[], float] = lambda: 0.0) -> str:
    """Which limit breaks when ten calls of 100 + 10 tokens are made, one after another."""
    ledger = Ledger()
    budget = Budget(limits, ledger, clock)
    for _ in range(10):
        try:
            reserved = budget.reserve(PRICED, Estimate(100, 10))
        except BudgetPaused as paused:
            return f"{paused.limit} after {ledger.total.calls}"
        ledger.charge("doctor", PRICED, Usage(prompt_tokens=100, completion_tokens=10), Estimate(0, 0))
        budget.release(reserved)
    return "none"


def test_a_budget_names_the_limit_that_the_next_call_would_break() -> None:
    assert overdrawn(Limits()) == "none"
    assert overdrawn(Limits(tokens=1100)) == "none"
    assert overdrawn(Limits(tokens=1099)) == "tokens after 9"
    assert overdrawn(Limits(money=0.00095)) == "money after 3"
    ticks = iter(range(100))
    assert overdrawn(Limits(seconds=5), lambda: float(next(ticks))) == "seconds after 4"


def test_calls_in_flight_count_against_a_budget() -> None:
    budget = Budget(Limits(tokens=250), Ledger())
    first = budget.reserve(FREE, Estimate(100, 0))
    budget.reserve(FREE, Estimate(100, 0))
    with pytest.raises(BudgetPaused, match="200 under way"):
        budget.reserve(FREE, Estimate(100, 0))
    assert issubclass(BudgetPaused, InfrastructureFault), "the run pauses"
    budget.release(first)
    budget.reserve(FREE, Estimate(100, 0))


def test_a_budget_is_checked_before_a_request_is_sent_and_filled_by_what_was_used() -> None:
    async def spend() -> None:
        ledger = Ledger()
        budget = Budget(Limits(tokens=300), ledger)
        async with (
            serving(says("ok"), says("ok", usage=None)) as served,
            client_of(served.url, ledger=ledger, budget=budget) as client,
        ):
            short = Sampling(max_tokens=50)
            for _ in range(3):
                await client.complete(request_of(sampling=short, seat="doctor"))
            assert (ledger.total.prompt_tokens, ledger.total.unreported) == (100, 2)
            assert ledger.total.assumed_tokens == 2 * estimate(request_of(sampling=short)).tokens
            with pytest.raises(BudgetPaused, match="tokens budget"):
                await client.complete(request_of(sampling=Sampling(max_tokens=300)))
            assert len(served.bodies) == 3
            assert client.limiter.in_flight == 0
            assert set(ledger.rows) == {("doctor", "tiny")}

    asyncio.run(spend())


def test_a_money_limit_without_prices_is_refused_before_anything_is_spent() -> None:
    with pytest.raises(BadInput, match="prices"):
        client_of("http://127.0.0.1:1/v1", budget=Budget(Limits(money=1.0), Ledger()))


def test_estimates_follow_their_rule() -> None:
    picture = Image.of(b"\xff\xd8\xff" + bytes(50_000))
    text = Message(role="user", text="x" * 400)
    request = request_of("é" * 8, "")._replace(sampling=Sampling(max_tokens=7))
    assert estimate(request) == Estimate(4 + 4 + 4, 7)
    assert estimate(request, [text]).prompt == 12 + 104
    seen = Message(role="user", text="", images=(picture,))
    assert estimate(request, [seen]).prompt == 12 + 1004
