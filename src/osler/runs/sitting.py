"""A sitting: an interactive session of one encounter, played as its requests are answered from outside.

    sitting = world.sit(0)                          # or: await runs.sit(run, store, 0)
    now = await sitting.next()
    while isinstance(now, Pending):
        now = await sitting.step(my_reply(now), now.ticket)

The encounter runs concurrently with its caller, in the same event loop. A step returns once its reply is
recorded (in a stored run: committed) and the next question is open or the encounter has ended.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Self

from osler.core.events import Seat
from osler.core.table import Recorder
from osler.core.trace import AskedRow, ExchangeRow, InnerRow
from osler.errors import BadInput, Stale
from osler.players.external import Desk, Pending
from osler.runs.played import EndedEpisode


class Sitting:
    """A session of an encounter with external seats, left at the end of its `async with` block.

    `play` plays it with the recorder it is given; rows are passed `onward`. `ordinal` is the episode's number
    in a stored run.

        >>> import asyncio
        >>> async def ask_once(world):
        ...     async with world.sit(0) as sitting:
        ...         first = await sitting.next()
        ...         reply = {"action": "ASK", "question": "Where does it hurt?"}
        ...         return (await sitting.step(reply, first.ticket)).ticket
        >>> asyncio.run(ask_once(osler.World(osler.configure())))
        '1.0'
    """

    def __init__(
        self,
        desk: Desk,
        play: Callable[[Recorder], Awaitable[EndedEpisode]],
        onward: Recorder | None = None,
        ordinal: int | None = None,
    ) -> None:
        self._desk, self._play, self.ordinal = desk, play, ordinal
        self._recorder = _Settling(desk, onward)
        self._task: asyncio.Task[EndedEpisode] | None = None
        self._met, self._left = False, False

    @property
    def pending(self) -> dict[Seat, Pending]:
        """The open question of each external seat that has one."""
        return self._desk.pending

    @property
    def tickets(self) -> dict[Seat, str]:
        """The ticket of each open question, by seat."""
        return {seat: pending.ticket for seat, pending in self.pending.items()}

    def start(self) -> asyncio.Task[EndedEpisode]:
        """Start to play, unless already started; `next` and `step` call this themselves."""
        if self._left:
            raise BadInput("this sitting was left", hint="sit down again")
        if self._task is None:
            self._task = asyncio.create_task(self._whole())
            self._task.add_done_callback(lambda _: self._desk.settle(()))
        return self._task

    async def next(self) -> Pending | EndedEpisode:
        """Return the question that has been open the longest, or the encounter if it has ended.

        Raises InfrastructureFault if something outside failed: sit down again to continue.
        """
        task, desk = self.start(), self._desk
        await desk.until(lambda: task.done() or (desk.is_settled and bool(desk.pending)))
        self._met = True
        if not task.done():
            return next(iter(desk.pending.values()))
        return self._ended(task)

    async def other(self, than: Mapping[Seat, str]) -> EndedEpisode | None:
        """Wait until the open questions are others `than` those with these tickets by seat, or the encounter
        has ended; return it if it has. Raises as `next`."""
        task, desk = self.start(), self._desk
        await desk.until(lambda: task.done() or (desk.is_settled and self.tickets != than))
        self._met = True
        return self._ended(task) if task.done() else None

    async def step(
        self, reply: object, at: str | None = None, seat: Seat | None = None
    ) -> Pending | EndedEpisode:
        """Reply to the question with the ticket `at`, and wait for the next one; after a refused reply, that
        is the same question with another ticket and the reason.

        Raises Stale, without effect, if that question is not open; BadInput if several seats wait and `seat`
        does not say whose reply it is.
        """
        if not self._met:
            await self.next()
        self.answer(reply, at, seat)
        return await self.next()

    def answer(self, reply: object, at: str | None = None, seat: Seat | None = None) -> None:
        """Reply to the question with the ticket `at`, without waiting for what follows. Raises as `step`."""
        if self.start().done():
            raise Stale("the encounter has ended")
        self._desk.answer(reply, at, seat)

    async def recorded(self) -> None:
        """Wait until every reply given is recorded (in a stored run: committed) or refused. Raises the fault
        that stopped the encounter before that."""
        task = self.start()
        await self._desk.until(lambda: task.done() or self._desk.is_settled)
        if not self._desk.is_settled and not task.cancelled() and (fault := task.exception()):
            raise fault

    async def time_up(self, why: str, at: str, seat: Seat) -> Pending | EndedEpisode:
        """End the encounter at the question with the ticket `at`, and wait for its end. Raises Stale if that
        question is not open."""
        self._desk.time_up(why, at, seat)
        return await self.next()

    async def leave(self) -> None:
        """Stop here. A reply already given is recorded first; what is recorded can be continued later."""
        self._left, task = True, self._task
        if task is None:
            return
        await self._desk.until(lambda: task.done() or self._desk.is_settled)
        await asyncio.sleep(0)  # a task cancelled before it starts would never run its cleanup
        task.cancel()
        await asyncio.wait([task])
        if not task.cancelled():
            task.exception()  # retrieve it: the caller has left and need not be told

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.leave()

    @staticmethod
    def _ended(task: asyncio.Task[EndedEpisode]) -> EndedEpisode:
        if task.cancelled():
            raise BadInput("this sitting was stopped", hint="sit down again")
        return task.result()

    async def _whole(self) -> EndedEpisode:
        return await self._play(self._recorder)


class _Settling:
    """A recorder that tells the desk which seats' replies are stored."""

    def __init__(self, desk: Desk, onward: Recorder | None) -> None:
        self._desk, self._onward = desk, onward
        self._recorded: list[Seat] = []

    def asked(self, row: AskedRow, *, at_once: bool) -> None:
        if self._onward:
            self._onward.asked(row, at_once=at_once)

    def exchange(self, row: ExchangeRow) -> None:
        if self._onward:
            self._onward.exchange(row)
        self._recorded.append(row.seat)

    def inner(self, row: InnerRow) -> None:
        if self._onward:
            self._onward.inner(row)
        self._recorded.append(row.seat)

    async def flush(self) -> None:
        safe, self._recorded = self._recorded, []
        if self._onward:
            await self._onward.flush()
        self._desk.settle(safe)
