"""Limits on what one visitor may ask of a shared server, so that nobody can crowd out the others.

A server that is not shared has one owner, whose programs may be as fast as they like: there only the number
of open streams is limited.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Final, NamedTuple, TypeVar

from osler.errors import InfrastructureFault
from osler.web.problems import TooMany

T = TypeVar("T")
STREAMS: Final = 20
"""Open streams of one visitor; more are tabs that were forgotten."""
ALL_STREAMS: Final = 500
"""Open streams of everybody."""
ADDRESS_STREAMS: Final = 250
"""Open streams of one address: two classes with two tabs each, and never all that there are."""
_REMEMBERED: Final = 10_000


class Rate(NamedTuple):
    """So many a second in the long run, and so many at once."""

    a_second: float
    burst: int


MOVES: Final = Rate(1, 10)
"""Moves of one visitor, who types them."""
CHANGES: Final = Rate(5, 60)
"""Everything else of one visitor that changes something."""
BEGINNINGS: Final = Rate(0.1, 20)
"""Sittings that one visitor begins, `again` included: many at once where somebody tries something out."""
ENTRIES: Final = Rate(1, 200)
"""Attempts of strangers to come in from one address: several classes join at once. Wrong codes of rooms have
a limit of their own (`osler.web.teach.codes`); the token of a link cannot be guessed."""
STRANGE: Final = Rate(1, 60)
"""Whatever else strangers from one address try to change; all of it is refused."""
LONG_WORK: Final = 8
"""Long pieces of work under way at once, of everybody: a model's trial turn, a report."""
LONG_WORK_EACH: Final = 2
"""Those of one visitor."""


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
        self._open, self._all = Counter[str](), 0

    def of(self, name: str) -> int:
        """Count those of a visitor."""
        return self._open[name]

    @property
    def all(self) -> int:
        """Count those of everybody."""
        return self._all

    @contextmanager
    def one_more(self, *names: str) -> Iterator[None]:
        """Meanwhile, one more is open, which counts for each of these names."""
        self._all += 1
        self._open.update(names)
        try:
            yield
        finally:
            self._all -= 1
            self._open.subtract(names)
            self._open = +self._open


class LongWork:
    """Threads for what takes long, so that the quick requests of everybody else find theirs free.

    `each` is how many one visitor may have under way at once, `None` for no limit; beyond `most` of everybody
    the next one is refused, or, if it `queues`, waits.
    """

    def __init__(self, each: int | None, most: int = LONG_WORK, *, queues: bool = False) -> None:
        self._each, self._most, self._queues = each, most, queues
        self._under_way = Counter[str]()
        self._threads = ThreadPoolExecutor(most, thread_name_prefix="long-work")

    async def run(self, visitor: str, work: Callable[[], T]) -> T:
        """Return what `work` returns. Raises TooMany if this visitor has enough under way, and
        InfrastructureFault if everybody together has."""
        if self._each is not None and self._under_way[visitor] >= self._each:
            raise TooMany("you have asked for this several times at once", hint="wait for the first answer")
        if self._each is not None and not self._queues and self._under_way.total() >= self._most:
            raise InfrastructureFault("too many wait for an answer here", hint="try again in a minute")
        self._under_way[visitor] += 1
        running = asyncio.get_running_loop().run_in_executor(self._threads, work)
        running.add_done_callback(lambda done: self._ended(visitor, done))  # even if its visitor has left
        return await asyncio.shield(running)

    def _ended(self, visitor: str, done: asyncio.Future[T]) -> None:
        if not done.cancelled():
            done.exception()  # retrieved here: its visitor may have left
        self._under_way[visitor] -= 1
        if not self._under_way[visitor]:
            del self._under_way[visitor]
