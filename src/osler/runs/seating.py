"""Seating of a run: its models opened with their budgets, and its players checked before anything is played.
The command line and `osler.run` both seat their runs here.

The model client takes half a second to import and most runs need none, so it is imported where it is used.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from osler.core.config import Config
from osler.core.factory import Factory
from osler.core.role import EXTERNAL, PERSON, Seating
from osler.errors import BadInput
from osler.models.budget import Limits
from osler.models.config import CacheMode, configured, models_of
from osler.models.config import Config as Endpoints
from osler.players.casting import players_of
from osler.runs.usage import Used, ledger_of, usage
from osler.store.records import RunInfo
from osler.store.store import Store

if TYPE_CHECKING:
    from osler.models.open_models import Models
    from osler.players.person import Channel

CACHE: Final = Path("osler-cache.db")


class ModelOptions(NamedTuple):
    """The settings for models: the osler.toml (`None` for the usual places), the cache of their answers, the
    budgets, in tokens and in the currency of the prices (`None` for no limit), and how many episodes faults
    may end (see `osler.runs.run.play`)."""

    config: Path | None = None
    cache: CacheMode = "off"
    max_tokens: int | None = None
    max_money: float | None = None
    max_errors: int | None = None

    def endpoints(self) -> Endpoints:
        """Load the configured endpoints. Raises BadInput."""
        return configured(self.config)


class OpenedCast(NamedTuple):
    """The players a run may name beside the built-in ones, and the context to keep open while they play.

    `config` is the run's, completed with the models behind its endpoints.
    """

    config: Config
    more: Mapping[str, Factory]
    around: AbstractAsyncContextManager[object] | None = None


def open_cast(
    config: Config,
    options: ModelOptions,
    *,
    channel: Channel | None = None,
    resumed: tuple[RunInfo, Store] | None = None,
) -> OpenedCast:
    """Open what the players of a configuration need. `channel` leads to the person who plays, if there is
    one. With `resumed`, budgets include what earlier sittings used.

    Raises BadInput for an endpoint that is not configured, serves another model than before, or has no key,
    and for a seat whose replies come from outside, or from a person without a channel.
    """
    for seat, name in config.insides().items():
        if name == EXTERNAL or (name == PERSON and channel is None):
            raise BadInput(
                f"the {seat} is answered from outside, not {'by this command' if channel else 'here'}",
                where=f"--{seat}",
                hint=f"follow docs/external.md, or name {PERSON if channel else 'another player'}",
            )
    models = None
    if names := models_named(config):
        found, used = options.endpoints(), None
        if resumed:
            check_same_models(resumed[0], found, names)
            used = usage(resumed[1], resumed[0].id, found)
        models = open_models(names, found, options, used)
        config = config.model_copy(update={"models": models_of(found, names)})
    config.check_seating(models)
    return OpenedCast(config, players_of(Seating(config, models, channel)), models)


def models_named(config: Config) -> list[str]:
    """The language models of a run as `model:NAME`: its players and second readers."""
    named = (*config.insides().values(), *config.readers())
    return list(dict.fromkeys(name for name in named if name.startswith("model:")))


def open_models(
    names: Sequence[str],
    config: Endpoints,
    options: ModelOptions = ModelOptions(),  # noqa: B008 - a tuple
    used: Used | None = None,
) -> Models:
    """Open the models named `model:NAME`; their budgets include what earlier sittings `used`.

    Raises BadInput for an endpoint that is not configured and a key that is not set.
    """
    from osler.models.cache import Cache  # noqa: PLC0415 - see the top
    from osler.models.open_models import Models  # noqa: PLC0415 - see above

    limits = Limits(tokens=options.max_tokens, money=options.max_money)
    models = Models(
        config,
        ledger=ledger_of(used or {}),
        limits=limits if limits != Limits() else None,
        cache=Cache(CACHE) if options.cache != "off" else None,
        cache_mode=options.cache,
    )
    for name in names:
        models.client(name.split(":", 1)[1])
    return models


def check_same_models(run: RunInfo, config: Endpoints, names: Sequence[str]) -> None:
    """Raise BadInput if an endpoint now serves a different model than when the run began."""
    before: dict[str, str] = run.manifest["configuration"].get("models", {})
    now = models_of(config, names)
    for name, model in before.items():
        if now.get(name) != model:
            raise BadInput(
                f"endpoint {name} was {model} when this run began and is {now.get(name)} now",
                where=run.name,
                hint="restore that model, or start another run",
            )
