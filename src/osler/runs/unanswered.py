"""The questions of an episode that wait for an answer, shown in the store while they wait."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Final

from osler.core.trace import AskedRow

SHOWN_AFTER_S: Final = 0.5
"""The time a question is open before it is stored: short enough for somebody who watches, and quick answers
cost nothing."""


class Unanswered:
    """The open questions of one episode. `put` hands one to the writer, `flush_soon` has it committed. For
    one event loop."""

    def __init__(self, put: Callable[[AskedRow], None], flush_soon: Callable[[], None]) -> None:
        self._put, self._flush_soon = put, flush_soon
        self._held: dict[int, asyncio.TimerHandle] = {}

    def asked(self, row: AskedRow, *, at_once: bool) -> None:
        """Hand a question on, at once (the caller flushes) or when it has been open for a moment."""
        row = row._replace(since=time.time())
        if at_once:
            self._put(row)
            return
        self._held[row.n] = asyncio.get_running_loop().call_later(SHOWN_AFTER_S, self._show, row)

    def answered(self, n: int) -> None:
        """Forget a question that is answered before it was handed on."""
        if self._held and (held := self._held.pop(n, None)):
            held.cancel()

    def close(self) -> None:
        """Forget all that have not been handed on."""
        for value in self._held.values():
            value.cancel()
        self._held.clear()

    def _show(self, row: AskedRow) -> None:
        del self._held[row.n]
        self._put(row)
        self._flush_soon()
