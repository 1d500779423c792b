"""The options of models, the same in every command that asks any: written once, handed over as one value."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from osler.cli.bundled import bundled
from osler.cli.grouped_help import panel
from osler.cli.options import ConfigFile
from osler.models.config import CacheMode

if TYPE_CHECKING:
    from osler.runs.seating import ModelOptions

TokenBudget = Annotated[
    int | None,
    typer.Option(
        "--token-budget",
        min=1,
        help="Token budget of the models; pauses when it is used up.",
        rich_help_panel=panel("models"),
    ),
]
MaxMoney = Annotated[
    float | None,
    typer.Option(
        min=0, help="Cost budget of the models; pauses when it is used up.", rich_help_panel=panel("models")
    ),
]
_ERRORS = Annotated[
    int | None,
    typer.Option(
        "--max-errors",
        min=0,
        help="Pause once faults of endpoints or players have ended more episodes than this; up to then a"
        " player's exception ends its episode.  [default: endpoints any number, a player's pauses]",
        show_default=False,
        rich_help_panel=panel("models"),
    ),
]
_CACHE = Annotated[
    CacheMode,
    typer.Option(
        "--cache",
        help="Cache of model answers (osler-cache.db): off, read or write.",
        rich_help_panel=panel("models"),
    ),
]
_KEEP = Annotated[
    bool,
    typer.Option(
        "--keep-prompts",
        help="Store the whole prompt of every call, not only its hash.",
        rich_help_panel=panel("models"),
    ),
]
_TEMPERATURE = Annotated[
    str | None,
    typer.Option(
        metavar="T",
        help="Temperature of the model under test, from 0 to 2; in a strategy also candidates=0.8,critic=0.",
        show_default=False,
        rich_help_panel=panel("models"),
    ),
]
_EFFORT = Annotated[
    str | None,
    typer.Option(
        help="Reasoning effort of the model under test.", show_default=False, rich_help_panel=panel("models")
    ),
]
_LENGTH = Annotated[
    int | None,
    typer.Option(
        min=1,
        help="Longest answer of the model under test, in tokens.",
        show_default=False,
        rich_help_panel=panel("models"),
    ),
]
_REQUEST = Annotated[
    list[str] | None,
    typer.Option(
        "--request",
        metavar="KEY=VALUE",
        help="Any field of the model under test's requests; NAME:KEY=VALUE for the endpoint NAME. May be"
        " repeated.",
        show_default=False,
        rich_help_panel=panel("models"),
    ),
]
_PRICE = Annotated[
    list[str] | None,
    typer.Option(
        "--price",
        metavar="NAME=IN,OUT[,CACHED]",
        help="Prices of an endpoint per million tokens, over those of osler.toml; the run keeps them. May be"
        " repeated.",
        show_default=False,
        rich_help_panel=panel("models"),
    ),
]


def takes_models(
    *,
    plays: bool = True,
    begins: bool = True,
    settings: bool = True,
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """A decorator for a command with a parameter `modelling: ModelOptions`: its options take that place.

    `plays` says whether the command plays episodes, `begins` whether it begins a run, and `settings` whether
    models can be given settings.
    """
    own: dict[str, tuple[Any, Any]] = {"config": (ConfigFile, None)}
    if settings:
        own |= {
            "temperature": (_TEMPERATURE, None),
            "reasoning_effort": (_EFFORT, None),
            "max_answer_tokens": (_LENGTH, None),
            "request": (_REQUEST, None),
        }
    if plays and begins and settings:
        own |= {"keep_prompts": (_KEEP, False), "price": (_PRICE, None)}
    own |= {"cache": (_CACHE, "off"), "token_budget": (TokenBudget, None), "max_money": (MaxMoney, None)}
    if plays:
        own["max_errors"] = (_ERRORS, None)

    return bundled("modelling", own, model_options)


def model_options(
    config: Path | None = None,
    cache: CacheMode = "off",
    token_budget: int | None = None,
    max_money: float | None = None,
    max_errors: int | None = None,
    *,
    temperature: str | None = None,
    reasoning_effort: str | None = None,
    max_answer_tokens: int | None = None,
    request: Sequence[str] | None = None,
    keep_prompts: bool = False,
    price: Sequence[str] | None = None,
) -> ModelOptions:
    """The options of models as given on the command line. Raises BadInput for a setting or a price that is
    refused."""
    # Imported here so that `osler --help` and the help of groups answer at once.
    from osler.models.prices import prices_of  # noqa: PLC0415 - import time
    from osler.models.settings import setting_of, temperatures  # noqa: PLC0415 - import time
    from osler.runs.seating import ModelOptions  # noqa: PLC0415 - import time

    short = {
        "reasoning_effort": reasoning_effort,
        "max_answer_tokens": max_answer_tokens,
    }
    lines = [f"{name}={json.dumps(value)}" for name, value in short.items() if value is not None]
    warmth = temperatures(temperature) if temperature is not None else ()
    # In this order since fingerprints of players began to contain them.
    settings = (*map(setting_of, request or ()), *warmth, *map(setting_of, lines))
    given = ModelOptions(config, cache, token_budget, max_money, max_errors, settings, keep_prompts)
    return given._replace(prices=prices_of(price or ()))
