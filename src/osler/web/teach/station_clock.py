"""The station clock: wall times of one learner's sitting from what the teacher set."""

from __future__ import annotations

from osler.web.teach.schemas import StationClock


def times_of(station: StationClock, began: float, extra: int) -> dict[str, float]:
    """When the reading time, the bell and the end of a sitting that began at this time come, for a learner
    with `extra` per cent more time. The bell never rings before the reading time is over."""
    longer = (100 + extra) / 100
    reading_ends = began + station.reading_s * longer
    ends = reading_ends + station.minutes * 60 * longer
    return {"reading_ends": reading_ends, "bell": max(reading_ends, ends - station.bell_s), "ends": ends}
