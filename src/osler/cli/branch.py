"""`osler branch`: a counterfactual. Keep the start of a stored encounter and continue with another player."""

from __future__ import annotations

from typing import Annotated

import typer

from osler.cli.bundled import bundled
from osler.cli.continuing import store_flag
from osler.cli.grouped_help import panel
from osler.cli.model_options import takes_models
from osler.cli.options import (
    AT_ONCE,
    AsJson,
    Concurrency,
    Seats,
    StoreUrl,
    seats_given,
)
from osler.cli.output import command, say
from osler.cli.playing import sit, tell
from osler.cli.processes import PlayOptions
from osler.cli.terminal import Terminal
from osler.core.config import config_named
from osler.core.events import Seat
from osler.core.option import options_of
from osler.core.registry import OURS
from osler.core.role import PERSON
from osler.runs import branching
from osler.runs.seating import ModelOptions, open_cast
from osler.store.store import open_store

_SEATS = dict.fromkeys(
    one.path[-1]
    for name in OURS
    for one in options_of(config_named(name))
    if one.option.group == "seats" and one.type is str
)
_takes_seats = bundled(
    "named",
    {
        seat: (
            Annotated[
                str | None,
                typer.Option(
                    metavar="NAME",
                    help=f"The player who continues as {seat}.",
                    rich_help_panel=panel("seats", first=True),
                ),
            ],
            None,
        )
        for seat in _SEATS
    },
    lambda **named: {seat: name for seat, name in named.items() if name is not None},
)


@command
@_takes_seats
@takes_models()
def branch(
    episode: Annotated[
        str, typer.Argument(metavar="EPISODE", help="RUN:NUMBER, or an episode's key or a prefix of it.")
    ],
    at: Annotated[
        int,
        typer.Option(
            metavar="N",
            help="Keep the first N exchanges, as numbered by `osler show`; 0 keeps none.",
        ),
    ],
    seat: Seats = None,
    words: Annotated[
        str | None,
        typer.Option("--say", help="Replace the doctor's next utterance with this text."),
    ] = None,
    repeats: Annotated[
        int,
        typer.Option(
            min=1,
            max=10_000,
            help="Number of branches; the first keeps the parent's seed, the others get new ones.",
        ),
    ] = 1,
    concurrency: Concurrency = AT_ONCE,
    *,
    named: dict[Seat, str],
    modelling: ModelOptions,
    store: StoreUrl = None,
    as_json: AsJson = False,
) -> None:
    """Keep the first N exchanges of a stored encounter and play on from there, as a separate run.

    The encounter may still be played, or be interrupted; it goes on unchanged. Seats that are not named keep
    the parent's player. The kept exchanges are replayed, not asked again.
    """
    seats = named | seats_given(seat)
    with open_store(store, create=False) as opened:
        run_id, ordinal = opened.find_episode(episode)
        result = branching.branch(opened, run_id, ordinal, at, seats=seats, say=words, repeats=repeats)
        modelling = modelling.under_test([result.config]).after(opened.info(run_id))
        seated = open_cast(result.config, modelling, channel=Terminal())
        run = branching.begin(result, opened, seated.config, seated.more, seated.about)
        say(f"a branch of {branching.branch_of(run)}")
        if result.over:
            say("every exchange is kept, so no player is asked: the branch ends as its parent did")
        elif at and PERSON in seated.config.players().values():
            say("/history shows what has been said so far")
        how = PlayOptions(modelling, concurrency, store=store)
        figures = sit(run, opened, seated, how, source=result.source, as_json=as_json)
        flag = store_flag(opened, store)
    tell([figures], as_json, None, flag)
