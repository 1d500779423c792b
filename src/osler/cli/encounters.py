"""The command that plays encounters of a protocol, made from the protocol's configuration.

`osler consult`, `osler round`, `osler scenario play` and `osler run PROTOCOL` are this command. Only
configurations are imported at the top, so that help answers at once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from osler.cli.bundled import bundled
from osler.cli.field_options import Fields, configured, takes_fields
from osler.cli.model_options import takes_models
from osler.cli.options import (
    AT_ONCE,
    BUILT_IN,
    PORTION,
    AsJson,
    Batch,
    Concurrency,
    DryRun,
    FailUnder,
    JudgeName,
    JudgeRepeats,
    SameEndpointAllowed,
    Seats,
    Sets,
    Spread,
    StoreUrl,
    seats_given,
    takes_spread,
)
from osler.cli.output import command
from osler.cli.remembering import Remember, takes_memory
from osler.core.config import config_named

if TYPE_CHECKING:
    from osler.runs.seating import ModelOptions


class JudgeChoice(NamedTuple):
    """The judge that a command names; the fields are those of `osler.runs.judging.JudgeOptions`."""

    name: str = BUILT_IN
    repeats: int = 1
    batch: int = PORTION
    same_endpoint_allowed: bool = False


def _judge_choice(
    judge: str = BUILT_IN, judge_repeats: int = 1, batch: int = PORTION, same_endpoint_allowed: bool = False
) -> JudgeChoice:
    return JudgeChoice(judge, judge_repeats, batch, same_endpoint_allowed)


takes_judge = bundled(
    "judging",
    {
        "judge": (JudgeName, BUILT_IN),
        "judge_repeats": (JudgeRepeats, 1),
        "batch": (Batch, PORTION),
        "same_endpoint_allowed": (SameEndpointAllowed, False),
    },
    _judge_choice,
)
"""A decorator for a command with a parameter `judging: JudgeChoice`."""


def plays(protocol: str, about: str) -> Callable[..., None]:
    """The command that plays encounters of a protocol; its help begins with `about`.

    Raises BadInput if there is no such protocol, or it cannot be imported.
    """
    config = config_named(protocol)

    @command
    @takes_fields(config)
    @takes_memory("memory" in config.model_fields)
    @takes_judge
    @takes_spread
    @takes_models()
    def play(
        cases: Annotated[
            str,
            typer.Argument(
                metavar="CASES", help="`library`, generated:N:SEED, or a file or folder of cases."
            ),
        ] = "library",
        *,
        fields: Fields,
        seat: Seats = None,
        sets: Sets = None,
        remember: Remember | None,
        judging: JudgeChoice,
        concurrency: Concurrency = AT_ONCE,
        over: Spread,
        dry_run: DryRun = False,
        fail_under: FailUnder = None,
        modelling: ModelOptions,
        store: StoreUrl = None,
        as_json: AsJson = False,
    ) -> None:
        from osler.cli.playing import play_all, players_named  # noqa: PLC0415 - import time
        from osler.cli.processes import PlayOptions  # noqa: PLC0415 - import time
        from osler.runs.judging import JudgeOptions  # noqa: PLC0415 - import time

        wanted, names = configured(config, {"cases": cases, **fields}, seats_given(seat), sets or [])
        runs = players_named(wanted, names)
        if dry_run:
            from osler.cli.forecast import estimate  # noqa: PLC0415 - import time

            estimate(runs, modelling, store, as_json)
            return
        play_all(
            runs,
            PlayOptions(modelling, concurrency, over, store),
            as_json,
            fail_under=fail_under,
            memory=remember,
            judging=JudgeOptions(**judging._asdict(), models=modelling),
        )

    play.__doc__ = about
    return play
