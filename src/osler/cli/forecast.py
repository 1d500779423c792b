"""Estimates before a run begins: its disk space, and with `--dry-run` its models' usage and cost."""

from __future__ import annotations

from typing import Any, Final

from rich.table import Table

from osler.cli.output import result, say
from osler.core.config import Config
from osler.models.config import Config as Endpoints
from osler.reports.cells import number
from osler.runs.disk import DiskForecast, disk_forecast, free_bytes, size_words
from osler.runs.dry_run import forecast, unweighed
from osler.runs.seating import ModelOptions, models_named
from osler.store.size import file_of

MANY: Final = 1000
"""Runs with at least this many episodes are checked before they begin; smaller ones fit anywhere."""


def estimate(config: Config, options: ModelOptions, store: str | None, as_json: bool) -> None:
    """Print an estimate of a run's disk space and its models' usage (dry run); no player is asked."""
    disk = room_for(config, store)
    if models_named(config):
        _estimate_usage(config, options.under_test([config]).endpoints(), disk, as_json)
    else:
        result(as_json, {"episodes": disk["episodes"], "disk": disk})


def room_for(config: Config, store: str | None) -> dict[str, Any]:
    """Report the disk space a run would take, and warn if there is less. `store` is `--store` as given."""
    disk = disk_forecast(config)
    free = free_bytes(file_of(store))
    left = "" if free is None else f"; {size_words(free)} are free"
    say(
        f"{disk.episodes:,} episodes would take about {size_words(disk.total)} on disk"
        f" ({size_words(disk.per_episode)} each){left}."
    )
    warn_if_full(disk, store)
    return {
        "episodes": disk.episodes,
        "bytes_per_episode": disk.per_episode,
        "bytes": disk.total,
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


def _estimate_usage(config: Config, endpoints: Endpoints, disk: dict[str, Any], as_json: bool) -> None:
    episodes, seats = forecast(config, endpoints)
    table = Table("seat", "calls", "tokens sent", "tokens answered", "cost")
    for seat, found in seats.items():
        cost = "unknown: no prices" if found.cost is None else number(found.cost, False)
        tokens = (f"{found.prompt_tokens:,}", f"{found.completion_tokens:,}")
        table.add_row(seat, f"{found.calls:,}", *tokens, cost)
    costs = [found.cost for found in seats.values()]
    value: dict[str, Any] = {
        "episodes": episodes,
        "calls": sum(found.calls for found in seats.values()),
        "prompt_tokens": sum(found.prompt_tokens for found in seats.values()),
        "completion_tokens": sum(found.completion_tokens for found in seats.values()),
        "cost": None if None in costs else sum(cost or 0.0 for cost in costs),
        "seats": {seat: found._asdict() for seat, found in seats.items()},
        "not_weighed": unweighed(config),
        "disk": disk,
    }
    for seat, notes in unweighed(config).items():
        for note in notes:
            say(f"not in the estimate for {seat}: {note}")
    say(
        f"An estimate for {episodes:,} episodes of as many turns as the built-in players take;"
        " a model may take fewer or more. No model was asked."
    )
    result(as_json, value, table)
