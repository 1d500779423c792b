"""Settings of models that are given with a command: `temperature=0.2`, or `NAME:temperature=0.2`.

They are added to the endpoint's own (`[endpoints.NAME.extra]`), take precedence over them, and are refused
where osler.toml would refuse them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple, Never

from osler.errors import BadInput
from osler.models.config import Config, Endpoint, check_no_keys, config_of

MAX_ANSWER_TOKENS: Final = "max_answer_tokens"
WHERE: Final = "--set"


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


def addressed(settings: Iterable[Setting], under_test: Iterable[str]) -> tuple[Setting, ...]:
    """The settings with those without an endpoint given to each of those `under_test`. Raises BadInput if
    there is none."""
    names, found = tuple(dict.fromkeys(under_test)), list[Setting]()
    for one in settings:
        if not one.endpoint and not names:
            raise BadInput(
                f"{one.name} is set, but no model is under test",
                where=WHERE,
                hint=f"name an endpoint: --set NAME:{one.name}=...",
            )
        found += [one] if one.endpoint else [one._replace(endpoint=name) for name in names]
    return tuple(found)


def by_endpoint(settings: Iterable[Setting]) -> dict[str, dict[str, Any]]:
    """The settings as a table for each endpoint; of two of the same name, the later counts."""
    found: dict[str, dict[str, Any]] = {}
    for one in settings:
        found.setdefault(one.endpoint, {})[one.name] = one.value
    return found


def with_settings(config: Config, given: Mapping[str, Mapping[str, Any]]) -> Config:
    """The configuration with settings added to its endpoints. Raises BadInput for an endpoint that is not
    configured and for a setting that is refused."""
    endpoints = dict(config.endpoints)
    for name, settings in given.items():
        endpoints[name] = _with(config.endpoint(name), settings)
    return config.model_copy(update={"endpoints": endpoints})


def _with(endpoint: Endpoint, settings: Mapping[str, Any]) -> Endpoint:
    table = endpoint.model_dump(exclude={"name"}, exclude_unset=True)
    own = {name: value for name, value in settings.items() if name == MAX_ANSWER_TOKENS}
    extra = {name: value for name, value in settings.items() if name != MAX_ANSWER_TOKENS}
    table |= {**own, "extra": {**endpoint.extra, **extra}}
    try:
        return config_of({"endpoints": {endpoint.name: table}}).endpoints[endpoint.name]
    except BadInput as error:
        raise BadInput(error.what, where=WHERE, hint=error.hint) from None


def _no_number(text: str) -> Never:
    raise ValueError(text)
