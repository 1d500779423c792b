"""Structured output: the JSON schema in which a model gives a seat's reply, derived from the reply type.

The strict mode of endpoints requires that every field of every object is required and no others are allowed,
so the schema is rewritten that way; limits of length and range are left to validation, lists are bounded. A
type that cannot be expressed so (a mapping with free keys, a tuple of fixed length) is requested as it is,
without strict mode.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from pydantic import BaseModel, TypeAdapter

from osler.models.types import Output

REPLY: Final = "reply"
_MOST_ITEMS: Final = 100
_KEPT: Final = frozenset({"type", "enum", "description", "$ref"})
Schema = dict[str, Any]  # Any: JSON


class ReplyForm(NamedTuple):
    """The output schema to request, and the type adapter that parses the answer. A reply type that is not an
    object, such as a union of moves, is wrapped in one, as its field `reply`."""

    output: Output
    reply: TypeAdapter[Any]
    inside: bool

    def read(self, value: Any) -> BaseModel:
        """Parse the reply from a filled schema. Raises ValueError."""
        if self.inside:
            value = value.get(REPLY)
        read: BaseModel = self.reply.validate_python(value)
        return read


def reply_form(reply: TypeAdapter[Any], name: str) -> ReplyForm:
    """Build the form of a contract's reply; `name` (letters, digits, `_` and `-`) is its name at
    endpoints."""
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
    """Raised for a schema that strict modes do not accept."""


def _strict(node: Schema) -> Schema:
    """Rewrite a schema for strict mode: every field required, unsupported keywords dropped. Raises _Loose."""
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
        kept["maxItems"] = node.get("maxItems", _MOST_ITEMS)
    if not kept.keys() & {"type", "enum", "anyOf", "$ref"} or "allOf" in node:
        raise _Loose
    return kept
