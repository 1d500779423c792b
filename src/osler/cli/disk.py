"""The disk space check before a run begins, so that it does not stop half-way."""

from __future__ import annotations

from typing import Any, Final

from osler.cli.output import say
from osler.core.config import Config
from osler.runs.disk import DiskForecast, disk_forecast, free_bytes, size_words
from osler.store.size import file_of

MANY: Final = 1000
"""Runs with at least this many episodes are checked before they begin; smaller ones fit anywhere."""


def room_for(config: Config, store: str | None) -> dict[str, Any]:
    """Report the disk space a run would take, and warn if there is less. `store` is `--store` as given."""
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
    """Warn if a run needs more space than is free; it may begin anyway, and pauses when the disk is full."""
    free = free_bytes(file_of(store))
    if free is not None and found.total > free:
        say(
            f"osler: warning: the run would take about {size_words(found.total)} and only {size_words(free)}"
            " are free; when the disk is full the run pauses and can be resumed"
        )
