"""Who takes part at a command: built-in players, a person at this terminal, models that are opened for it.

Whatever talks to a model is imported inside functions, because its client takes half a second to import and
most commands need none.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any, NamedTuple

from rich.console import RenderableType

from osler.cli.options import CacheMode
from osler.cli.terminal import Terminal
from osler.core.casting import players_of
from osler.core.config import Config
from osler.core.factory import Factory
from osler.core.role import Seating
from osler.errors import BadInput
from osler.players.external import EXTERNAL
from osler.store.rows import RunInfo
from osler.store.store import Store
from osler.studies.runs import config_of


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

    config: Any
    more: Mapping[str, Factory]
    around: AbstractAsyncContextManager[object] | None = None


def take_seats(
    config: Config,
    modelling: Modelling,
    *,
    resumed: tuple[RunInfo, Store] | None = None,
) -> Seated:
    """Seat everybody a configuration names. With `resumed`, budgets count what earlier sittings used.

    Raises BadInput for an endpoint that is not configured, serves another model than before, or has no key,
    and for a seat that is answered from outside.
    """
    for seat, name in config.insides().items():
        if name == EXTERNAL:
            raise BadInput(
                f"the {seat} is answered from outside, not by this command",
                where=f"--{seat}",
                mend="sit down as docs/external.md says, or name person",
            )
    models = None
    if names := modelled(config):
        from osler.cli import models as opening  # noqa: PLC0415 - see the top
        from osler.models.opening import models_of  # noqa: PLC0415 - see the top

        found = opening.configured(modelling.config)
        models = opening.seated(names, found, modelling, resumed)
        config = config.model_copy(update={"models": models_of(found, names)})
    config.check_seating(models)
    return Seated(config, players_of(Seating(config, models, Terminal())), models)


def modelled(config: Config) -> list[str]:
    """The language models of a run as `model:NAME`: players, and those who read beside them."""
    named = (*config.insides().values(), *config.readers())
    return list(dict.fromkeys(name for name in named if name.startswith("model:")))


def usage_of(run: RunInfo, store: Store, modelling: Modelling) -> tuple[dict[str, Any], list[RenderableType]]:
    """What the models of a run used, for a summary and as a table; nothing where there is none."""
    if not modelled(config_of(run)):
        return {}, []
    from osler.cli import models  # noqa: PLC0415 - see the top

    used = models.used_by(run, store, models.configured(modelling.config))
    return {"usage": used}, [models.usage_table(used)]
