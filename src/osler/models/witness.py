"""Whether a request that failed for good failed alone, or whether its endpoint fails at every request.

A refusal (a 4xx), or the same failure at every try (time-outs, an internal error), may be due to what the
request says. Then only its episode is to end. It is due to the request if the endpoint answers others: those
it has answered meanwhile, or else a minimal probe.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Final

from osler.models.faults import Fault, Kind

_SETUP: Final = frozenset({Kind.AUTH, Kind.WRONG_MODEL, Kind.WRONG_ADDRESS})
"""Refusals that nearly always concern every request: only a probe, sent afterwards, shows otherwise."""


class Witness:
    """The evidence of an endpoint's answers in this session. `probe` asks it a minimal request, and `failed`
    is told of a failure that concerns them all. After `in_a_row` refusals without an answer between them, the
    answers before no longer count as evidence."""

    def __init__(
        self,
        probe: Callable[[], Awaitable[bool]],
        failed: Callable[[Fault], None],
        clock: Callable[[], float],
        in_a_row: int = 3,
    ) -> None:
        self.answered = False
        """Whether it has answered any request but a probe."""
        self._probe, self._failed, self._clock, self._most = probe, failed, clock, in_a_row
        self._refused = 0
        self._up_at = self._down_at = float("-inf")
        self._probing = asyncio.Lock()

    def answered_one(self) -> None:
        """Record that a request was answered, well or badly."""
        self.answered, self._refused = True, 0
        self._up_at = self._clock()

    def may_be_alone(self, fault: Fault, outcomes: Sequence[str]) -> bool:
        """Whether a failure may be due to what its request says; `outcomes` are those of all its tries."""
        if fault.kind is Kind.BAD_REQUEST:
            return True
        if fault.kind in _SETUP:
            return self.answered
        own = fault.kind is Kind.TIMEOUT or (fault.status == 500 and self.answered)
        return own and set(outcomes) == {str(fault.kind)}

    def question(self, fault: Fault, began: float) -> Callable[[], Awaitable[bool]]:
        """The question whether the endpoint answers others than the request that failed now; it was first
        sent at `began`."""
        failed_at = self._clock()
        self._refused += 1
        since = failed_at if fault.kind is Kind.BAD_REQUEST else began
        certain = fault.kind is Kind.BAD_REQUEST and self.answered and self._refused < self._most

        async def alone() -> bool:
            if certain or (fault.kind not in _SETUP and self._up_at > since):
                return True
            async with self._probing:  # one probe answers for all that failed before it
                if self._up_at > failed_at:
                    return True
                if self._down_at > failed_at:
                    return False
                if await self._probe():
                    self._up_at, self._refused = self._clock(), 0
                    return True
                self._down_at = self._clock()
                self._failed(fault)
                return False

        return alone
