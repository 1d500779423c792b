"""`osler branch`: what if? Keep the beginning of a stored encounter and go on with another player."""

from __future__ import annotations

from typing import Annotated

import typer

from osler.cli.options import (
    AsJson,
    CacheUse,
    ConfigFile,
    MaxMoney,
    MaxTokens,
    Seats,
    StoreUrl,
    seats_given,
)
from osler.cli.output import command, say
from osler.cli.playing import AT_ONCE, PERSON, sit, store_flag, tell
from osler.cli.seating import Modelling, take_seats
from osler.seats.events import Seat
from osler.store.store import open_store
from osler.studies import branching


@command
def branch(
    episode: Annotated[
        str, typer.Argument(metavar="EPISODE", help="RUN:NUMBER, or an episode's key or its beginning.")
    ],
    at: Annotated[
        int,
        typer.Option(
            metavar="N",
            help="Keep the first N exchanges, as `osler show` numbers them; 0 keeps nothing.",
        ),
    ],
    doctor: Annotated[
        str | None, typer.Option(help="Who goes on as the doctor; any name that `osler consult` takes.")
    ] = None,
    tutor: Annotated[
        str | None, typer.Option(help="In a ward round, who goes on as the tutor; any name of `osler round`.")
    ] = None,
    examinee: Annotated[
        str | None,
        typer.Option(help="In a scenario, who goes on as the examinee; any name of `osler scenario play`."),
    ] = None,
    patient: Annotated[str | None, typer.Option(help="Who goes on as the patient.")] = None,
    controller: Annotated[
        str | None, typer.Option(help="In a scenario, who goes on as the environment's controller.")
    ] = None,
    examination: Annotated[str | None, typer.Option(help="Who goes on as the examination service.")] = None,
    consultant: Annotated[str | None, typer.Option(help="Who goes on as the consultant.")] = None,
    describer: Annotated[str | None, typer.Option(help="Who goes on as the describer.")] = None,
    seat: Seats = None,
    words: Annotated[
        str | None,
        typer.Option("--say", help="What the doctor says next, whoever the doctor is."),
    ] = None,
    repeats: Annotated[
        int,
        typer.Option(
            min=1, max=10_000, help="How often; the first with the parent's seed, others with new ones."
        ),
    ] = 1,
    concurrency: Annotated[int, typer.Option(min=1, max=4096, help="Episodes open at once.")] = AT_ONCE,
    config: ConfigFile = None,
    cache: CacheUse = "off",
    max_tokens: MaxTokens = None,
    max_money: MaxMoney = None,
    store: StoreUrl = None,
    as_json: AsJson = False,
) -> None:
    """Keep the first N exchanges of a stored encounter and go on from there, as a run of its own.

    Whoever is not named goes on as in the parent. Nobody is asked again for what is kept.
    """
    named: dict[Seat, str | None] = {
        "doctor": doctor,
        "tutor": tutor,
        "examinee": examinee,
        "patient": patient,
        "controller": controller,
        "examination": examination,
        "consultant": consultant,
        "describer": describer,
    }
    seats = {one: name for one, name in named.items() if name is not None} | seats_given(seat)
    modelling = Modelling(config, cache, max_tokens, max_money)
    with open_store(store, create=False) as opened:
        run_id, ordinal = opened.find_episode(episode)
        found = branching.branch(opened, run_id, ordinal, at, seats=seats, say=words, repeats=repeats)
        seated = take_seats(found.config, modelling)
        run = branching.begin(found, opened, seated.config, seated.more)
        say(f"a branch of {branching.branch_of(run)}")
        if found.over:
            say("all is kept, so nobody is asked: the branch ends as its parent did")
        elif at and PERSON in seated.config.players().values():
            say("/history shows what has been said so far")
        told = sit(run, opened, seated, modelling, concurrency, given=store, source=found.source)
        flag = store_flag(opened, store)
    tell([told], as_json, None, flag)
