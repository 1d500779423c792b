"""The clock of a sitting in wall time, which stands still while the sitting is stopped.

All times are seconds since 1970 (UTC); a clock is `{"reading_ends", "bell", "ends"}` in what a sitting keeps
beside its record.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

CLOCK: Final = "clock"
TAKEN_ONCE: Final = "a station with a clock is taken once"
ASK: Final = "your teacher can let you begin again"
HELD_SINCE: Final = "held_since"
HELD_S: Final = "held_s"


def standing_at(more: Mapping[str, Any], now: float) -> dict[str, float] | None:
    """The clock as it is to be shown now, `None` without one: later by the time for which it stands still."""
    clock: Mapping[str, float] | None = more.get(CLOCK)
    return None if clock is None else _later(clock, _held(more, now))


def gone_on(more: Mapping[str, Any], now: float) -> dict[str, Any]:
    """The entries to keep when a stopped sitting goes on: the clock moved by the time it stood still, and all
    that time together."""
    held = _held(more, now)
    entries: dict[str, Any] = {HELD_SINCE: None, HELD_S: more.get(HELD_S, 0.0) + held}
    clock = standing_at(more, now)
    return entries if clock is None else {**entries, CLOCK: clock}


def is_reading(more: Mapping[str, Any], now: float) -> bool:
    """Whether it is still the time to read the instructions."""
    clock = standing_at(more, now)
    return clock is not None and now < clock["reading_ends"]


def is_over(more: Mapping[str, Any], now: float) -> bool:
    """Whether the clock has run out."""
    clock = standing_at(more, now)
    return clock is not None and now >= clock["ends"]


def _held(more: Mapping[str, Any], now: float) -> float:
    since = more.get(HELD_SINCE)
    return max(0.0, now - since) if since else 0.0


def _later(clock: Mapping[str, float], seconds: float) -> dict[str, float]:
    return {name: at + seconds for name, at in clock.items()}
