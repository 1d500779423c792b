"""`osler mcp`: an agent takes a seat, by tools over standard input and output or HTTP."""

from __future__ import annotations

import json
import os
import secrets
import sys
from importlib.util import find_spec
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from osler.cli.continuing import flags_of, store_flag
from osler.cli.field_options import Fields, configured, takes_fields
from osler.cli.model_options import takes_models
from osler.cli.options import AsJson, Seats, Sets, StoreUrl, seats_given
from osler.cli.output import PAUSED, command, say
from osler.cli.playing import players_named
from osler.core.config import Config
from osler.core.permitted import PEOPLE
from osler.core.registry import protocol_named
from osler.core.role import EXTERNAL, PERSON
from osler.errors import BadInput, install_line
from osler.players.external import Desk as Nowhere
from osler.runs import run as runs
from osler.runs.batch import chosen
from osler.runs.cached_source import placed
from osler.runs.seating import ModelOptions, OpenedCast, keep_budget, open_cast
from osler.store.records import RunInfo
from osler.store.store import Store, open_store

if TYPE_CHECKING:
    from osler.adapters.mcp.desk import Desk

_SHORTEST_TOKEN: Final = 16


@command
@takes_fields(Config)
@takes_models(plays=False)
def mcp(
    protocol: Annotated[
        str | None,
        typer.Argument(help="consultation, ward_round, scenario, or one from a plug-in.", show_default=False),
    ] = None,
    cases: Annotated[
        str | None,
        typer.Argument(
            metavar="CASES",
            help="A file or folder the protocol can read.  [default: library]",
            show_default=False,
        ),
    ] = None,
    as_: Annotated[
        str | None,
        typer.Option(
            "--as",
            metavar="SEAT",
            help="The seat that the agent takes, such as doctor, patient or student_1.  [default: the one"
            " under test]",
            show_default=False,
        ),
    ] = None,
    http: Annotated[
        int | None,
        typer.Option(
            min=0,
            max=65535,
            metavar="PORT",
            help="Serve streamable HTTP on this port (0: a free one), for any number of agents.  [default:"
            " standard input and output, for one]",
            show_default=False,
        ),
    ] = None,
    host: Annotated[
        str, typer.Option(help="The address to listen on; any but this machine's own needs --token-env.")
    ] = "127.0.0.1",
    host_name: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="A host name by which agents reach it, such as a proxy's. May be repeated.",
            show_default=False,
        ),
    ] = None,
    token_env: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="The environment variable with the token that HTTP requests bear.  [default: one is made"
            " and printed]",
            show_default=False,
        ),
    ] = None,
    resume: Annotated[
        str | None,
        typer.Option(
            metavar="RUN", help="Go on with this run, instead of PROTOCOL and CASES.", show_default=False
        ),
    ] = None,
    name: Annotated[str | None, typer.Option(help="The name of the new run.", show_default=False)] = None,
    person: Annotated[
        bool,
        typer.Option(
            "--person", help="A person speaks through the agent: what is said belongs to that person."
        ),
    ] = False,
    show_scores: Annotated[
        bool, typer.Option("--show-scores", help="Tell the agent its scores when an encounter has ended.")
    ] = False,
    at_once: Annotated[
        int, typer.Option(min=1, max=1000, help="The most encounters that may be open at once.")
    ] = 16,
    seat: Seats = None,
    sets: Sets = None,
    *,
    fields: Fields,
    modelling: ModelOptions,
    store: StoreUrl = None,
    as_json: AsJson = False,
) -> None:
    """Let an agent that speaks MCP take a seat. Its encounters are stored and judged as those of any run."""
    if find_spec("mcp") is None:
        raise BadInput("the package for MCP is not installed", hint=install_line("mcp"))
    if as_json and http is None:
        hint = "add --http PORT, or see: osler runs show"
        raise BadInput("standard output belongs to the agent", where="--json", hint=hint)
    # Imported here, since the package is seldom there.
    from osler.adapters.mcp.desk import Desk  # noqa: PLC0415 - an extra
    from osler.adapters.mcp.server import over_http, over_stdio, serve  # noqa: PLC0415 - an extra

    with open_store(store, create=resume is None) as opened:
        run = opened.run(resume) if resume else None
        if run is None:
            if protocol is None:
                raise BadInput("no protocol is named", hint="osler mcp consultation library")
            given = {"cases": cases or "library", **fields}
            config, taken = _begun(protocol, as_, given, seats_given(seat), sets or [])
        else:
            if protocol is not None:
                raise BadInput("a run that goes on has its protocol and cases", where="--resume")
            config, taken = _resumed(run, as_)
        cast = _cast(config, taken, modelling, (run, opened) if run else None)
        config = cast.config.seated({taken: EXTERNAL})
        source = runs.reopen(run, opened)[1] if run else runs.opened(config)
        if next(chosen(placed(source, config), config), None) is None:
            raise BadInput(
                "there is nothing to play", where=config.cases, hint=f"see: {config.plays.reading}"
            )
        about = {**cast.about, **({} if person else {PEOPLE: []})}

        def desk() -> Desk:
            return Desk(
                config,
                opened,
                taken,
                source,
                run=run,
                models=cast.around,
                more=cast.more,
                about=about,
                name=name,
                shared=http is not None,
                most=at_once,
                scores=show_scores,
                log=lambda line: say(f"osler mcp: {line}"),
            )

        say(config.plays.notice)
        wire = over_stdio if http is None else over_http(*_door(http, host, host_name, token_env, as_json))
        left = serve(desk, wire, cast.around)
        _tell(left, opened, f"{store_flag(opened, store)}{flags_of(modelling)}")


