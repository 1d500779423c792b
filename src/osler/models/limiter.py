"""The adaptive concurrency limit of an endpoint: AIMD on the requests in flight, first come, first served.

Additive increase, multiplicative decrease: congestion (429, 503, a time-out) halves the limit, a whole window
of successes adds one, never above the maximum. A window whose mean latency is more than twice the best one
seen adds nothing: a queue is building up on the server.
"""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Final

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
