"""`osler run` and `osler resume`: play, judge and summarize a run of any protocol, or continue one."""

from __future__ import annotations

from typing import Annotated, Any

import typer
import yaml
from pydantic import ValidationError

import osler
from osler.cli.case_files import Format
from osler.cli.continuing import store_flag
from osler.cli.forecast import estimate
from osler.cli.judging import JudgeName, JudgeRepeats, SameEndpointAllowed
from osler.cli.model_options import takes_models
from osler.cli.options import (
    AT_ONCE,
    PORTION,
    AsJson,
    Batch,
    Concurrency,
    DryRun,
    FailUnder,
    ImageFiles,
    Limit,
    RunName,
    Seats,
    Seed,
    Spread,
    StoreUrl,
    seats_given,
    takes_images,
    takes_spread,
)
from osler.cli.output import command, say
from osler.cli.playing import play_all, players_named, sit, tell
from osler.cli.processes import check_spread
from osler.cli.remembering import Embedder, Looks, MemoryName, Retrieve, remembered
from osler.cli.terminal import Terminal
from osler.core.config import Config
from osler.core.protocol import Protocol
from osler.core.registry import protocol_named
from osler.errors import BadInput, in_words
from osler.judging.named import BUILT_IN_JUDGE
from osler.runs import run as runs
from osler.runs.judging import JudgeOptions
from osler.runs.seating import ModelOptions, open_cast
from osler.store.store import open_store

Sets = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="NAME=VALUE",
        help="Set a configuration field, such as persona=anxious or settings.limits.max_turns=10.",
        show_default=False,
    ),
]


@command
@takes_images
@takes_spread
@takes_models(sets=("--extra",))
def run(
    protocol: Annotated[
        str, typer.Argument(help="consultation, ward_round, scenario, or one from a plug-in.")
    ],
    cases: Annotated[
        str, typer.Argument(metavar="CASES", help="`library`, or a file or folder the protocol can read.")
    ] = "library",
    seat: Seats = None,
    sets: Sets = None,
    memory: MemoryName = None,
    retrieve: Retrieve = None,
    embedder: Embedder = None,
    looks: Looks = None,
    seed: Seed = 0,
    repeats: Annotated[int, typer.Option(min=1, max=1_000_000, help="Number of episodes per case.")] = 1,
    limit: Limit = None,
    only: Annotated[str | None, typer.Option(metavar="ID", help="Only this case.")] = None,
    judge: JudgeName = BUILT_IN_JUDGE,
    judge_repeats: JudgeRepeats = 1,
    batch: Batch = PORTION,
    same_endpoint_allowed: SameEndpointAllowed = False,
    concurrency: Concurrency = AT_ONCE,
    dry_run: DryRun = False,
    *,
    modelling: ModelOptions,
    over: Spread,
    pictured: ImageFiles,
    fail_under: FailUnder = None,
    store: StoreUrl = None,
    format: Format = "auto",
    as_json: AsJson = False,
) -> None:
    """Play a protocol over cases, judge every episode, and report with intervals.

    Several comma-separated players for the seat under test play the same worlds.
    """
    found = protocol_named(protocol)
    given = {"cases": cases, "format": format, "seed": seed, "repeats": repeats, "limit": limit, "only": only}
    given |= {name: value for name, value in pictured._asdict().items() if value}
    wanted, names = configured(found, seats_given(seat), sets or [], given)
    if dry_run:
        estimate(players_named(wanted, names)[0], modelling, store, as_json)
        return
    play_all(
        players_named(wanted, names),
        modelling,
        concurrency,
        as_json,
        given=store,
        fail_under=fail_under,
        memory=remembered(memory, retrieve, embedder, looks),
        judging=JudgeOptions(judge, judge_repeats, batch, same_endpoint_allowed, modelling),
        over=over,
    )


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
        found = opened.run(run)
        begun = found.manifest["configuration"].get("osler")
        if found.done < found.planned and begun != osler.__version__:
            say(f"begun with Osler {begun}, played on with {osler.__version__}: its figures mix the two")
        seated = open_cast(runs.config_of(found), modelling, channel=Terminal(), resumed=(found, opened))
        check_spread(over, [seated.config], store)
        told = sit(found, opened, seated, modelling, concurrency, given=store, over=over, as_json=as_json)
        flag = store_flag(opened, store)
    tell([told], as_json, fail_under, flag)


def configured(
    protocol: Protocol, seats: dict[str, str], sets: list[str], given: dict[str, Any]
) -> tuple[Config, str]:
    """The configuration from command-line options, and the names of the players under test.

    Raises BadInput for a seat or field the protocol does not have, and for an invalid value.
    """
    fields: dict[str, Any] = dict(given)
    for one in sets:
        name, sign, text = one.partition("=")
        if not sign:
            raise BadInput(f"{one!r} is not an assignment", where="--set", hint="write NAME=VALUE")
        _put(fields, name.strip().split("."), _value(text), one)
    known = protocol.config.model_fields
    if strange := sorted(fields.keys() - known.keys()):
        hint = f"known: {', '.join(sorted(known))}"
        raise BadInput(f"{protocol.many} have no field {strange[0]!r}", where="--set", hint=hint)
    try:
        config = protocol.config(**fields)
    except ValidationError as error:
        raise BadInput(in_words(error), where="--set") from None
    names = seats.pop(protocol.under_test, "") or str(getattr(config, protocol.under_test))
    return config.seated(seats), names


def _put(fields: dict[str, Any], path: list[str], value: Any, said: str) -> None:
    for name in path[:-1]:
        inner = fields.setdefault(name, {})
        if not isinstance(inner, dict):
            raise BadInput(f"{said!r}: {name} has no fields", where="--set")
        fields = inner
    fields[path[-1]] = value


def _value(text: str) -> Any:
    """Parse a value as YAML: 3, true, plain, [a, b]."""
    try:
        return yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise BadInput(
            f"{text!r} is not a value", where="--set", hint="write a number, a word or [a, b]"
        ) from error
