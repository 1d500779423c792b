"""Options made from the fields of a configuration, and the configuration made of what they were given."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, Final, Literal, TypeVar, get_origin

import typer
from annotated_types import Ge, Le
from pydantic import BaseModel, ValidationError

from osler.cli.bundled import bundled
from osler.cli.grouped_help import panel
from osler.core.config import Config
from osler.core.names import listed
from osler.core.option import NAMED, FieldOption, options_of
from osler.core.registry import protocol_named
from osler.core.role import PERSON
from osler.errors import BadInput, in_words

C = TypeVar("C", bound=Config)
Fields = dict[str, Any]
"""Fields of a configuration as given, those of the models inside it nested."""
_REQUEST: Final = "a field of a model's requests: --request KEY=VALUE"


def takes_fields(
    config: type[BaseModel],
    *only: str,
    usual: Mapping[str, Any] = MappingProxyType({}),
    parameter: str = "fields",
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """A decorator for a command with this parameter of type `Fields`: it has the options of a configuration's
    fields, or those of the fields (dotted) that are named. `usual` are defaults of this command by field."""
    field_options = {_name(one): one for one in options_of(config) if not only or one.dotted in only}
    options = {name: (_annotation(one, usual.get(one.dotted)), None) for name, one in field_options.items()}

    def build(**values: Any) -> Fields:
        fields: Fields = {}
        for name, one in field_options.items():
            value = values.get(name)
            value = usual.get(one.dotted) if value in (None, []) else value
            if value is not None:
                _put(fields, list(one.path), _read(value, one), one.flag)
        return fields

    return bundled(parameter, options, build)


def configured(
    config: type[C], fields: Fields, seats: Mapping[str, str], sets: Sequence[str]
) -> tuple[C, str]:
    """The configuration of what a command was given, and the names of the players under test. `sets` are
    those of `--set`, which go before `fields`.

    Raises BadInput for a seat or field the protocol does not have, and for an invalid value.
    """
    protocol, given, players = protocol_named(config.protocol), _copied(fields), dict(seats)
    for one in sets:
        name, sign, text = one.partition("=")
        if not sign:
            raise BadInput(f"{one!r} is not an assignment", where="--set", hint="write NAME=VALUE")
        _put(given, name.strip().split("."), _value(text), one)
    known = config.model_fields
    if strange := sorted(given.keys() - known.keys()):
        hint = f"known: {', '.join(sorted(known))}; {_REQUEST}"
        raise BadInput(f"{protocol.many} have no field {strange[0]!r}", where="--set", hint=hint)
    try:
        result = config(**given)
    except ValidationError as error:
        raise _refused(config, error, fields) from None
    names = players.pop(protocol.under_test, "") or str(getattr(result, protocol.under_test))
    result = result.seated(players)
    _check(result)
    return result, names


def _check(config: Config) -> None:
    """Raise BadInput for more names than numbered seats, and for several people at one terminal in these."""
    for role in config.plays.roles:
        if not role.many:
            continue
        names, seated = getattr(config, role.name), config.players()
        players = [name for seat, name in seated.items() if role.seats_of(seat)]
        if len(names) > len(players):
            raise BadInput(f"{len(names)} names for {len(players)} {role.name}s", where=f"--{role.name}")
        if players.count(PERSON) > 1:
            raise BadInput(
                f"only one {role.name} can be a person",
                where=f"--{role.name}",
                hint=f"write {PERSON},{role.default},... with a name for each {role.name}",
            )


def _refused(config: type[Config], error: ValidationError, fields: Fields) -> BadInput:
    """The refusal of a value, at the option that gave it; at `--set` if no option did."""
    first = error.errors(include_url=False, include_input=False)[0]
    place, said = tuple(map(str, first["loc"])), first["msg"].removeprefix("Value error, ")
    for one in options_of(config):
        path = one.path if one.path[-1] != NAMED else one.path[:-1]
        inner: Any = fields
        for step in path:
            inner = inner.get(step) if isinstance(inner, Mapping) else None
        if path == place[: len(path)] and inner is not None and len(place) <= len(path) + 1:
            return BadInput(said.removeprefix(f"{one.flag}: "), where=one.flag)
    return BadInput(in_words(error), where="--set")


def _name(one: FieldOption) -> str:
    return one.flag.removeprefix("--").replace("-", "_")


def _annotation(one: FieldOption, usual: Any) -> Any:
    """The annotation that typer makes an option of."""
    kind, many = one.type, get_origin(one.type) is tuple
    flag = f"{one.flag}/--no-{one.flag[2:]}" if kind is bool and one.field.default else one.flag
    option = typer.Option(
        flag,
        help=f"{one.option.help}{_default(one, usual)}",
        metavar=one.option.metavar,
        show_default=False,
        rich_help_panel=panel(one.option.group, first=one.option.first),
        min=_bound(one, Ge),
        max=_bound(one, Le),
    )
    plain = kind in (int, float, bool) or get_origin(kind) is Literal
    value: Any = list[str] if many else kind if plain else str
    return Annotated[value | None, option]


def _bound(one: FieldOption, kind: type[Ge] | type[Le]) -> Any:
    """The least or the greatest value that the field takes; `None` if there is none."""
    result = next((each for each in one.field.metadata if isinstance(each, kind)), None)
    return result.ge if isinstance(result, Ge) else result.le if isinstance(result, Le) else None


def _default(one: FieldOption, usual: Any) -> str:
    """The default, as the end of the help."""
    value = one.field.default if usual is None else usual
    words = one.option.usual if usual is None else ""
    if not words and not isinstance(value, bool):
        words = ",".join(map(str, value)) if isinstance(value, tuple) else str(value)
    return f"  [default: {words}]" if words else ""


def _read(value: Any, one: FieldOption) -> Any:
    """A value as given, of a list the parts that commas separate. Raises BadInput for a folder that is not
    there, and for names that contain a comma."""
    if one.option.metavar == "DIR" and not Path(value).is_dir():
        raise BadInput("there is no such folder", where=f"{one.flag} {value}", hint="name a folder")
    if not isinstance(value, list):
        return value
    for text in value:
        listed(text, one.flag)
    return [part.strip() for text in value for part in text.split(",") if part.strip()]


def _copied(fields: Fields) -> Fields:
    return {name: _copied(each) if isinstance(each, dict) else each for name, each in fields.items()}


def _put(fields: Fields, path: list[str], value: Any, said: str) -> None:
    for name in path[:-1]:
        inner = fields.setdefault(name, {})
        if isinstance(inner, str):  # a name, such as that of the limits
            inner = fields[name] = {NAMED: inner}
        if not isinstance(inner, dict):
            raise BadInput(f"{said!r}: {name} has no fields", where="--set")
        fields = inner
    fields[path[-1]] = value


def _value(text: str) -> Any:
    """Parse a value as YAML: 3, true, plain, [a, b]."""
    import yaml  # noqa: PLC0415 - import time

    try:
        return yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise BadInput(
            f"{text!r} is not a value", where="--set", hint="write a number, a word or [a, b]"
        ) from error
