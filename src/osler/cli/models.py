"""Models for the commands that play. Imported only if a seat names one: the client is slow to import."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rich.table import Table

from osler.cli.output import result, say
from osler.cli.seating import Modelling
from osler.core.config import Config as Run
from osler.errors import BadInput
from osler.models.budget import Limits
from osler.models.cache import Cache, CacheMode
from osler.models.config import Config, find_config, load_config
from osler.models.open_models import Models, models_of
from osler.reports.tables import number
from osler.runs.dry_run import forecast, unweighed
from osler.runs.usage import Used, ledger_of, usage
from osler.store.records import RunInfo
from osler.store.store import Store

CACHE = Path("osler-cache.db")


def configured(path: Path | None) -> Config:
    """The configuration to use: the given file, else OSLER_CONFIG, else ./osler.toml."""
    return load_config(find_config(path))


def open_models(
    players: list[str],
    config: Config,
    *,
    used: Used | None = None,
    cache: CacheMode = "off",
    max_tokens: int | None = None,
    max_money: float | None = None,
) -> Models:
    """The models for players named `model:NAME`, with budgets that include what earlier sittings used.

    Raises BadInput for an endpoint that is not configured and a key that is not set.
    """
    limits = Limits(tokens=max_tokens, money=max_money)
    models = Models(
        config,
        ledger=ledger_of(used or {}),
        limits=limits if max_tokens is not None or max_money is not None else None,
        cache=Cache(CACHE) if cache != "off" else None,
        cache_mode=cache,
    )
    for player in players:
        models.client(player.split(":", 1)[1])
    return models


def seated(
    players: list[str], config: Config, modelling: Modelling, resumed: tuple[RunInfo, Store] | None
) -> Models:
    """The models of a new or `resumed` run, with budgets that include what earlier sittings used."""
    used = None
    if resumed:
        check_same_models(resumed[0], config, players)
        used = used_by(*resumed, config)
    return open_models(
        players,
        config,
        used=used,
        cache=modelling.cache,
        max_tokens=modelling.max_tokens,
        max_money=modelling.max_money,
    )


def check_same_models(run: RunInfo, config: Config, players: list[str]) -> None:
    """Raise BadInput if an endpoint now serves a different model than when the run began."""
    before: dict[str, str] = run.manifest["configuration"].get("models", {})
    now = models_of(config, players)
    for name, model in before.items():
        if now.get(name) != model:
            raise BadInput(
                f"endpoint {name} was {model} when this run began and is {now.get(name)} now",
                where=run.name,
                mend="restore that model, or start another run",
            )


def used_by(run: RunInfo, store: Store, config: Config) -> Used:
    """The usage of a run's models so far."""
    return usage(store, run.id, config)


def usage_table(used: Used) -> Table:
    """The usage table by seat and endpoint."""
    names = ("replies", "calls", "prompt_tokens", "completion_tokens", "cached_tokens", "cost")
    table = Table(
        "seat", "endpoint", "replies", "calls", "sent", "answered", "cached", "cost", title="Tokens"
    )
    for seat, endpoints in used.items():
        for name, row in endpoints.items():
            cells = [row.get(count) for count in names]
            shown = ["unknown" if cell is None else f"{cell:,}" for cell in cells]
            table.add_row(seat, name, *shown)
    return table


def dry_run(config: Run, endpoints: Config, disk: dict[str, Any], as_json: bool) -> None:
    """Print an estimate of a run's usage and cost; `disk` is its estimated disk space. Asks no model."""
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
    say(f"An estimate for {episodes:,} episodes; no model was asked.")
    result(as_json, value, table)
