"""Who overhears a call hears of all that came of it, also where no answer did."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from osler.models.budget import Budget, BudgetPaused, Ledger, Limits
from osler.models.calls import INTERRUPTED, Overheard
from osler.models.faults import EndpointFault
from osler.models.overhearing import overhearing
from osler.models.types import Output
from tests.models.endpoint import Behaviour, client_of, fails, hangs, request_of, says, serving

PROSE = Output(name="o", json_schema={"type": "object"})


def overheard(*script: Behaviour, stop: bool = False, **more: Any) -> list[dict[str, Any]]:
    """The calls overheard where one brings no answer; with `stop` it is cancelled at the last request."""

    async def once() -> None:
        async with serving(*script) as served, client_of(served.url, **more) as client:
            asked = Overheard(client, client.endpoint).complete(request_of("S", "U", output=PROSE))
            task = asyncio.create_task(asked)
            while stop and len(served.bodies) < len(script) and not task.done():
                await asyncio.wait([task], timeout=0.01)
            if stop:
                task.cancel()
            await task

    ends = (asyncio.CancelledError, EndpointFault, BudgetPaused)
    with overhearing() as outer, overhearing() as calls, pytest.raises(ends):
        asyncio.run(once())
    assert outer == calls, "whoever overhears the whole hears it too"
    return calls


def test_an_interrupted_call_is_kept_with_what_was_answered_before() -> None:
    [call] = overheard(says("no object"), hangs, stop=True)
    assert (call["outcome"], call["text"]) == (INTERRUPTED, "")
    assert [one["text"] for one in call["tries"]] == ["no object"]
    assert [message["text"] for message in call["messages"]] == ["S", "U"]


def test_a_call_that_the_endpoint_fails_is_kept_with_its_tries() -> None:
    [call] = overheard(*[fails(503)] * 3)
    assert (call["outcome"], len(call["tries"])) == ("server_error", 2)


def test_a_request_is_given_up_when_the_seconds_are_over() -> None:
    budget = Budget(Limits(seconds=0.05), Ledger())
    [call] = overheard(hangs, budget=budget)
    assert (call["outcome"], call["calls"]) == (INTERRUPTED, 0)
    assert "seconds budget" in call["detail"]


def test_a_request_that_was_never_sent_is_no_call() -> None:
    assert not overheard(budget=Budget(Limits(seconds=0.0), Ledger()))
