"""Whoever has an answer goes on a few at a time, so that the network is not kept waiting by a crowd.

Answers come in bursts. If all that they set off (parsing, judging, the next prompt) ran in one turn of the
event loop, requests ready to be sent and answers ready to be read would wait for all of it, with slots empty.
"""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Final

AT_ONCE: Final = 8
"""Enough that what they store is committed together, few enough that the network waits only milliseconds."""


class Turns:
    """Lets through at most `at_once` callers in each turn of the event loop, in order."""

    def __init__(self, at_once: int = AT_ONCE) -> None:
        self._at_once = at_once
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._called = False

    async def take(self) -> None:
        """Wait for a turn."""
        loop = asyncio.get_running_loop()
        turn = loop.create_future()
        self._waiting.append(turn)
        if not self._called:
            self._called = True
            loop.call_soon(self._call, loop)
        await turn

    def _call(self, loop: asyncio.AbstractEventLoop) -> None:
        for _ in range(min(self._at_once, len(self._waiting))):
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(None)
        self._called = bool(self._waiting)
        if self._called:
            loop.call_soon(self._call, loop)
