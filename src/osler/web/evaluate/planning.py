"""A run as a browser wants it: checked, estimated, and begun."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from types import NoneType
from typing import Any, Final, Literal, get_args, get_origin

from pydantic import BaseModel, ValidationError

from osler.core.config import Config, config_type
from osler.core.registry import protocol_named
from osler.errors import BadInput, NotAllowed, in_words
from osler.players.admission import OTHERS, check_config
from osler.runs import run as runs
from osler.runs.disk import disk_forecast
from osler.runs.dry_run import forecast, unweighed
from osler.runs.seating import ModelOptions, models_named, open_cast
from osler.store.records import RunInfo
from osler.web.evaluate.run_words import command, flags, told
from osler.web.evaluate.start_schemas import Estimated, RunPlan, SeatEstimate
from osler.web.house import House
from osler.web.rights import Visitor

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


def options_for(house: House, wanted: RunPlan) -> ModelOptions:
    """The options for the models of a run: this server's, with the run's own ceiling if it is lower."""
    pairs = [one for one in (house.models.max_money, wanted.max_money) if one is not None]
    return house.models._replace(max_money=min(pairs, default=None))


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
    if names:
        endpoints = options_for(house, wanted).under_test([config]).endpoints()
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
        command=told(asking, _command(house, wanted, asking, models=bool(names))),
        note=_NOTE if seats else "No model is asked: the built-in players cost nothing.",
    )


def begin(house: House, wanted: RunPlan, asking: Visitor) -> tuple[RunInfo, ModelOptions]:
    """Write a run to the store, ready to be played. Raises BadInput before anything is written."""
    config = config_of(wanted, asking)
    options = options_for(house, wanted)
    seated = open_cast(config, options)
    source = _source(house, config)
    return runs.begin(seated.config, house.store, seated.more, source, about=seated.about), options


def _source(house: House, config: Config) -> Any:
    """The run's cases; those of the library are kept open."""
    return house.source(config) if config.cases == LIBRARY else None


def _command(house: House, wanted: RunPlan, asking: Visitor, *, models: bool) -> str:
    others: Mapping[str, object] = {
        "seed": wanted.seed or None,
        "repeats": wanted.repeats if wanted.repeats != 1 else None,
        "limit": wanted.limit,
        "only": wanted.only,
        "concurrency": wanted.concurrency,
        "max_money": options_for(house, wanted).max_money if models else None,
    }
    cases = str(Path(wanted.cases).resolve()) if Path(wanted.cases).exists() else wanted.cases
    said = command(wanted.protocol, cases, wanted.players, others, wanted.settings)
    return said + flags(house, asking, models=models)


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
