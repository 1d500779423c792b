"""The limits of an endpoint: the requests in flight, and a circuit breaker after calls that failed for good.

The concurrency limit is adaptive. A window ends when as many calls as the limit allows, and at least 20, have
had an outcome; it raises the limit by a sixteenth and one, never above the maximum. Congestion (429, 503, a
time-out) of more than a tenth of a window ends it early; it lowers the limit by the share refused, at most by
half. A few stray refusals thus change nothing, and an endpoint that serves K calls at once is sent about K.
A window whose mean latency is more than twice the best one seen raises nothing: a queue is building up on the
server.

Calls wait in the order in which their episodes were begun, so that where few calls are allowed the oldest
episodes end, instead of all of them crawling.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextvars import ContextVar
from heapq import heappop, heappush
from itertools import count
from typing import Final

from osler.models.faults import EndpointFault, Fault, Kind

_SLOWER: Final = 2.0
_FORGETS: Final = 1.05
_TOLERATED: Final = 0.1  # of a window; with one in ten refused, five tries lose one call in 100,000
_SHORTEST: Final = 20  # a window of fewer could not tell a stray refusal from a tenth
_GROWTH: Final = 16

_episodes = count(1)
_episode: ContextVar[int] = ContextVar("episode", default=0)


def begin_episode() -> None:
    """From here on the calls of this task wait behind those of all episodes begun earlier."""
    _episode.set(next(_episodes))


class Limiter:
    """An adaptive semaphore. `acquire` returns a ticket; every `acquire` must be followed by a `release`."""

    def __init__(self, max_in_flight: int) -> None:
        self.limit, self.in_flight = max_in_flight, 0
        self._max = max_in_flight
        self._waiting: list[tuple[int, int, asyncio.Future[None]]] = []
        self._arrivals = count()
        self._epoch = 0
        self._best_s = float("inf")
        self._begin_window()

    def bounded(self, most: int) -> None:
        """Change the highest limit; one that was not lowered by congestion follows it up as well as down."""
        if most == self._max:
            return
        self.limit = most if self.limit >= self._max else min(self.limit, most)
        self._max = most
        self._wake()

    async def acquire(self) -> int:
        """Wait for a slot. The ticket identifies the limit under which the request was sent."""
        if self.in_flight < self.limit and not self._waiting:
            self.in_flight += 1
            return self._epoch
        turn = asyncio.get_running_loop().create_future()
        heappush(self._waiting, (_episode.get(), next(self._arrivals), turn))
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
        self._served += 1
        self._latency_s += latency_s
        if self._served + self._refused < self._window:
            return
        mean_s = self._latency_s / self._served
        if mean_s <= _SLOWER * self._best_s:
            self.limit = min(self._max, self.limit + 1 + self.limit // _GROWTH)
        self._best_s = min(self._best_s * _FORGETS, mean_s)  # prompts grow, so answers slow down
        self._begin_window()
        self._wake()

    def congested(self, ticket: int) -> bool:
        """Record congestion; return whether it was too much, so that the limit was lowered. Requests sent
        before the limit was last lowered do not count again."""
        if ticket != self._epoch:
            return False
        self._refused += 1
        if self._refused <= _TOLERATED * self._window:
            return False
        self._epoch += 1
        share = self._refused / (self._refused + self._served)
        self.limit = max(1, int(self.limit * max(0.5, 1 - share)))
        self._begin_window()
        return True

    def _begin_window(self) -> None:
        self._window = max(self.limit, _SHORTEST)
        self._served, self._refused, self._latency_s = 0, 0, 0.0

    def _wake(self) -> None:
        while self._waiting and self.in_flight < self.limit:
            turn = heappop(self._waiting)[2]
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
