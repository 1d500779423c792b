"""The form in which a model gives a seat's reply, made from the reply's own type.

Endpoints with a strict mode hold a model to a schema only where every field of every object is required and
nothing else is allowed, so this is what they are asked for; limits of length and range are left to
validation. A type that cannot be put so (a mapping with free keys, a tuple of fixed length) is asked for as
it is.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from pydantic import BaseModel, TypeAdapter

from osler.models.types import Output

REPLY: Final = "reply"
_KEPT: Final = frozenset({"type", "enum", "description", "$ref"})
Schema = dict[str, Any]  # Any: JSON


class ReplyForm(NamedTuple):
    """The output type to ask for, and the type that reads it. A reply that is no object by itself, such as
    one of several moves, is asked for inside one, as its `reply`."""

    output: Output
    reply: TypeAdapter[Any]
    inside: bool

    def read(self, value: Any) -> BaseModel:
        """The reply in a filled form. Raises ValueError."""
        if self.inside:
            value = value.get(REPLY)
        read: BaseModel = self.reply.validate_python(value)
        return read


def reply_form(reply: TypeAdapter[Any], name: str) -> ReplyForm:
    """The form of a contract's reply; `name` (letters, digits, `_` and `-`) is what endpoints call it."""
    plain = reply.json_schema()
    definitions = plain.pop("$defs", {})
    inside = plain.get("type") != "object"
    if inside:
        plain = {"type": "object", "properties": {REPLY: plain}, "required": [REPLY]}
    try:
        schema, strict = _strict(plain), True
        strict_definitions = {each: _strict(one) for each, one in definitions.items()}
    except _Loose:
        schema, strict, strict_definitions = plain, False, definitions
    if strict_definitions:
        schema["$defs"] = strict_definitions
    return ReplyForm(Output(name=name, json_schema=schema, strict=strict), reply, inside)


class _Loose(Exception):
    """A schema that strict modes refuse."""


def _strict(node: Schema) -> Schema:
    """The schema with every field required, and without what strict modes do not know. Raises _Loose."""
    kept = {key: value for key, value in node.items() if key in _KEPT}
    if "const" in node:
        kept["enum"] = [node["const"]]
    for key in ("anyOf", "oneOf"):
        if key in node:
            kept["anyOf"] = [_strict(each) for each in node[key]]
    if node.get("type") == "object":
        if "properties" not in node:
            raise _Loose
        kept["properties"] = {name: _strict(each) for name, each in node["properties"].items()}
        kept |= {"required": list(kept["properties"]), "additionalProperties": False}
    elif node.get("type") == "array":
        if "prefixItems" in node or "items" not in node:
            raise _Loose
        kept["items"] = _strict(node["items"])
    if not kept.keys() & {"type", "enum", "anyOf", "$ref"} or "allOf" in node:
        raise _Loose
    return kept
