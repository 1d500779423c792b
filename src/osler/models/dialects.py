"""The dialects of JSON schema: what each kind of service takes, and the milder forms of a schema.

A schema is written once, with every bound; what a service refuses is left out of what it is sent, and our own
validation keeps it. Nothing here changes its argument.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, Literal

Dialect = Literal["openai", "azure", "anthropic", "bedrock", "gemini", "local"]
Schema = dict[str, Any]  # JSON of any shape
_Edit = Callable[[Schema], Schema]
_LENGTHS: Final = frozenset({"minLength", "maxLength", "pattern"})
_BOUNDS: Final = _LENGTHS | {
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minItems",
    "maxItems",
    "uniqueItems",
}
_OF_SCHEMAS: Final = frozenset({"properties", "$defs", "definitions", "patternProperties"})
_SCHEMAS: Final = frozenset(
    {"items", "prefixItems", "additionalProperties", "anyOf", "oneOf", "allOf", "not"}
)
_MOST_WORDS: Final = 20
"""The longest list of texts that is taken for words, such as verdicts, though none holds a digit."""
_HOSTS: Final[Mapping[str, Dialect]] = {
    ".azure.com": "azure",
    ".amazonaws.com": "bedrock",
    "googleapis.com": "gemini",
}


def dialect_of(host: str) -> Dialect:
    """The dialect of a host where its name tells; "openai", which is sent schemas as they are, elsewhere."""
    name = host.partition(":")[0]
    return next((found for end, found in _HOSTS.items() if name.endswith(end)), "openai")


def sendable(schema: Schema, kind: str) -> Schema:
    """The schema without what services of this kind refuse; unchanged for a kind that is not known."""
    match kind:
        case "azure":
            return _edited(without_bounds(schema), _plain)
        case "anthropic" | "bedrock":
            return _edited(_edited(schema, _kept_nonempty), _plain)
        case "gemini":
            return _edited(without_lengths(schema), _plain)
    return schema


def without_lengths(schema: Schema) -> Schema:
    """The schema without limits on texts."""
    return _edited(schema, lambda node: _without(node, _LENGTHS))


def without_bounds(schema: Schema) -> Schema:
    """The schema without limits on texts, numbers and lists."""
    return _edited(schema, lambda node: _without(node, _BOUNDS))


def ids_as_text(schema: Schema) -> Schema:
    """The schema with each list of ids replaced by any text. A constant, such as the action of a branch, and
    a short list of words stay."""
    return _edited(schema, _freed)


def _freed(node: Schema) -> Schema:
    listed = node.get("enum")
    if not isinstance(listed, list):
        return node
    texts = [one for one in listed if isinstance(one, str)]
    rows = len(texts) > _MOST_WORDS or all(any(map(str.isdigit, text)) for text in texts)
    if len(texts) < 2 or len(texts) + listed.count(None) < len(listed) or not rows:
        return node
    kind: object = ["string", "null"] if None in listed else "string"
    return {"type": kind, **{name: value for name, value in node.items() if name not in ("enum", "type")}}


def _kept_nonempty(node: Schema) -> Schema:
    """Without bounds, except that a list must not be empty."""
    bare, least = _without(node, _BOUNDS), node.get("minItems")
    return {**bare, "minItems": 1} if isinstance(least, int) and least >= 1 else bare


def _plain(node: Schema) -> Schema:
    """With closed objects, and the spelling that is understood everywhere of unions and constants."""
    spelt = {"anyOf" if name == "oneOf" else name: value for name, value in node.items()}
    if "oneOf" in node:
        spelt.pop("discriminator", None)
    if "const" in spelt:
        spelt["enum"] = [spelt.pop("const")]
    return {**spelt, "additionalProperties": False} if _is_open(spelt) else spelt


def _is_open(node: Schema) -> bool:
    return "properties" in node and node.get("additionalProperties", True) is True


def _without(node: Schema, keywords: frozenset[str]) -> Schema:
    return {name: value for name, value in node.items() if name not in keywords}


def _edited(schema: Schema, edit: _Edit) -> Schema:
    """The schema with `edit` applied to it and to each schema in it; names of properties, constants and
    examples are no schemas."""
    return {
        name: {key: _inner(one, edit) for key, one in value.items()}
        if name in _OF_SCHEMAS and isinstance(value, dict)
        else _inner(value, edit)
        if name in _SCHEMAS
        else value
        for name, value in edit(schema).items()
    }


def _inner(found: object, edit: _Edit) -> object:
    if isinstance(found, list):
        return [_inner(one, edit) for one in found]
    return _edited(found, edit) if isinstance(found, dict) else found
