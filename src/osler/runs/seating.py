"""Seating of a run: its models opened with their budgets, and its players checked before anything is played.
The command line and `osler.run` both seat their runs here.

The model client takes half a second to import and most runs need none, so it is imported where it is used.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from osler.core.config import Config
from osler.core.factory import Factory
from osler.core.role import EXTERNAL, PERSON, Seating
from osler.errors import BadInput
from osler.models.budget import BUDGET, Ledger, Limits, budget_entry, limits_in
from osler.models.config import CacheMode, configured, models_of
from osler.models.config import Config as Endpoints
from osler.models.prices import PRICES, GivenPrices, check_named, prices_in, recorded_prices, with_prices
from osler.models.settings import Setting, addressed, by_endpoint, with_settings
from osler.players.casting import casting_type, players_of
from osler.runs.endpoints import ENDPOINTS, KEEP_PROMPTS, given_in, in_words, record_of, recorded, words
from osler.runs.usage import Used, ledger_of, usage
from osler.store.records import RunInfo
from osler.store.store import Store

if TYPE_CHECKING:
    from osler.models.open_models import Models
    from osler.players.person import Channel

CACHE: Final = Path("osler-cache.db")


class ModelOptions(NamedTuple):
    """The settings for models: the osler.toml (`None` for the usual places), the cache of their answers, the
    budgets, in tokens and in the currency of the prices (`None` for no limit), how many episodes faults may
    end (see `osler.runs.run.play`), settings added to those of the endpoints, whether whole prompts are
    stored, for how many seconds models may be asked (`None` for no limit), a time limit of a request that an
    endpoint's own is raised to, and prices that take precedence over those of the osler.toml."""

    config: Path | None = None
    cache: CacheMode = "off"
    token_budget: int | None = None
    max_money: float | None = None
    max_errors: int | None = None
    settings: tuple[Setting, ...] = ()
    keep_prompts: bool = False
    seconds: float | None = None
    timeout_s: float = 0.0
    prices: GivenPrices = MappingProxyType({})

    def endpoints(self) -> Endpoints:
        """Load the configured endpoints, with the settings and prices added. Raises BadInput."""
        result = with_settings(
            configured(self.config), by_endpoint(one for one in self.settings if one.endpoint)
        )
        check_named(result, self.prices)
        result = with_prices(result, self.prices)
        if not self.timeout_s:
            return result
        endpoints = {name: one.patient(self.timeout_s) for name, one in result.endpoints.items()}
        return result.model_copy(update={"endpoints": endpoints})

    def under_test(self, configs: Sequence[Config]) -> ModelOptions:
        """The same, with settings that name no endpoint given to the models under test in some
        configurations. Raises BadInput if there is none."""
        names = [one.names().get(one.plays.under_test) for one in configs] if self.settings else []
        models = (model for name in names if name for model in name.models)
        return self._replace(settings=addressed(self.settings, (model.partition(":")[2] for model in models)))

    def after(self, run: RunInfo) -> ModelOptions:
        """The same, after the settings and at the prices that a run was begun with."""
        prices = {**self.prices, **prices_in(run.manifest)}
        return self._replace(settings=(*given_in(run), *self.settings), prices=prices)

    def within(self, limits: Limits) -> ModelOptions:
        """The same, with these limits on tokens and money where none are given."""
        return self._replace(
            token_budget=limits.tokens if self.token_budget is None else self.token_budget,
            max_money=limits.money if self.max_money is None else self.max_money,
        )

    def limits(self) -> Limits:
        """The limits that these options set."""
        return Limits(tokens=self.token_budget, money=self.max_money, seconds=self.seconds)


class OpenedCast(NamedTuple):
    """The players a run may name beside the built-in ones, and the context to keep open while they play.

    `config` is the run's, completed with the models behind its endpoints; `about` goes into its manifest.
    """

    config: Config
    more: Mapping[str, Factory]
    around: Models | None = None
    about: Mapping[str, Any] = MappingProxyType({})

    def without_budget(self) -> OpenedCast:
        """The same, with no budget for the manifest: its limits are not the run's own, but a server's."""
        return self._replace(about={name: entry for name, entry in self.about.items() if name != BUDGET})


