"""The circuit breaker of an endpoint: after several calls in a row failed for good, no more are sent."""

from __future__ import annotations

import time
from collections.abc import Callable

from osler.models.faults import EndpointFault, Fault, Kind


class Breaker:
    """A circuit breaker. It opens after `after` consecutive calls failed; `cool_s` seconds later one call may
    try again, and its success closes the breaker."""

    def __init__(
        self,
        endpoint: str,
        *,
        after: int = 3,
        cool_s: float = 60.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._endpoint, self._after, self._cool_s, self._clock = endpoint, after, cool_s, clock
        self._failures = 0
        self._refuse_until: float | None = None
        self._last = ""

    @property
    def open(self) -> bool:
        """Whether the endpoint is considered down."""
        return self._refuse_until is not None

    def refuse(self) -> None:
        """Raise EndpointFault while the breaker is open and has not cooled."""
        if self._refuse_until is not None and self._clock() < self._refuse_until:
            detail = f"{self._failures} calls in a row failed; the last: {self._last}"
            raise EndpointFault(self._endpoint, Fault(Kind.BREAKER_OPEN, detail))

    def admit(self) -> None:
        """Like `refuse`; if an open breaker has cooled, this call is the one that tries again."""
        self.refuse()
        if self._refuse_until is not None:
            self._refuse_until = self._clock() + self._cool_s

    def succeeded(self) -> None:
        """Record that the endpoint answered, well or badly: it is up."""
        self._failures, self._refuse_until = 0, None

    def failed(self, fault: Fault) -> None:
        """Record that a call failed after all its retries."""
        self._failures += 1
        self._last = fault.kind.replace("_", " ")
        if self._failures >= self._after and self._refuse_until is None:
            self._refuse_until = self._clock() + self._cool_s
