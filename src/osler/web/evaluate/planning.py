"""A run as a browser wants it: checked, estimated, and begun."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import NoneType
from typing import Any, Final, Literal, TypeVar, get_args, get_origin

from pydantic import BaseModel, ValidationError

from osler.core.config import Config, config_type
from osler.core.registry import protocol_named
from osler.errors import BadInput, NotAllowed, in_words
from osler.models.budget import Limits, check_priced
from osler.models.config import Config as Endpoints
from osler.models.prices import price_flag
from osler.players.admission import OTHERS, check_config
from osler.runs import run as runs
from osler.runs.disk import disk_forecast
from osler.runs.dry_run import forecast, unweighed
from osler.runs.seating import ModelOptions, models_named, open_cast
from osler.store.records import RunInfo
from osler.web.evaluate.run_words import command, flags, told
from osler.web.evaluate.spending import limits_of, noted
from osler.web.evaluate.start_schemas import Estimated, RunPlan, SeatEstimate
from osler.web.house import House
from osler.web.rights import Visitor

N = TypeVar("N", int, float)
LIBRARY: Final = "library"
_NOTE: Final = (
    "An estimate for as many turns as the built-in players take; a model may take fewer or more."
    " No model was asked."
)
_MODEL: Final = "model:"


def config_of(wanted: RunPlan, asking: Visitor) -> Config:
    """The configuration of a run. Raises BadInput for what there is not, and NotAllowed for files named by a
    visitor who does not sit at this machine."""
    protocol = protocol_named(wanted.protocol)
    if not asking.here and wanted.cases != LIBRARY:
        raise NotAllowed("from another machine only the library can be played", where="cases")
    fields: dict[str, Any] = {
        "cases": wanted.cases,
        "seed": wanted.seed,
        "repeats": wanted.repeats,
        "limit": wanted.limit,
        "only": wanted.only,
    }
    known = protocol.config.model_fields
    for name, value in wanted.settings.items():
        top = name.partition(".")[0]
        if top not in known or top in fields or top in ("branch", "models"):
            raise BadInput(f"{protocol.many} have no setting {name[:60]!r}", where="settings")
        if not asking.here and name not in settable(protocol.config):
            what = f"from another machine {name[:60]!r} cannot be set"
            raise NotAllowed(what, where="settings", hint="start the run at a terminal of the server")
        _put(fields, name.split("."), value)
    try:
        config = config_type(protocol)(**fields).seated(wanted.players)
    except ValidationError as error:
        raise BadInput(in_words(error), where="settings") from None
    check_config(config, OTHERS)
    return config


def _put(fields: dict[str, Any], path: list[str], value: Any) -> None:
    for name in path[:-1]:
        inner = fields.setdefault(name, {})
        if not isinstance(inner, dict):
            raise BadInput(f"{name[:60]} has no fields", where="settings")
        fields = inner
    fields[path[-1]] = value


def options_for(house: House, wanted: RunPlan, asking: Visitor) -> ModelOptions:
    """The options for the models of a run: this server's, with the run's prices, and its budget where that is
    lower. Raises NotAllowed for prices that this visitor may not give."""
    options = within(house.models, limits_of(wanted))
    if not wanted.prices:
        return options
    if not may_price(house, asking):
        raise NotAllowed(
            "this server limits what its models cost, so their prices are its owner's to give",
            where="prices",
            hint="ask for price_in and price_out in the server's osler.toml",
        )
    known = house.models.endpoints()
    priced = [name for name in wanted.prices if known.endpoint(name).price_in is not None]
    if priced and not asking.here:
        raise NotAllowed(
            f"{priced[0]} has its prices in the server's osler.toml", where="prices", hint="leave them out"
        )
    return options._replace(prices=wanted.prices)


def within(options: ModelOptions, limits: Limits) -> ModelOptions:
    """The options with a run's budget, where that is lower than their own."""
    return options._replace(
        max_money=least(options.max_money, limits.money),
        token_budget=least(options.token_budget, limits.tokens),
    )


def least(one: N | None, other: N | None) -> N | None:
    """The lower of two limits, `None` for no limit."""
    return min((each for each in (one, other) if each is not None), default=None)


def may_price(house: House, asking: Visitor) -> bool:
    """Whether a visitor may give prices: with low ones a ceiling of the server would be none."""
    return asking.here or house.models.max_money is None


