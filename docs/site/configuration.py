"""The page of the configuration: osler.toml, and the fields of each protocol's configuration."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from annotated_types import Ge, Gt, Le, Lt
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from docs.site.markdown import capital, cell, code, field_words, first_sentence, page, table, type_words
from osler.core.config import Config
from osler.core.option import options_of
from osler.core.protocol import Protocol
from osler.core.registry import protocols
from osler.models import config as config_file
from osler.models.config import Capabilities, Endpoint

EXAMPLE: Final = Path(__file__).parents[2] / "osler.toml.example"
_HEAD: Final = ("field", "meaning", "value")
_FIELDS: Final = (
    "The fields of `osler run PROTOCOL --set FIELD=VALUE`, of a study's `base` and conditions, and of"
    " `osler.configure`. Fields with an option can be set by it, too."
)


def configuration() -> str:
    """The page."""
    return page(
        "# Configuration",
        "## osler.toml",
        inspect.getdoc(config_file) or "",
        "### An endpoint: `[endpoints.NAME]`",
        first_sentence(Endpoint),
        table(_HEAD, _rows(Endpoint, without=("name", "capabilities"))),
        "### Capabilities: `[endpoints.NAME.capabilities]`",
        first_sentence(Capabilities),
        table(_HEAD, _rows(Capabilities)),
        "### An example",
        f"```toml\n{EXAMPLE.read_text('utf-8').strip()}\n```",
        "## Every protocol",
        _FIELDS,
        table(_HEAD, _rows(Config)),
        *(block for protocol in protocols() for block in _own(protocol)),
    )


def _own(protocol: Protocol) -> Iterator[str]:
    """A protocol's own fields, and those of the models inside them."""
    config: Any = protocol.config
    yield f"## {capital(protocol.one)}: `{protocol.name}`"
    yield table(_HEAD, _rows(config, without=tuple(Config.model_fields)))


def _rows(
    of: type[BaseModel],
    *,
    without: tuple[str, ...] = (),
    within: str = "",
    root: type[BaseModel] | None = None,
) -> Iterator[tuple[str, ...]]:
    flags = {one.dotted: one for one in options_of(root or of)}
    for name, field in of.model_fields.items():
        if name in without:
            continue
        dotted, inner = f"{within}{name}", field.annotation
        if isinstance(inner, type) and issubclass(inner, BaseModel) and not field.is_required():
            yield from _rows(inner, within=f"{dotted}.", root=root or of)
            continue
        option = flags.get(dotted)
        default = option.option.usual if option and option.option.usual else _default(field)
        usual = default if field.is_required() else f"default {default}"
        bounds = ", ".join((usual, *bounds_of(field)))
        flag = f" Option: `{option.flag}`." if option else ""
        yield code(dotted), _meaning(of, name) + flag, f"{code(type_words(inner))}, {cell(bounds)}"


def _meaning(of: type[BaseModel], name: str) -> str:
    words = field_words(of, name).removeprefix(f"`{name}` ").removeprefix("is ").removeprefix("are ")
    return cell(f"{capital(words).rstrip('.')}." if words else "")


def _default(field: FieldInfo) -> str:
    if field.is_required():
        return "required"
    return value_words(field.get_default(call_default_factory=True))


def value_words(value: Any) -> str:
    """A value of a field as it is written: `empty` for no text or entries, `none` for nothing."""
    if isinstance(value, tuple | dict):
        return ", ".join(map(str, value)) or "empty"
    if isinstance(value, bool):
        return str(value).lower()
    return {None: "none", "": "empty"}.get(value, str(value))


def bounds_of(field: FieldInfo) -> Iterator[str]:
    """The bounds of a number in words."""
    for one in field.metadata:
        if isinstance(one, Ge):
            yield f"at least {one.ge}"
        elif isinstance(one, Gt):
            yield f"more than {one.gt}"
        elif isinstance(one, Le):
            yield f"at most {one.le}"
        elif isinstance(one, Lt):
            yield f"less than {one.lt}"
