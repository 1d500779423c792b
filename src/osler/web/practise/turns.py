"""Turns at computing: whose built-in player replies next, and how much one move of a person may set off.

Encounters share one event loop. What built-in players, stories and judges compute runs beside it in a
thread, and whoever has used the least processor time lately comes first. Those whose pieces of work were long
lately share one thread, which rests after those who have used much while others wait; a second one is for all
others. So a quick encounter does not queue behind long replies, however many there are. Who comes first
decides nothing in the encounters: their records are the same.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Final, Generic, NamedTuple, TypeVar

from osler.core.contract import Player, Request
from osler.errors import InfrastructureFault
from osler.players.plugged import Foreign

T = TypeVar("T")
LONG_S: Final = 0.015
"""Seconds of processor time: visitors whose pieces of work took longer on average share one thread. An honest
reply to a question takes some 0.002 s, sitting down three pieces of 0.03 s."""
HEAVY_S: Final = 0.3
"""Seconds of processor time: after long work of visitors who have used more lately, their thread rests."""
RESTS: Final = 3.0
"""That rest, over the time of the work: Python computes in one thread at a time, and what the others need is
not to be had meanwhile."""
MOST_REST_S: Final = 2.0
"""Its longest rest, in seconds."""
HALVED_S: Final = 20.0
"""Seconds after which half of what was used no longer counts."""
_REMEMBERED: Final = 10_000


class Limits(NamedTuple):
    """The most that one move may set off: all that follows a person's reply until a person is asked again.

    `calls` are questions to other players, those inside composites included; `cpu_s` and `wall_s` are seconds
    of computing their replies, in which nobody is waited for; `size` is characters of what they said, which
    stands for memory: it is cheap to count, and what grows with a move is what is said in it. One reply is
    not cut off: the limits are looked at between replies.
    """

    calls: int = 2000
    cpu_s: float = 20.0
    wall_s: float = 60.0
    size: int = 4_000_000


MOST: Final = Limits()
"""The limits of a server. Measured with built-in players, the largest honest moves set off 24 questions, 0.05
seconds and 7,000 characters (a ward round of 10 students whom a person guides); with nine players in each
seat, who all say as much as they may, it would be 216 questions and 1.7 million characters."""


class TooSlow(InfrastructureFault):
    """A move that set off more than a server allows. It pauses the encounter, and is not tried again by
    itself; what was answered stays recorded and is not asked again."""

    def __init__(self, reached: str) -> None:
        super().__init__(
            f"This move took too long here ({reached}); nothing is lost.",
            hint="Try again, which goes on from where it stopped, or begin another way.",
        )


class Lately:
    """The work of each visitor lately, in seconds and pieces; half of it is forgotten every `HALVED_S`."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._used = dict[str, tuple[float, float, float]]()

    def seconds(self, visitors: Sequence[str]) -> float:
        """The mean over some visitors."""
        return sum(self._of(one)[0] for one in visitors) / max(1, len(visitors))

    def is_long(self, visitors: Sequence[str]) -> bool:
        """Whether the pieces of work of any of these visitors were long on average."""
        return any(seconds > LONG_S * pieces for seconds, pieces in map(self._of, visitors))

    def add(self, visitors: Sequence[str], seconds: float) -> None:
        """Count a piece of work for these visitors together."""
        now, share = self._clock(), 1 / max(1, len(visitors))
        for one in visitors:
            before, pieces = self._of(one)
            self._used[one] = before + seconds * share, pieces + share, now
        if len(self._used) > _REMEMBERED:
            self._used = {one: held for one, held in self._used.items() if now - held[2] < 10 * HALVED_S}

    def _of(self, visitor: str) -> tuple[float, float]:
        seconds, pieces, at = self._used.get(visitor, (0.0, 0.0, 0.0))
        left = 0.5 ** ((self._clock() - at) / HALVED_S) if pieces else 0.0
        return seconds * left, pieces * left


class Computed(NamedTuple, Generic[T]):
    """The result of some work, and the seconds that it took of the processor and by the clock."""

    value: T
    cpu_s: float
    wall_s: float


@dataclass(eq=False)
class _Waiting:
    """Work that waits for its turn, or is under way."""

    visitors: Sequence[str]
    work: Callable[[], Any]
    answer: asyncio.Future[Computed[Any]]
    long: bool = False


_Outcome = tuple[Any, BaseException | None, float, float]
"""The result or the error of some work, and the seconds as in `Computed`."""


