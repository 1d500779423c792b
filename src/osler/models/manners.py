"""The policies of a model client. They stand apart from it, for it imports the network library."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from osler.models.faults import Retry


@dataclass(frozen=True, slots=True)
class Manners:
    """The policies of a client: its retries, how often a model may repair an answer, and when its breaker
    opens.
    Time is injected so that tests need not wait."""

    retry: Retry = field(default_factory=Retry)
    max_repairs: int = 2
    breaker_after: int = 3
    breaker_cool_s: float = 60.0
    sleep: Callable[[float], Awaitable[object]] = asyncio.sleep
    clock: Callable[[], float] = time.perf_counter
