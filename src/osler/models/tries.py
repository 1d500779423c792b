"""One try of a request: what is sent, what comes back, and what is kept of it."""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Generic, NamedTuple, TypeVar

from yarl import URL

from osler.models.budget import Estimate
from osler.models.faults import Fault
from osler.models.types import Attempt, Rung, Sampled, Usage
from osler.models.wire import Reply

T = TypeVar("T")


class Raw(NamedTuple):
    """A response as it came."""

    status: int
    retry_after: str | None
    body: bytes


@dataclass(frozen=True, slots=True)
class Job(Generic[T]):
    """One request to send, with retries."""

    url: URL
    body: bytes
    seat: str
    wanted: Callable[[], Estimate]
    read: Callable[[bytes], T | Fault]
    rung: Rung = "text"
    sampled: Sampled | None = None
    once: bool = False
    """Whether an answer that the model itself spoilt, such as an empty one, is left to the caller."""


class Try(NamedTuple, Generic[T]):
    """The outcome of one try."""

    answer: T | Fault
    usage: Usage
    latency_s: float


def attempt_of(job: Job[T], sent: Try[T], wrong: Fault | None, text: str = "") -> Attempt:
    """The record of a try."""
    return Attempt(
        outcome="ok" if wrong is None else wrong.kind.value,
        detail="" if wrong is None else wrong.detail,
        rung=job.rung,
        text=text,
        usage=sent.usage,
        latency_s=sent.latency_s,
        finish_reason=sent.answer.finish_reason if isinstance(sent.answer, Reply) else None,
        reasoning=sent.answer.reasoning if isinstance(sent.answer, Reply) else None,
        sampled=job.sampled,
    )


# The log of requests that failed and are sent again


LOGGER: Final = logging.getLogger("osler.models")
EVERY_S: Final = 5.0
MANY: Final = 10
"""The failed requests within `EVERY_S` that make a warning."""


class RetryLog:
    """The log of one endpoint's failed requests."""

    def __init__(self, endpoint: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._endpoint, self._clock = endpoint, clock
        self._since, self._counts = float("-inf"), Counter[str]()

    def failed(self, fault: Fault, wait_s: float) -> None:
        """Log a request that failed and is sent again after `wait_s` seconds."""
        kind = fault.kind.replace("_", " ")
        LOGGER.debug("endpoint %s: %s; again in %.1f s: %s", self._endpoint, kind, wait_s, fault.detail)
        now = self._clock()
        if self._since == float("-inf"):
            self._since = now
        self._counts[kind] += 1
        if now - self._since >= EVERY_S:
            self.flush()

    def given_up(self, fault: Fault, tries: int) -> None:
        """Log a request that is not sent again."""
        self.flush()
        times = "1 try" if tries == 1 else f"{tries} tries"
        LOGGER.info("endpoint %s: given up after %s: %s", self._endpoint, times, fault.kind.replace("_", " "))

    def flush(self) -> None:
        """Log the counts since the last line, if there are any."""
        if count := self._counts.total():
            text = ", ".join(f"{many} {kind}" for kind, many in self._counts.most_common())
            what = "1 request failed and is" if count == 1 else f"{count} requests failed and are"
            level = logging.WARNING if count >= MANY else logging.INFO
            LOGGER.log(level, "endpoint %s: %s sent again (%s)", self._endpoint, what, text)
        self._since, self._counts = self._clock(), Counter()
