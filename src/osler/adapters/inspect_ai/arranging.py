"""The configuration of a task, from the arguments of `inspect eval -T NAME=VALUE`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final, NamedTuple, get_args, get_origin

from pydantic import BaseModel, ValidationError

from osler.core.config import Config
from osler.core.names import Kind
from osler.core.registry import protocol_named
from osler.core.role import MEMORY
from osler.errors import BadInput, in_words
from osler.players.casting import casting_type
from osler.runs.seating import models_named

MOST_REPEATS: Final = 1_000_000
"""The room for Inspect's epochs in the numbering of a world's rows; a world depends on its repeat alone."""
_ELSEWHERE: Final[Mapping[str, str]] = {
    "repeats": "Inspect repeats a case by its epochs; give --epochs N",
    "models": "Inspect names the models; give --model, and --model-role NAME=MODEL for other seats",
    "branch": "a branch continues a stored run; use osler branch",
    "say": "a branch continues a stored run; use osler branch",
    "again": "it continues a stored run; use osler",
    "memory": "a memory is kept in a store; use osler consult",
}


class Options(BaseModel, extra="forbid", frozen=True):
    """Arguments of a task that are no fields of the configuration: whether the model under test is shown
    pictures, and whether it is asked for answers of a JSON schema (else the schema is in its prompt)."""

    eyes: bool = False
    schemas: bool = True


class Arranged(NamedTuple):
    """A task's configuration with a blank in the seat under test, and its options."""

    config: Config
    options: Options

    @property
    def roles(self) -> tuple[str, ...]:
        """The names of the model roles that other seats want."""
        return tuple(name.removeprefix("model:") for name in models_named(self.config))

    def under(self, model: str) -> tuple[Config, str]:
        """The configuration with Inspect's model under test, and that player's name without `model:`. Raises
        BadInput if a role has the same name."""
        name = player_name(model)
        if name in self.roles:
            raise BadInput(
                f"the role {name!r} has the name of the model under test",
                where=f"model:{name}",
                hint="give the role another name",
            )
        return self.config.seated({self.config.plays.under_test: f"model:{name}"}), name


def player_name(model: str) -> str:
    """The name of a player after Inspect's name of a model: "gpt-x" for "openai/gpt-x"."""
    return re.sub(r"[^A-Za-z0-9_.-]", "-", model.rstrip("/").rpartition("/")[2])[:100] or "model"


def arranged(protocol: str, given: Mapping[str, Any]) -> Arranged:
    """Check the arguments of a task. Raises BadInput for an argument that is unknown, not valid, or Inspect's
    own affair."""
    plays = protocol_named(protocol)
    seat, kind = plays.under_test, plays.config
    options = {name: value for name, value in given.items() if name in Options.model_fields}
    fields = {name: value for name, value in given.items() if name not in options}
    for name in fields:
        if name == seat:
            raise _refused(name, f"the {seat} is the model that Inspect evaluates; give --model")
        if name in _ELSEWHERE:
            raise _refused(name, _ELSEWHERE[name])
        if name not in kind.model_fields:
            known = sorted({*kind.model_fields, *Options.model_fields} - {seat, *_ELSEWHERE})
            raise _refused(name, f"known: {', '.join(known)}", "no such argument")
    try:
        config, result = kind(**_listed(kind, fields)), Options(**options)
    except ValidationError as error:
        texts = any(one["type"] == "string_type" for one in error.errors())
        hint = "write a text that reads as a number in two pairs of quotes" if texts else ""
        raise BadInput(in_words(error), where="-T", hint=hint) from None
    _check_players(config)
    return Arranged(config, result)


def _listed(kind: type[Config], fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields; a single value for a field of several becomes a list, as `-T student=lecture` gives it."""
    wanted = {name: kind.model_fields[name].annotation for name in fields}
    several = {
        name for name, form in wanted.items() if tuple in [get_origin(one) for one in (form, *get_args(form))]
    }
    return {
        name: [value] if name in several and isinstance(value, str | int) else value
        for name, value in fields.items()
    }


def _check_players(config: Config) -> None:
    players = config.players()
    for seat, name in config.names().items():
        if seat == config.plays.under_test:
            continue
        remembers = any(wrapping.suffix == MEMORY for wrapping in name.around)
        if remembers or name.kinds & {Kind.PERSON, Kind.EXTERNAL}:
            raise _refused(
                seat, "name a built-in player, or model:ROLE", f"{players[seat]!r} cannot sit here"
            )
    for role in Arranged(config, Options()).roles:
        if role != player_name(role):
            raise BadInput("a role's name has letters, digits, '.', '_' and '-'", where=f"model:{role}")
    if any(one.reads is None for one in casting_type(config).unseated(config)):
        raise _refused("memory", _ELSEWHERE["memory"])


def _refused(name: str, hint: str, what: str = "this cannot be given") -> BadInput:
    return BadInput(what, where=f"-T {name}", hint=hint)
