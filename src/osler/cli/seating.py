"""Who takes part at a command: built-in players, a person at this terminal, models that are opened for it.

Whatever talks to a model is imported inside functions, because its client takes half a second to import and
most commands need none.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

import typer
from rich.console import RenderableType

from osler.cli.terminal import person_at_terminal
from osler.store.rows import RunInfo
from osler.store.store import Store
from osler.studies.build import Factory, RunConfig
from osler.studies.runs import config_of

CacheMode = Literal["off", "read", "write"]
ConfigFile = Annotated[
    Path | None, typer.Option("--config", help="An osler.toml to use instead of ./osler.toml.")
]
CacheUse = Annotated[CacheMode, typer.Option("--cache", help="A model's answers: off, read or write.")]
MaxTokens = Annotated[int | None, typer.Option(min=1, help="Tokens the models may use; then the run pauses.")]
MaxMoney = Annotated[
    float | None, typer.Option(min=0, help="Money the models may cost; then the run pauses.")
]


class Modelling(NamedTuple):
    """How models are asked: which osler.toml, how answers are cached, what may be used."""

    config: Path | None = None
    cache: CacheMode = "off"
    max_tokens: int | None = None
    max_money: float | None = None

    def flags(self) -> str:
        """What was given, as it is given to another command."""
        given = {
            "--config": self.config,
            "--cache": None if self.cache == "off" else self.cache,
            "--max-tokens": self.max_tokens,
            "--max-money": self.max_money,
        }
        return "".join(f" {flag} {value}" for flag, value in given.items() if value is not None)


class Seated(NamedTuple):
    """The players that a run may name beside the built-in ones, and what is open while they play.

    `config` is the run's, with the models behind its endpoints written in.
    """

    config: RunConfig
    more: Mapping[str, Factory]
    around: AbstractAsyncContextManager[object] | None = None


def take_seats(
    config: RunConfig,
    modelling: Modelling,
    *,
    resumed: tuple[RunInfo, Store] | None = None,
) -> Seated:
    """Seat whoever `config` names. With `resumed`, budgets count what earlier sittings used.

    Raises BadInput for an endpoint that is not configured, serves another model than before, or has no key.
    """
    more = dict(person_at_terminal())
    if config.ground:
        from osler.players.model.grounding import GroundedPatient  # noqa: PLC0415 - see the top

        person = more["person"]
        more["person"] = lambda asked: (
            GroundedPatient(person(asked)) if asked.seat == "patient" else person(asked)
        )
    names = modelled(config)
    if not names:
        return Seated(config, more)
    from osler.cli import models  # noqa: PLC0415 - see the top
    from osler.studies.model_cast import model_players  # noqa: PLC0415 - see the top

    found = models.configured(modelling.config)
    used = None
    if resumed:
        models.check_same_models(resumed[0], found, names)
        used = models.used_by(*resumed, found)
    opened = models.open_models(
        names,
        found,
        used=used,
        cache=modelling.cache,
        max_tokens=modelling.max_tokens,
        max_money=modelling.max_money,
    )
    config = config.model_copy(update={"models": models.models_of(found, names)})
    return Seated(config, {**more, **model_players(opened, config.moves)}, opened)


def modelled(config: RunConfig) -> list[str]:
    """The players of a run that are models, as `model:NAME`."""
    return [name for name in config.players().values() if name.startswith("model:")]


def usage_of(run: RunInfo, store: Store, modelling: Modelling) -> tuple[dict[str, Any], list[RenderableType]]:
    """What the models of a run used, for a summary and as a table; nothing where there is none."""
    if not modelled(config_of(run)):
        return {}, []
    from osler.cli import models  # noqa: PLC0415 - see the top

    used = models.used_by(run, store, models.configured(modelling.config))
    return {"usage": used}, [models.usage_table(used)]
