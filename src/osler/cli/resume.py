"""`osler resume`: a run that stopped, continued where it stopped."""

from __future__ import annotations

import os
from typing import Annotated

import typer

import osler
from osler.cli.continuing import store_flag
from osler.cli.model_options import takes_models
from osler.cli.options import AT_ONCE, AsJson, Concurrency, FailUnder, RunName, Spread, StoreUrl, takes_spread
from osler.cli.output import command, say
from osler.cli.playing import sit, tell
from osler.cli.processes import PlayOptions, check_spread
from osler.cli.terminal import Terminal
from osler.models.budget import limits_in
from osler.runs import run as runs
from osler.runs.seating import ModelOptions, keep_budget, open_cast
from osler.store.store import open_store


@command
@takes_spread
@takes_models(begins=False)
def resume(
    run: RunName,
    concurrency: Concurrency = AT_ONCE,
    restart_diverged: Annotated[
        bool, typer.Option("--restart-diverged", help="Play diverged episodes again from the beginning.")
    ] = False,
    retry_failed: Annotated[
        bool,
        typer.Option(
            "--retry-failed",
            help="Go on with episodes that faults of endpoints or players ended, where their record stands.",
        ),
    ] = False,
    *,
    modelling: ModelOptions,
    over: Spread,
    fail_under: FailUnder = None,
    store: StoreUrl = None,
    as_json: AsJson = False,
) -> None:
    """Continue a run where it stopped, or join processes playing it; nothing recorded is asked again."""
    with open_store(store, create=False) as opened:
        if restart_diverged:
            say(f"{runs.forget_diverged(opened.run(run), opened)} diverged episodes start over")
        if retry_failed:
            say(f"{runs.forget_faults(opened.run(run), opened)} episodes that faults ended go on")
        result = opened.run(run)
        begun = result.manifest["configuration"].get("osler")
        if result.done < result.planned and begun != osler.__version__:
            say(f"begun with Osler {begun}, played on with {osler.__version__}: its figures mix the two")
        if modelling.within(limits_in(result.manifest)) != modelling:
            say("within the budget that it keeps; --max-money and --token-budget set another")
        seated = open_cast(runs.config_of(result), modelling, channel=Terminal(), resumed=(result, opened))
        check_spread(over, [seated.config], store)
        if os.environ.get(runs.STARTED_BY) != result.name:  # a server's limits may be its own
            keep_budget(result, opened, seated)
        how = PlayOptions(modelling, concurrency, over, store)
        told = sit(result, opened, seated, how, as_json=as_json)
        flag = store_flag(opened, store)
    tell([told], as_json, fail_under, flag)
