"""What the log says of requests that failed and are sent again: a line every few seconds, with counts.

Logger `osler.models`. Each failed request is logged at level DEBUG with the endpoint's own words; counts are
logged at INFO, and at WARNING when there are many. No prompt, no answer and no key is ever logged.
"""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Callable
from typing import Final

from osler.models.faults import Fault

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
            told = ", ".join(f"{many} {kind}" for kind, many in self._counts.most_common())
            what = "1 request failed and is" if count == 1 else f"{count} requests failed and are"
            level = logging.WARNING if count >= MANY else logging.INFO
            LOGGER.log(level, "endpoint %s: %s sent again (%s)", self._endpoint, what, told)
        self._since, self._counts = self._clock(), Counter()
