"""`osler resume`: continue a run of any protocol."""

from __future__ import annotations

from typing import Annotated

import typer

from osler.cli.options import (
    AsJson,
    CacheUse,
    ConfigFile,
    FailUnder,
    MaxMoney,
    MaxTokens,
    RunName,
    StoreUrl,
)
from osler.cli.output import command, say
from osler.cli.playing import AT_ONCE, sit, store_flag, tell
from osler.cli.terminal import Terminal
from osler.runs import run as runs
from osler.runs.seating import ModelOptions, open_cast
from osler.store.store import open_store


@command
def resume(
    run: RunName,
    concurrency: Annotated[
        int, typer.Option(min=1, max=4096, help="Episodes played concurrently.")
    ] = AT_ONCE,
    restart_diverged: Annotated[
        bool, typer.Option("--restart-diverged", help="Play diverged episodes again from the beginning.")
    ] = False,
    config: ConfigFile = None,
    cache: CacheUse = "off",
    max_tokens: MaxTokens = None,
    max_money: MaxMoney = None,
    fail_under: FailUnder = None,
    store: StoreUrl = None,
    as_json: AsJson = False,
) -> None:
    """Continue a run where it stopped, or join processes playing it; nothing recorded is asked again."""
    with open_store(store, create=False) as opened:
        if restart_diverged:
            say(f"{runs.forget_diverged(opened.run(run), opened)} diverged episodes start over")
        found = opened.run(run)
        modelling = ModelOptions(config, cache, max_tokens, max_money)
        seated = open_cast(runs.config_of(found), modelling, channel=Terminal(), resumed=(found, opened))
        told = sit(found, opened, seated, modelling, concurrency, given=store)
        flag = store_flag(opened, store)
    tell([told], as_json, fail_under, flag)