def estimate(house: House, wanted: RunPlan, asking: Visitor) -> Estimated:
    """The estimated cost of a run; nothing is asked and nothing written."""
    config = config_of(wanted, asking)
    disk = disk_forecast(config, _source(house, config))
    if not disk.episodes:
        raise BadInput(
            f"there is no {config.plays.case} {config.only or ''}".rstrip(), where=config.cases[:200]
        )
    seats: list[SeatEstimate] = []
    hosts: list[str] = []
    names = models_named(config)
    options = options_for(house, wanted, asking)
    if names:
        endpoints = options.under_test([config]).endpoints()
        _check_priced(options, endpoints, names)
        left_out = unweighed(config)
        result = forecast(config, endpoints)[1]
        hosts = sorted({endpoints.endpoint(name.removeprefix(_MODEL)).host for name in names})
        seats = [
            SeatEstimate(
                seat=seat,
                player=config.players().get(seat, ""),
                calls=one.calls,
                prompt_tokens=one.prompt_tokens,
                completion_tokens=one.completion_tokens,
                cost=one.cost,
                left_out=list(left_out.get(seat, ())),
            )
            for seat, one in result.items()
        ]
    costs = [one.cost for one in seats]
    return Estimated(
        episodes=disk.episodes,
        seats=seats,
        calls=sum(one.calls for one in seats),
        tokens=sum(one.prompt_tokens + one.completion_tokens for one in seats),
        cost=None if None in costs else sum(one or 0.0 for one in costs),
        bytes=disk.total,
        hosts=hosts,
        command=told(asking, _command(house, wanted, asking, options if names else None)),
        note=_NOTE if seats else "No model is asked: the built-in players cost nothing.",
    )


def begin(house: House, wanted: RunPlan, asking: Visitor) -> tuple[RunInfo, ModelOptions]:
    """Write a run to the store, ready to be played. Raises BadInput before anything is written."""
    config = config_of(wanted, asking)
    options = options_for(house, wanted, asking)
    seated = open_cast(config, options)
    source = _source(house, config)
    about = {**seated.about, **noted(wanted)} if seated.around else seated.about
    return runs.begin(seated.config, house.store, seated.more, source, about=about), options


def _check_priced(options: ModelOptions, endpoints: Endpoints, names: Iterable[str]) -> None:
    """Raise BadInput if money is limited and a model has no price, as the run would."""
    budget = Limits(money=options.max_money)
    for name in names:
        check_priced(budget, endpoints.endpoint(name.removeprefix(_MODEL)))


def _source(house: House, config: Config) -> Any:
    """The run's cases; those of the library are kept open."""
    return house.source(config) if config.cases == LIBRARY else None


def _command(house: House, wanted: RunPlan, asking: Visitor, options: ModelOptions | None) -> str:
    """The same run in a terminal; `options` are those of its models, if it has any."""
    others: Mapping[str, object] = {
        "seed": wanted.seed or None,
        "repeats": wanted.repeats if wanted.repeats != 1 else None,
        "limit": wanted.limit,
        "only": wanted.only,
        "concurrency": wanted.concurrency,
        "max_money": options.max_money if options else None,
        "token_budget": options.token_budget if options else None,
    }
    cases = str(Path(wanted.cases).resolve()) if Path(wanted.cases).exists() else wanted.cases
    said = command(wanted.protocol, cases, wanted.players, others, wanted.settings)
    for name, prices in options.prices.items() if options else ():
        said += f" --price {shlex.quote(price_flag(name, prices))}"
    return said + flags(house, asking, models=options is not None)


_PLAIN: Final = frozenset({bool, int, float})


def settable(config: type[Config]) -> frozenset[str]:
    """The settings of a configuration, by dotted name, that can be chosen from another machine: numbers,
    switches, choices of a list, and the names that the protocol looks up. Free text is none of them, so that
    no setting can be a path."""
    return frozenset((*_choices(config, ""), *config.looked_up))


def _choices(model: type[BaseModel], before: str) -> Iterator[str]:
    for name, field in model.model_fields.items():
        types = _types(field.annotation)
        inner = [one for one in types if isinstance(one, type) and issubclass(one, BaseModel)]
        for one in inner:
            yield from _choices(one, f"{before}{name}.")
        if all(one in _PLAIN or get_origin(one) is Literal for one in types):
            yield f"{before}{name}"


def _types(annotation: Any) -> list[Any]:
    """The types that a field may have, without `None`."""
    if annotation is None or annotation is NoneType:
        return []
    if (
        annotation in _PLAIN
        or get_origin(annotation) in (Literal, tuple, list, dict)
        or not get_args(annotation)
    ):
        return [annotation]
    return [one for part in get_args(annotation) for one in _types(part)]
