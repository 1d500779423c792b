"""Settings of models that are given with a command: `temperature=0.2`, or `NAME:temperature=0.2`.

They are added to the endpoint's own (`[endpoints.NAME.extra]`), take precedence over them, and are refused
where osler.toml would refuse them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple, Never

from osler.errors import BadInput
from osler.models.config import OWN_SETTINGS, Config, Endpoint, config_of
from osler.models.config_keys import check_no_keys

TEMPERATURES: Final = {"candidates": "temperature", "critic": "critic_temperature"}
"""The parts of a strategy that have temperatures of their own, and the settings that hold them."""
WHERE: Final = "--request"


class Setting(NamedTuple):
    """One setting; without an `endpoint` it is for the models under test."""

    endpoint: str
    name: str
    value: Any  # JSON


def setting_of(text: str) -> Setting:
    """Parse `KEY=VALUE` or `NAME:KEY=VALUE`; a value that is not JSON is text. Raises BadInput, never echoing
    what looks like a key."""
    named, sign, written = text.partition("=")
    endpoint, colon, name = named.rpartition(":")
    endpoint, name = endpoint.strip(), name.strip()
    if not (sign and name) or (colon and not endpoint):
        raise BadInput("that is not a setting", where=WHERE, hint="write KEY=VALUE, or NAME:KEY=VALUE")
    try:
        value = json.loads(written, parse_constant=_no_number)
    except (ValueError, RecursionError):
        value = written
    check_no_keys({name: value}, WHERE)
    return Setting(endpoint, name, value)


def temperatures(text: str) -> tuple[Setting, ...]:
    """Parse `--temperature`: one for all (`0.2`), or by part (`candidates=0.8,critic=0`). Raises BadInput."""
    parts = text.split(",")
    if len(parts) == 1 and "=" not in text:
        return (Setting("", "temperature", _temperature(text)),)
    result: dict[str, float] = {}
    for part in parts:
        name, sign, value = part.partition("=")
        if not sign or name.strip() not in TEMPERATURES or TEMPERATURES[name.strip()] in result:
            raise _no_temperature(part)
        result[TEMPERATURES[name.strip()]] = _temperature(value)
    return tuple(Setting("", name, value) for name, value in result.items())


def _temperature(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        raise _no_temperature(text) from None
    if not 0 <= value <= 2:
        raise _no_temperature(text)
    return value


def _no_temperature(text: str) -> BadInput:
    hint = "write a number from 0 to 2, or candidates=0.8,critic=0"
    return BadInput(f"{text[:40]!r} is no temperature", where="--temperature", hint=hint)


def addressed(settings: Iterable[Setting], under_test: Iterable[str]) -> tuple[Setting, ...]:
    """The settings with those without an endpoint given to each of those `under_test`. Raises BadInput if
    there is none."""
    names, result = tuple(dict.fromkeys(under_test)), list[Setting]()
    for one in settings:
        if not one.endpoint and not names:
            raise BadInput(
                f"{one.name} is set, but no model is under test",
                where=WHERE,
                hint=f"name an endpoint: --request NAME:{one.name}=...",
            )
        result += [one] if one.endpoint else [one._replace(endpoint=name) for name in names]
    return tuple(result)


def by_endpoint(settings: Iterable[Setting]) -> dict[str, dict[str, Any]]:
    """The settings as a table for each endpoint; of two of the same name, the later counts."""
    result: dict[str, dict[str, Any]] = {}
    for one in settings:
        result.setdefault(one.endpoint, {})[one.name] = one.value
    return result


def with_settings(config: Config, given: Mapping[str, Mapping[str, Any]]) -> Config:
    """The configuration with settings added to its endpoints. Raises BadInput for an endpoint that is not
    configured and for a setting that is refused."""
    endpoints = dict(config.endpoints)
    for name, settings in given.items():
        endpoints[name] = _with(config.endpoint(name), settings)
    return config.model_copy(update={"endpoints": endpoints})


def _with(endpoint: Endpoint, settings: Mapping[str, Any]) -> Endpoint:
    table = endpoint.model_dump(exclude={"name"}, exclude_unset=True)
    own = {name: value for name, value in settings.items() if name in OWN_SETTINGS}
    extra = {name: value for name, value in settings.items() if name not in OWN_SETTINGS}
    table |= {**own, "extra": {**endpoint.extra, **extra}}
    try:
        return config_of({"endpoints": {endpoint.name: table}}).endpoints[endpoint.name]
    except BadInput as error:
        raise BadInput(error.what, where=WHERE, hint=error.hint) from None


def _no_number(text: str) -> Never:
    raise ValueError(text)
