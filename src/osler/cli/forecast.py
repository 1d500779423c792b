"""Estimates before a run begins: its disk space, and with `--dry-run` its models' usage and cost."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import mean
from typing import Any, Final

from rich.table import Table

from osler.cli.output import result, say
from osler.core.config import Config
from osler.models.config import Config as Endpoints
from osler.reports.cells import number
from osler.runs.disk import DiskForecast, disk_forecast, free_bytes, size_words
from osler.runs.dry_run import forecast, together, unweighed
from osler.runs.seating import ModelOptions, models_named
from osler.store.size import file_of

MANY: Final = 1000
"""Runs with at least this many episodes are checked before they begin; smaller ones fit anywhere."""


def estimate(configs: Sequence[Config], options: ModelOptions, store: str | None, as_json: bool) -> None:
    """Print an estimate of the runs' disk space and their models' usage (dry run); no player is asked."""
    disk = room_for(configs, store)
    if asking := [config for config in configs if models_named(config)]:
        _estimate_usage(asking, options.under_test(configs).endpoints(), disk, as_json)
    else:
        result(as_json, {"episodes": disk["episodes"], "disk": disk})


def room_for(configs: Sequence[Config], store: str | None) -> dict[str, Any]:
    """Report the disk space that runs would take, and warn if there is less. `store` is `--store`."""
    parts = [disk_forecast(config) for config in configs]
    episodes, total = sum(one.episodes for one in parts), sum(one.total for one in parts)
    disk = DiskForecast(episodes, round(mean(one.per_episode for one in parts)), total)
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


def _estimate_usage(
    configs: Sequence[Config], endpoints: Endpoints, disk: dict[str, Any], as_json: bool
) -> None:
    """Print the usage by seat, summed over the runs that ask models."""
    parts = [forecast(config, endpoints)[1] for config in configs]
    seats = {seat: together(part[seat] for part in parts if seat in part) for part in parts for seat in part}
    table = Table("seat", "calls", "tokens sent", "tokens answered", "cost")
    for seat, usage in seats.items():
        cost = "unknown: no prices" if usage.cost is None else number(usage.cost, False)
        tokens = (f"{usage.prompt_tokens:,}", f"{usage.completion_tokens:,}")
        table.add_row(seat, f"{usage.calls:,}", *tokens, cost)
    whole = together(seats.values())
    notes = {seat: held for config in configs for seat, held in unweighed(config).items()}
    value: dict[str, Any] = {
        "episodes": disk["episodes"],
        "calls": whole.calls,
        "prompt_tokens": whole.prompt_tokens,
        "completion_tokens": whole.completion_tokens,
        "cost": whole.cost,
        "seats": {seat: usage._asdict() for seat, usage in seats.items()},
        "not_weighed": notes,
        "disk": disk,
    }
    for seat, of_seat in notes.items():
        for note in of_seat:
            say(f"not in the estimate for {seat}: {note}")
    say(
        f"An estimate for {disk['episodes']:,} episodes of as many turns as the built-in players take;"
        " a model may take fewer or more. No model was asked."
    )
    result(as_json, value, table)
