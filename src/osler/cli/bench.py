"""`osler bench`: the benchmark, the same for everybody, and its card."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import blake2b
from pathlib import Path
from typing import Annotated, Any

import typer
from pydantic_core import to_json
from rich.table import Table as Shown

import osler
from osler.cli.bench_sharing import bench_export, bench_submit, bench_verify
from osler.cli.continuing import leave_unfinished, store_flag
from osler.cli.model_options import takes_models
from osler.cli.options import (
    AT_ONCE,
    AsJson,
    Concurrency,
    DryRun,
    Seats,
    Spread,
    StoreUrl,
    seats_given,
    takes_spread,
)
from osler.cli.output import add_row, command, result, say
from osler.cli.playing import play_found
from osler.cli.processes import PlayOptions, check_spread
from osler.core.config import Config
from osler.files import write_whole
from osler.knowledge import fingerprint
from osler.runs import run as runs
from osler.runs.disk import episodes_of
from osler.runs.dry_run import forecast, together
from osler.runs.seating import ModelOptions, models_named
from osler.store.records import RunInfo
from osler.store.store import Store, open_store
from osler.studies.bench.card import PlayedCondition, card_of, html, json_text, markdown
from osler.studies.bench.card_tables import card_shown
from osler.studies.bench.tables import TEST, Condition, conditions, packaged

CARD = "card"
app = typer.Typer(invoke_without_command=True)
app.command("submit")(bench_submit)
app.command("verify")(bench_verify)
app.command("export")(bench_export)


@app.callback()
@command
@takes_spread
@takes_models(settings=False)
def bench(
    context: typer.Context,
    quick: Annotated[
        bool, typer.Option("--quick", help="A part of the cases, in about two minutes.")
    ] = False,
    seat: Seats = None,
    split: Annotated[
        str, typer.Option(help="test: for figures that are shown; dev: for tuning, other worlds.")
    ] = TEST,
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Write card.json, card.md and card.html there.", show_default=False),
    ] = None,
    concurrency: Concurrency = AT_ONCE,
    dry_run: DryRun = False,
    *,
    modelling: ModelOptions,
    over: Spread,
    store: StoreUrl = None,
    as_json: AsJson = False,
) -> None:
    """Play the benchmark: fixed cases, seeds and limits in all protocols, beside trivial players and oracles.

    Name your player by its seat: --seat doctor=model:NAME --seat tutor=model:NAME. Interrupted, the same
    command goes on; what was played before is not played again. `osler bench submit` shares runs with all
    that their figures rest on, and `osler bench verify` computes those again.
    """
    if context.invoked_subcommand is not None:
        return
    given = seats_given(seat)
    chosen = packaged()
    wanted = conditions(chosen, split, quick=quick, seats=given)
    tested = {one.config.plays.under_test for one in wanted}
    check_spread(over, [one.config for one in wanted], store)
    if dry_run:
        _estimate(wanted, modelling, as_json)
        return
    say(f"{len(wanted)} runs: {', '.join(dict.fromkeys(one.table.name for one in wanted))}.")
    with open_store(store) as opened:
        flag = store_flag(opened, store)
        result = []
        for one in wanted:
            title = f"{one.table.name}, {one.player}"
            sitting = play_found(
                one.config,
                _finder(opened),
                opened,
                PlayOptions(modelling, concurrency, over, store),
                title=title,
            )
            if sitting.status != "done":
                say("The same osler bench goes on from here.")
            leave_unfinished(sitting, flag, modelling, as_json)
            result.append(PlayedCondition(one, sitting.run))
        card = card_of(chosen, split, result, opened, quick=quick, standard=given.keys() <= tested)
    files = _written(card, out) if out is not None else []
    _show(card, files, as_json)


def _finder(store: Store) -> Callable[[Config, Any], RunInfo]:
    def find(config: Config, more: Any) -> RunInfo:
        """Return the run of this configuration, begun before or now."""
        source = runs.opened(config)
        written = to_json(config.model_dump(mode="json")).decode()
        parts = (osler.__version__, fingerprint(), source.fingerprint, written)
        key = blake2b("\x1f".join(parts).encode(), digest_size=16).hexdigest()
        for run in store.runs():
            if run.manifest.get("bench") == key:
                return run
        return runs.begin(config, store, more, source, about={"bench": key})

    return find


def _written(card: dict[str, Any], out: Path) -> list[str]:
    texts = {"json": json_text(card), "md": markdown(card), "html": html(card)}
    for ending, text in texts.items():
        write_whole(out / f"{CARD}.{ending}", text)
    return [str(out / f"{CARD}.{ending}") for ending in texts]


def _show(card: dict[str, Any], files: list[str], as_json: bool) -> None:
    value = {"card": files[0] if files else None, "files": files, **card}
    result(as_json, value, *card_shown(card))
    say(f"Card {card['hash']}{': ' + ', '.join(files) if files else '; --out DIR writes it'}")


def _estimate(wanted: list[Condition], modelling: ModelOptions, as_json: bool) -> None:
    """Print the encounters of each run, and the calls, tokens and cost of those with models."""
    grid, rows = Shown("table", "player", "encounters", "calls", "tokens", "cost"), []
    for one in wanted:
        row: dict[str, Any] = {"table": one.table.name, "player": one.player}
        if models_named(one.config):
            episodes, seats = forecast(one.config, modelling.endpoints())
            usage = together(seats.values())
            row |= {
                "episodes": episodes,
                "calls": usage.calls,
                "tokens": usage.prompt_tokens + usage.completion_tokens,
                "cost": usage.cost,
            }
        else:
            row |= {"episodes": episodes_of(one.config), "calls": 0, "tokens": 0, "cost": 0.0}
        rows.append(row)
        cost = "unknown: no prices" if row["cost"] is None else f"{row['cost']:.4g}"
        counts = (f"{row[name]:,}" for name in ("episodes", "calls", "tokens"))
        add_row(grid, one.table.name, one.player, *counts, cost)
    if any(models_named(one.config) for one in wanted):
        say("An estimate of as many turns as the built-in players take. No model was asked.")
    costs = [row["cost"] for row in rows]
    whole: dict[str, Any] = {name: sum(row[name] for row in rows) for name in ("episodes", "calls", "tokens")}
    whole["cost"] = None if None in costs else sum(costs)
    result(as_json, {"runs": rows, **whole}, grid)
    price = "unknown: no prices" if whole["cost"] is None else f"{whole['cost']:.4g}"
    say(
        f"In all {whole['episodes']:,} encounters, {whole['calls']:,} calls, {whole['tokens']:,} tokens,"
        f" cost {price}."
    )
