"""Limits on what one visitor may ask of a shared server, so that nobody can crowd out the others.

A server that is not shared has one owner, whose programs may be as fast as they like: there only the number
of open streams is limited.
"""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final, NamedTuple

STREAMS: Final = 20
"""Open streams of one visitor; more are tabs that were forgotten."""
ALL_STREAMS: Final = 500
"""Open streams of everybody."""
_REMEMBERED: Final = 10_000


class Rate(NamedTuple):
    """So many a second in the long run, and so many at once."""

    a_second: float
    burst: int


MOVES: Final = Rate(1, 10)
"""Moves of one visitor, who types them."""
CHANGES: Final = Rate(5, 60)
"""Everything else of one visitor that changes something."""
ENTRIES: Final = Rate(1, 60)
"""Attempts to come in from one address: a class joins at once, and nobody guesses a room's code."""


class Paces:
    """The pace of each visitor, at one rate."""

    def __init__(self, rate: Rate, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate, self._clock = rate, clock
        self._left = dict[str, tuple[float, float]]()

    def wait(self, name: str) -> int:
        """The whole seconds to wait before the next one is allowed; 0 if it is allowed and counted now."""
        now = self._clock()
        left, since = self._left.get(name, (float(self._rate.burst), now))
        left = min(self._rate.burst, left + (now - since) * self._rate.a_second)
        if left < 1:
            self._left[name] = left, now
            return math.ceil((1 - left) / self._rate.a_second)
        self._left[name] = left - 1, now
        if len(self._left) > _REMEMBERED:
            full = self._rate.burst / self._rate.a_second
            self._left = {one: held for one, held in self._left.items() if now - held[1] < full}
        return 0


class Streams:
    """The streams that are open now."""

    def __init__(self) -> None:
        self._open = Counter[str]()

    def of(self, name: str) -> int:
        """Count those of a visitor."""
        return self._open[name]

    @property
    def all(self) -> int:
        """Count those of everybody."""
        return self._open.total()

    @contextmanager
    def one_more(self, name: str) -> Iterator[None]:
        """Meanwhile, one more is open."""
        self._open[name] += 1
        try:
            yield
        finally:
            self._open[name] -= 1
            if not self._open[name]:
                del self._open[name]
