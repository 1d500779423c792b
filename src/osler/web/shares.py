"""Shares of the processor: who has used much lately waits with the next move while the server is busy.

Python computes in one thread at a time, so what a crowd sets off takes from everybody. All visitors together
are given a part of one core; of those who ask for more than an even part of it, the next moves are held until
they have used less (max-min fairness). Whoever uses little is never held, however many others there are.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from threading import Lock
from typing import Final, TypeVar

T = TypeVar("T")

TOGETHER: Final = 0.3
"""The part of one core that all visitors together are given before any of them is held."""
LEAST: Final = 0.02
"""The part of one core that a visitor may always use: some two moves a second in a consultation."""
HALVED_S: Final = 10.0
"""Seconds after which half of what was used no longer counts."""
LONGEST_S: Final = 20.0
"""The longest that one move is held."""
A_REQUEST_S: Final = 0.004
"""Seconds of the processor that are counted for a request beside what it computes."""
_LOOK_S: Final = 0.2
_RATE: Final = 0.6931 / HALVED_S  # what is used at a steady rate adds up to the rate over this
_FORGOTTEN: Final = 0.001


class Shares:
    """The use of each visitor lately. For any thread."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock, self._lock = clock, Lock()
        self._used: dict[str, float] = {}
        self._at = clock()

    def charge(self, visitors: Sequence[str], seconds: float) -> None:
        """Count seconds of the processor for these visitors together."""
        with self._lock:
            self._decay()
            for one in visitors:
                self._used[one] = self._used.get(one, 0.0) + seconds / len(visitors)

    def is_over(self, visitor: str) -> bool:
        """Whether a visitor has used more lately than an even part, while all together ask for too much."""
        with self._lock:
            self._decay()
            own = self._used.get(visitor, 0.0) * _RATE
            if own <= LEAST:
                return False
            return own > level(one * _RATE for one in self._used.values())

    @contextmanager
    def counting(self, visitor: str) -> Iterator[None]:
        """Count what this thread computes meanwhile for a visitor."""
        begun = time.thread_time()
        try:
            yield
        finally:
            self.charge([visitor], time.thread_time() - begun)

    def counted(self, visitor: str, work: Callable[[], T]) -> Callable[[], T]:
        """The same work, counted for a visitor in the thread that does it."""

        def counted() -> T:
            with self.counting(visitor):
                return work()

        return counted

    async def work(self, visitor: str, work: Callable[[], T]) -> T:
        """Return what `work` returns, done in a thread and counted for a visitor."""
        return await asyncio.to_thread(self.counted(visitor, work))

    async def held(self, visitor: str) -> None:
        """Wait until the visitor has used no more than its part, or has waited long enough."""
        for _ in range(round(LONGEST_S / _LOOK_S)):
            if not self.is_over(visitor):
                return
            await asyncio.sleep(_LOOK_S)

    def _decay(self) -> None:
        now = self._clock()
        left = 0.5 ** ((now - self._at) / HALVED_S)
        if left < 0.99:
            self._used = {one: used * left for one, used in self._used.items() if used > _FORGOTTEN}
            self._at = now


def level(rates: Iterable[float], together: float = TOGETHER) -> float:
    """The highest rate that nobody need exceed so that all rates, cut off there, add up to `together`:
    infinite where they do so uncut."""
    left, ordered = together, sorted(rates)
    for place, rate in enumerate(ordered):
        even = left / (len(ordered) - place)
        if rate > even:
            return even
        left -= rate
    return float("inf")
