"""The players of a command: built-in ones, a person at this terminal, and models opened for it.

Model code is imported inside functions, because its client takes half a second to import and most commands
need none.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any, NamedTuple

from rich.console import RenderableType

from osler.cli.options import CacheMode
from osler.cli.terminal import Terminal
from osler.core.config import Config
from osler.core.factory import Factory
from osler.core.role import Seating
from osler.errors import BadInput
from osler.players.casting import players_of
from osler.players.external import EXTERNAL
from osler.runs.run import config_of
from osler.store.records import RunInfo
from osler.store.store import Store


class Modelling(NamedTuple):
    """Options for models: which osler.toml, how answers are cached, and the budgets."""

    config: Path | None = None
    cache: CacheMode = "off"
    max_tokens: int | None = None
    max_money: float | None = None

    def flags(self) -> str:
        """The options given, as flags for another command."""
        given = {
            "--config": self.config,
            "--cache": None if self.cache == "off" else self.cache,
            "--max-tokens": self.max_tokens,
            "--max-money": self.max_money,
        }
        return "".join(f" {flag} {value}" for flag, value in given.items() if value is not None)


class Seated(NamedTuple):
    """The players a run may name beside the built-in ones, and the context to keep open while they play.

    `config` is the run's, completed with the models behind its endpoints.
    """

    config: Any
    more: Mapping[str, Factory]
    around: AbstractAsyncContextManager[object] | None = None


def take_seats(
    config: Config,
    modelling: Modelling,
    *,
    resumed: tuple[RunInfo, Store] | None = None,
) -> Seated:
    """Build every player a configuration names. With `resumed`, budgets include what earlier sittings used.

    Raises BadInput for an endpoint that is not configured, serves another model than before, or has no key,
    and for a seat that is answered from outside.
    """
    for seat, name in config.insides().items():
        if name == EXTERNAL:
            raise BadInput(
                f"the {seat} is answered from outside, not by this command",
                where=f"--{seat}",
                mend="follow docs/external.md, or name person",
            )
    models = None
    if names := modelled(config):
        from osler.cli import models as opening  # noqa: PLC0415 - see the top
        from osler.models.open_models import models_of  # noqa: PLC0415 - see the top

        found = opening.configured(modelling.config)
        models = opening.seated(names, found, modelling, resumed)
        config = config.model_copy(update={"models": models_of(found, names)})
    config.check_seating(models)
    return Seated(config, players_of(Seating(config, models, Terminal())), models)


def modelled(config: Config) -> list[str]:
    """The language models of a run as `model:NAME`: its players and second readers."""
    named = (*config.insides().values(), *config.readers())
    return list(dict.fromkeys(name for name in named if name.startswith("model:")))


def usage_of(run: RunInfo, store: Store, modelling: Modelling) -> tuple[dict[str, Any], list[RenderableType]]:
    """Model usage of a run, as JSON for a summary and as a table; empty if it has no models."""
    if not modelled(config_of(run)):
        return {}, []
    from osler.cli import models  # noqa: PLC0415 - see the top

    used = models.used_by(run, store, models.configured(modelling.config))
    return {"usage": used}, [models.usage_table(used)]