def _begun(
    protocol: str, as_: str | None, fields: Fields, seats: dict[str, str], sets: list[str]
) -> tuple[Config, str]:
    """The configuration of a new run, and the seat that the agent takes."""
    result = protocol_named(protocol)
    taken = as_ or result.under_test
    role = result.role(taken)
    if role.many and taken == role.name:
        raise BadInput(f"there are several seats {taken}", where="--as", hint=f"name one: {taken}_1")
    if taken in seats:
        raise BadInput(f"the agent takes the {taken}", where=f"--seat {taken}", hint="leave it out")
    if PERSON in seats.values():
        raise BadInput("nobody else can be a person here", where="--seat", hint="name another player")
    config, names = configured(result.config, fields, seats, sets)
    (config, *others) = players_named(config, names)
    if others:
        raise BadInput("one player is named for a seat", where=f"--seat {result.under_test}")
    return config, taken


def _resumed(run: RunInfo, as_: str | None) -> tuple[Config, str]:
    config = runs.config_of(run)
    outside = [seat for seat, player in config.insides().items() if player == EXTERNAL]
    if len(outside) != 1 or as_ not in (None, *outside):
        raise BadInput(
            "an agent has taken no such seat in this run",
            where=run.name,
            hint=f"osler resume {run.name} goes on with other runs",
        )
    return config, outside[0]


def _cast(
    config: Config, taken: str, modelling: ModelOptions, resumed: tuple[RunInfo, Store] | None
) -> OpenedCast:
    """The players of the other seats, with their models."""
    cast = open_cast(config.seated({taken: PERSON}), modelling, channel=_NOWHERE, resumed=resumed)
    if resumed:
        keep_budget(*resumed, cast)
    return cast


_NOWHERE: Final[Any] = Nowhere()
"""The channel for checking a cast; `runs.sit` seats the agent at a desk of its own."""


def _door(
    port: int, host: str, names: list[str] | None, token_env: str | None, as_json: bool
) -> tuple[Any, str, list[str]]:
    """The socket to listen on, the token, and the names by which it is reached; both are told."""
    from osler.adapters.mcp.server import PATH, is_loopback, listening  # noqa: PLC0415 - an extra

    if not is_loopback(host) and token_env is None:
        raise BadInput(
            f"{host} can be reached by others", where="--host", hint="add --token-env NAME, and a TLS proxy"
        )
    token = secrets.token_urlsafe(32)
    if token_env is not None:
        token = os.environ.get(token_env, "")
        if len(token) < _SHORTEST_TOKEN:
            raise BadInput(
                f"{token_env} holds no token of {_SHORTEST_TOKEN} characters or more", where="--token-env"
            )
    taken = listening(host, port)
    shown = f"[{host}]" if ":" in host else host
    url = f"http://{shown}:{taken.getsockname()[1]}{PATH}"
    if as_json:
        told = {"url": url} | ({"token": token} if token_env is None else {})
        sys.stdout.write(json.dumps(told) + "\n")
        sys.stdout.flush()
    else:
        say(url)
        if token_env is None:
            say(f"token: {token}")
    say("Ctrl-C stops it; what was said is kept.")
    return taken, token, names or []


def _tell(desk: Desk, store: Store, flags: str) -> None:
    """Print the state of the run for the operator; exit with 3 if a fault paused or ended an encounter."""
    if desk.run is None:
        say("Nobody sat down, so no run was begun.")
    else:
        now = store.info(desk.run.id)
        say(f"run {now.name}: {now.done} of {now.planned} encounters have ended.")
        if now.done < now.planned:
            say(f"To go on: osler mcp --resume {now.name}{flags}")
    if desk.failed:
        say(f"osler: {desk.failed} encounters or calls met a fault, see above; none of them is scored.")
        raise typer.Exit(PAUSED)
