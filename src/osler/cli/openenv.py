"""`osler openenv`: a server of encounters for trainers that speak OpenEnv."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from osler.cli.field_options import Fields, configured, takes_fields
from osler.cli.model_options import takes_models
from osler.cli.options import AsJson, Seats, Sets, seats_given
from osler.cli.output import command, out, say
from osler.core.config import Config
from osler.core.registry import protocol_named
from osler.core.role import EXTERNAL
from osler.errors import BadInput, install_line

if TYPE_CHECKING:
    from osler.runs.seating import ModelOptions


@command
@takes_fields(Config)
@takes_models(begins=False)
def openenv(
    protocol: Annotated[
        str, typer.Argument(help="consultation, ward_round, scenario, or one from a plug-in.")
    ],
    cases: Annotated[
        str, typer.Argument(metavar="CASES", help="`library`, or a file or folder the protocol can read.")
    ] = "library",
    reward: Annotated[
        str | None,
        typer.Option(
            metavar="MEASURE",
            help="The measure that is the reward.  [default: the headline]",
            show_default=False,
        ),
    ] = None,
    score: Annotated[
        list[str] | None,
        typer.Option(
            metavar="MEASURE",
            help="A measure to show beside the reward at the end. May be repeated.",
            show_default=False,
        ),
    ] = None,
    sees: Annotated[bool, typer.Option("--sees", help="Show the policy the cases' pictures.")] = False,
    seat: Seats = None,
    sets: Sets = None,
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port; 0 picks a free one.")] = 8000,
    sessions: Annotated[int, typer.Option(min=1, max=4096, help="Sessions open at the same time.")] = 64,
    idle: Annotated[
        float, typer.Option(min=1, metavar="SECONDS", help="A session that does nothing for longer is left.")
    ] = 3600,
    *,
    fields: Fields,
    modelling: ModelOptions,
    as_json: AsJson = False,
) -> None:
    """Serve encounters to a trainer (OpenEnv): its policy takes the seat under test. Until Ctrl-C."""
    result = protocol_named(protocol)
    seats = {result.under_test: EXTERNAL, **seats_given(seat)}
    config, player = configured(result.config, {"cases": cases, **fields}, seats, sets or [])
    if player != EXTERNAL:
        raise BadInput(
            f"the {result.under_test} is the policy that is trained",
            where=f"--seat {result.under_test}={player}",
            hint="name players for other seats",
        )
    from osler.cli.continuing import sigterm_as_ctrl_c  # noqa: PLC0415 - import time
    from osler.runs.seating import with_models  # noqa: PLC0415 - import time

    config, models = with_models(config.seated({result.under_test: EXTERNAL}), modelling)
    try:
        from osler.adapters.openenv import app as serving  # noqa: PLC0415 - seldom installed
        from osler.adapters.openenv.encounters import Encounters  # noqa: PLC0415 - as above
    except ImportError as error:
        raise BadInput(f"OpenEnv is not installed ({error})", hint=install_line("openenv")) from None
    encounters = Encounters(config, reward=reward or "", scores=score or (), sees=sees, models=models)
    app = serving.app_of(encounters, sessions=sessions, idle_s=idle, host=host)
    with serving.listening(host, port) as taken, sigterm_as_ctrl_c():
        url = serving.address(host, taken.getsockname()[1])
        if as_json:
            sys.stdout.write(json.dumps({"url": url, "rows": len(encounters)}) + "\n")
        else:
            out.print(url, soft_wrap=True)
        sys.stdout.flush()
        if not serving.is_loopback(host):
            say("Whoever reaches this port can play, with your models: let no others reach it.")
        say(f"{len(encounters)} rows, rewarded by {encounters.reward.name}. For education and research only.")
        serving.serve(app, encounters, taken)