def open_cast(
    config: Config,
    options: ModelOptions,
    *,
    channel: Channel | None = None,
    resumed: tuple[RunInfo, Store] | None = None,
    ledger: Ledger | None = None,
) -> OpenedCast:
    """Open what the players of a configuration need. `channel` leads to the person who plays, if there is
    one. With `resumed`, the budget that the run keeps holds where the options set no other, and includes what
    earlier sittings used; a `ledger` that is shared with other runs, and the options' limits on it, take the
    place of both.

    Raises BadInput for an endpoint that is not configured, serves another model than before, or has no key,
    and for a seat whose replies come from outside, or from a person without a channel.
    """
    for seat, name in config.insides().items():
        if name == EXTERNAL or (name == PERSON and channel is None):
            raise BadInput(
                f"the {seat} is answered from outside, not {'by this command' if channel else 'here'}",
                where=f"--{seat}",
                hint=f"an agent: osler mcp{f' --resume {resumed[0].name}' if resumed else ''}; a program: "
                f"docs/external.md; or name {PERSON if channel else 'another player'}",
            )
    models, about = None, dict[str, Any]()
    options = options.under_test([config])
    if resumed:
        options = options.after(resumed[0])
        if ledger is None:
            options = options.within(limits_in(resumed[0].manifest))
    if names := models_named(config):
        result, used = options.endpoints(), None
        if resumed:
            check_same_models(resumed[0], result, names)
            used = usage(resumed[1], resumed[0].id, result)
        models = open_models(names, result, options, used, ledger)
        config = config.model_copy(update={"models": models_of(result, names)})
        about[ENDPOINTS] = recorded(result, config.models, options.settings)
        if options.prices:
            about[PRICES] = recorded_prices(options.prices)
        if options.keep_prompts:
            about[KEEP_PROMPTS] = True
        if ledger is None and (options.token_budget, options.max_money) != (None, None):
            about |= budget_entry(options.limits())
    config.check_seating(models)
    return OpenedCast(config, players_of(Seating(config, models, channel)), models, about)


def keep_budget(run: RunInfo, store: Store, cast: OpenedCast) -> None:
    """Note the budget within which a run is resumed, if it is another than before."""
    if BUDGET in cast.about and limits_in(cast.about) != limits_in(run.manifest):
        store.note(run.id, **{BUDGET: cast.about[BUDGET]})


def with_models(
    config: Config,
    options: ModelOptions = ModelOptions(),  # noqa: B008 - a tuple
) -> tuple[Config, Models | None]:
    """A configuration that nothing stores, such as a world's, completed with the models behind its endpoints;
    and those models (`None` if it names none), to be entered before it is played. Raises BadInput as
    `open_cast` does."""
    names = models_named(config)
    if not names:
        return config, None
    result = options.endpoints()
    opened = open_models(names, result, options)
    return config.model_copy(update={"models": models_of(result, names)}), opened


def models_named(config: Config) -> list[str]:
    """The language models of a run as `model:NAME`: its players, second readers and embedders."""
    seated = (model for name in config.names().values() for model in name.models)
    others = (one.model for one in casting_type(config).unseated(config))
    unseated = (name for name in others if name.startswith("model:"))
    return list(dict.fromkeys((*seated, *unseated)))


def open_models(
    names: Sequence[str],
    config: Endpoints,
    options: ModelOptions = ModelOptions(),  # noqa: B008 - a tuple
    used: Used | None = None,
    ledger: Ledger | None = None,
) -> Models:
    """Open the models named `model:NAME`; their budgets include what earlier sittings `used`, or what stands
    in a `ledger` that others share.

    Raises BadInput for an endpoint that is not configured and a key that is not set.
    """
    from osler.models.cache import Cache  # noqa: PLC0415 - see the top
    from osler.models.open_models import Models  # noqa: PLC0415 - see above

    limits = options.limits()
    models = Models(
        config,
        ledger=ledger_of(used or {}) if ledger is None else ledger,
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
    told = in_words(run, host=False)
    for name, model in before.items():
        if now.get(name) != model:
            is_now = words(record_of(config.endpoint(name), {}), host=False) if name in now else "not named"
            raise BadInput(
                f"endpoint {name} was {told[name]} when this run began and is {is_now} now",
                where=run.name,
                hint="restore that model and its settings, or start another run",
            )
