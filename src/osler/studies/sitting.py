"""A sitting: one encounter, played as its questions are replied to from outside.

    sitting = world.sit(0)                          # or: await runs.sit(run, store, 0)
    now = await sitting.next()
    while isinstance(now, Pending):
        now = await sitting.step(my_reply(now), now.ticket)

The encounter runs beside its caller, in the same event loop. A step returns when its reply is on record, and
in a stored run committed, and something is asked again or the encounter has ended.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Self

from osler.encounter.table import Recorder
from osler.encounter.trace import ExchangeRow, InnerRow
from osler.errors import BadInput, Stale
from osler.players.external import Desk, Pending
from osler.seats.events import Seat
from osler.studies.played import Played


class Sitting:
    """An encounter with external seats. `play` plays it with the recorder it is given; rows are passed
    `onward`. Used with `async with`, it is left at the end of the block."""

    def __init__(
        self, desk: Desk, play: Callable[[Recorder], Awaitable[Played]], onward: Recorder | None = None
    ) -> None:
        self._desk, self._play = desk, play
        self._recorder = _Settling(desk, onward)
        self._task: asyncio.Task[Played] | None = None
        self._met, self._left = False, False

    @property
    def pending(self) -> dict[Seat, Pending]:
        """The open question of each external seat that has one."""
        return self._desk.pending

    def start(self) -> asyncio.Task[Played]:
        """Begin to play, where that has not happened yet; `next` and `step` do it themselves."""
        if self._left:
            raise BadInput("this sitting was left", mend="sit down again")
        if self._task is None:
            self._task = asyncio.create_task(self._whole())
            self._task.add_done_callback(lambda _: self._desk.settle(()))
        return self._task

    async def next(self) -> Pending | Played:
        """The question that has been open the longest, or the encounter that has ended.

        Raises InfrastructureFault where the world outside failed: sit down again to go on.
        """
        task, desk = self.start(), self._desk
        await desk.until(lambda: task.done() or (desk.is_settled and bool(desk.pending)))
        self._met = True
        if not task.done():
            return next(iter(desk.pending.values()))
        if task.cancelled():
            raise BadInput("this sitting was stopped", mend="sit down again")
        return task.result()

    async def step(self, reply: object, at: str | None = None, seat: Seat | None = None) -> Pending | Played:
        """Reply to the question with the ticket `at`, and wait for what comes next: with a refused reply the
        same question, under another ticket and with the reason.

        Raises Stale, and takes nothing, where that question is not open; BadInput where several seats wait
        and `seat` does not say whose reply it is.
        """
        if not self._met:
            await self.next()
        if self.start().done():
            raise Stale("the encounter has ended")
        self._desk.answer(reply, at, seat)
        return await self.next()

    async def leave(self) -> None:
        """Stop here. A reply that was given is put on record first; what is on record can be gone on with."""
        self._left, task = True, self._task
        if task is None:
            return
        await self._desk.until(lambda: task.done() or self._desk.is_settled)
        await asyncio.sleep(0)  # what has not begun yet has nobody to tidy up after it
        task.cancel()
        await asyncio.wait([task])
        if not task.cancelled():
            task.exception()  # whoever left need not hear of it

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.leave()

    async def _whole(self) -> Played:
        return await self._play(self._recorder)


class _Settling:
    """A recorder that tells the desk whose replies are safe."""

    def __init__(self, desk: Desk, onward: Recorder | None) -> None:
        self._desk, self._onward = desk, onward
        self._recorded: list[Seat] = []

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
