"""Whether there is room on the disk for a run: said before it begins, not when it stops in the middle."""

from __future__ import annotations

from typing import Any, Final

from osler.cli.output import say
from osler.core.config import Config
from osler.store.size import file_of
from osler.studies.disk import DiskForecast, disk_forecast, free_bytes, size_words

MANY: Final = 1000
"""Episodes from which on a run is weighed before it begins; fewer fit anywhere."""


def room_for(config: Config, store: str | None) -> dict[str, Any]:
    """Say what a run would take on disk, and warn where that is not free. `store` is `--store` as given."""
    found = disk_forecast(config)
    free = free_bytes(file_of(store))
    left = "" if free is None else f"; {size_words(free)} are free"
    say(
        f"{found.episodes:,} episodes would take about {size_words(found.total)} on disk"
        f" ({size_words(found.per_episode)} each){left}."
    )
    warn_if_full(found, store)
    return {
        "episodes": found.episodes,
        "bytes_per_episode": found.per_episode,
        "bytes": found.total,
        "free": free,
    }


def warn_if_full(found: DiskForecast, store: str | None) -> None:
    """Warn where a run is larger than what is free; it may begin all the same, and pauses when it is full."""
    free = free_bytes(file_of(store))
    if free is not None and found.total > free:
        say(
            f"osler: warning: the run would take about {size_words(found.total)} and only {size_words(free)}"
            " are free; when the disk is full the run pauses and can be resumed"
        )