class Turns:
    """The turns of all encounters of one event loop. Not thread-safe: to be used from that loop."""

    def __init__(self, lately: Lately | None = None) -> None:
        self._lately = lately or Lately()
        self._waiting: list[_Waiting] = []
        self._running: list[_Waiting] = []
        self._resting: asyncio.TimerHandle | None = None
        self._threads = ThreadPoolExecutor(2, thread_name_prefix="turn")

    async def compute(self, visitors: Sequence[str], work: Callable[[], T]) -> Computed[T]:
        """Run `work` in a thread once it is the turn of these visitors, and return what it returns. A caller
        that is cancelled still waits for the end of what has begun."""
        one = _Waiting(visitors, work, asyncio.get_running_loop().create_future())
        self._waiting.append(one)
        self._next()
        try:
            return await asyncio.shield(one.answer)
        except asyncio.CancelledError:
            if one in self._running:
                await asyncio.wait([one.answer])
            one.answer.cancel()
            raise

    def close(self) -> None:
        """Let the threads go."""
        if self._resting is not None:
            self._resting.cancel()
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _next(self) -> None:
        """Begin what can begin: in each of the two threads the work of whoever has used the least."""
        self._waiting = [one for one in self._waiting if not one.answer.done()]  # some were left meanwhile
        for long in (False, True):
            if any(one.long is long for one in self._running) or (long and self._resting):
                continue
            there = [one for one in self._waiting if self._lately.is_long(one.visitors) is long]
            if there:
                self._begin(min(there, key=lambda one: self._lately.seconds(one.visitors)), long)

    def _begin(self, one: _Waiting, long: bool) -> None:
        one.long = long
        self._waiting.remove(one)
        self._running.append(one)
        running = asyncio.get_running_loop().run_in_executor(self._threads, _timed, one.work)
        running.add_done_callback(lambda done: self._ended(one, done))

    def _ended(self, one: _Waiting, done: asyncio.Future[_Outcome]) -> None:
        self._running.remove(one)
        if not done.cancelled():
            value, error, cpu_s, wall_s = done.result()
            self._lately.add(one.visitors, cpu_s)
            if one.long and self._waiting and self._lately.seconds(one.visitors) > HEAVY_S:
                self._rest(min(RESTS * cpu_s, MOST_REST_S))
            if error is not None:
                one.answer.set_exception(error)
                one.answer.exception()  # retrieved here: its encounter may have been left
            else:
                one.answer.set_result(Computed(value, cpu_s, wall_s))
        self._next()

    def _rest(self, seconds: float) -> None:
        self._resting = asyncio.get_running_loop().call_later(seconds, self._rested)

    def _rested(self) -> None:
        self._resting = None
        self._next()


def _timed(work: Callable[[], Any]) -> _Outcome:
    cpu, wall = time.thread_time(), time.perf_counter()
    value, raised = None, None
    try:
        value = work()
    except Exception as error:
        raised = error
    return value, raised, time.thread_time() - cpu, time.perf_counter() - wall


class MovePace:
    """The pace of one encounter (`osler.core.pace.Pace`): its built-in players reply in turn with those of
    others, and a move that sets off more than `most` is stopped. `visitors` gives the people in it."""

    def __init__(self, turns: Turns, visitors: Callable[[], Sequence[str]], most: Limits = MOST) -> None:
        self._turns, self._visitors, self._most = turns, visitors, most
        self._calls, self._cpu_s, self._wall_s, self._size = 0, 0.0, 0.0, 0

    async def reply(self, player: Player, request: Request[Any], /) -> Any:
        """Return a player's reply. Raises TooSlow."""
        if getattr(player, "from_outside", False):
            said = await player.reply(request)
            self._calls, self._cpu_s, self._wall_s, self._size = 0, 0.0, 0.0, 0
            return said
        self._calls += 1
        self._check()
        if player.durable or isinstance(player, Foreign):  # it waits for others, or may
            said = await player.reply(request)
        else:
            said = await self.work(lambda: _at_once(player.reply(request)))
        self._size += len(repr(said))
        self._check()
        return said

    async def replayed(self) -> None:
        """Let other tasks run before an exchange is answered from the record."""
        await asyncio.sleep(0)

    async def work(self, work: Callable[[], T], /) -> T:
        """Return what `work` returns, in turn with others."""
        done = await self._turns.compute(self._visitors(), work)
        self._cpu_s += done.cpu_s
        self._wall_s += done.wall_s
        return done.value

    def _check(self) -> None:
        most = self._most
        if self._calls > most.calls:
            raise TooSlow(f"more than {most.calls:,} questions to other players")
        if self._cpu_s > most.cpu_s or self._wall_s > most.wall_s:
            raise TooSlow(f"more than {most.cpu_s:.0f} seconds of computing")
        if self._size > most.size:
            raise TooSlow(f"more than {most.size:,} characters")


def _at_once(reply: Coroutine[Any, Any, T]) -> T:
    """The result of a coroutine that waits for nothing, as those of built-in players do."""
    try:
        reply.send(None)
    except StopIteration as done:
        result: T = done.value
        return result
    reply.close()
    raise TypeError("a built-in player waited for something")
