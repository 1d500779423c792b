"""The limits of an endpoint: the requests in flight, and a circuit breaker after calls that failed for good.

The concurrency limit is adaptive, by AIMD, and first come, first served.
Additive increase, multiplicative decrease: congestion (429, 503, a time-out) halves the limit, a whole window
of successes adds one, never above the maximum. A window whose mean latency is more than twice the best one
seen adds nothing: a queue is building up on the server.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable
from typing import Final

from osler.models.faults import EndpointFault, Fault, Kind

_SLOWER: Final = 2.0
_FORGETS: Final = 1.05


class Limiter:
    """An adaptive semaphore. `acquire` returns a ticket; every `acquire` must be followed by a `release`."""

    def __init__(self, max_in_flight: int) -> None:
        self.limit, self.in_flight = max_in_flight, 0
        self._max = max_in_flight
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._epoch = 0
        self._successes, self._latency_s, self._best_s = 0, 0.0, float("inf")

    async def acquire(self) -> int:
        """Wait for a slot. The ticket identifies the limit under which the request was sent."""
        if self.in_flight < self.limit and not self._waiting:
            self.in_flight += 1
            return self._epoch
        turn = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self.release()  # the slot was granted in the same instant: hand it on
            raise
        return self._epoch

    def release(self) -> None:
        """Return a slot."""
        self.in_flight -= 1
        self._wake()

    def succeeded(self, latency_s: float) -> None:
        """Record that a request was answered after `latency_s` seconds."""
        self._successes += 1
        self._latency_s += latency_s
        if self._successes < self.limit:
            return
        mean_s = self._latency_s / self._successes
        if mean_s <= _SLOWER * self._best_s and self.limit < self._max:
            self.limit += 1
        self._best_s = min(self._best_s * _FORGETS, mean_s)  # prompts grow, so answers slow down
        self._successes, self._latency_s = 0, 0.0
        self._wake()

    def congested(self, ticket: int) -> None:
        """Record congestion. Requests sent before the last halving do not halve the limit again."""
        if ticket == self._epoch:
            self._epoch += 1
            self.limit = max(1, self.limit // 2)
            self._successes, self._latency_s = 0, 0.0

    def _wake(self) -> None:
        while self._waiting and self.in_flight < self.limit:
            turn = self._waiting.popleft()
            if not turn.done():
                self.in_flight += 1
                turn.set_result(None)


class Breaker:
    """A circuit breaker. It opens after `after` consecutive calls failed; `cool_s` seconds later one call may
    try again, and its success closes the breaker."""

    def __init__(
        self,
        endpoint: str,
        *,
        after: int = 3,
        cool_s: float = 60.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._endpoint, self._after, self._cool_s, self._clock = endpoint, after, cool_s, clock
        self._failures = 0
        self._refuse_until: float | None = None
        self._last = ""

    @property
    def open(self) -> bool:
        """Whether the endpoint is considered down."""
        return self._refuse_until is not None

    def refuse(self) -> None:
        """Raise EndpointFault while the breaker is open and has not cooled."""
        if self._refuse_until is not None and self._clock() < self._refuse_until:
            detail = f"{self._failures} calls in a row failed; the last: {self._last}"
            raise EndpointFault(self._endpoint, Fault(Kind.BREAKER_OPEN, detail))

    def admit(self) -> None:
        """Like `refuse`; if an open breaker has cooled, this call is the one that tries again."""
        self.refuse()
        if self._refuse_until is not None:
            self._refuse_until = self._clock() + self._cool_s

    def succeeded(self) -> None:
        """Record that the endpoint answered, well or badly: it is up."""
        self._failures, self._refuse_until = 0, None

    def failed(self, fault: Fault) -> None:
        """Record that a call failed after all its retries."""
        self._failures += 1
        self._last = fault.kind.replace("_", " ")
        if self._failures >= self._after and self._refuse_until is None:
            self._refuse_until = self._clock() + self._cool_s
