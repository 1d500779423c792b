"""The form of a seat of any protocol, derived from its reply type: a note, and a move for each kind of reply.

A union of replies that a field of constants tells apart becomes a union of moves with that field first; any
other reply is one move, REPLY. Strict modes require that every field is required and no others are allowed,
so a text that may be missing is asked for as a text that may be empty. A type that cannot be expressed so (a
mapping with free keys, a tuple of fixed length, a type within itself) is requested as it is, without strict
mode.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple

from pydantic import BaseModel, TypeAdapter

from osler.core.events import json_of
from osler.models.types import Output
from osler.players.model.schemas import NOTE, Schema, closed, form, move, opened

REPLY: Final = "reply"
_MOST_ITEMS: Final = 20
_MOST_CHARACTERS: Final = 1000
_DEEPEST: Final = 8
_KEPT: Final = frozenset({"type", "enum", "description"})


class ReplyForm(NamedTuple):
    """The form to request, and the type adapter that parses the answer.

    `named` is the field that tells moves apart, "" for a reply of one kind; `empty` are the fields in which
    an empty text stands for none. Without `moves` the reply is asked for as it is, a reply type that is no
    object as the field `reply` of one.
    """

    output: Output
    reply: TypeAdapter[Any]
    named: str = ""
    empty: frozenset[str] = frozenset()
    moves: bool = True

    def read(self, value: Any) -> BaseModel:
        """Parse the reply from a filled form. Raises ValueError."""
        if isinstance(value.get("move"), Mapping) and self.moves:
            fields = opened({"move": value["move"]})
            action = fields.pop("action", None)
            value = {name: one for name, one in fields.items() if one != "" or name not in self.empty}
            if self.named:
                value[self.named] = action
        elif REPLY in value and len(value) == 1:
            value = value[REPLY]
        read: BaseModel = self.reply.validate_python(value)
        return read

    def write(self, reply: BaseModel) -> str:
        """An earlier reply as its model wrote it."""
        if not self.moves:
            return json_of(reply)
        fields = reply.model_dump(mode="json")
        action = fields.pop(self.named) if self.named else "REPLY"
        missing = dict.fromkeys((name for name in self.empty if fields.get(name, "") is None), "")
        return closed(action, **fields | missing)


def reply_form(reply: TypeAdapter[Any], name: str) -> ReplyForm:
    """Build the form of a contract's reply; `name` (letters, digits, `_` and `-`) is its name at
    endpoints."""
    plain = reply.json_schema()
    definitions = plain.pop("$defs", {})
    try:
        named = plain.get("discriminator", {}).get("propertyName", "")
        kinds = [_resolved(one, definitions) for one in plain.get("oneOf", ())] if named else [plain]
        empty = frozenset(_nullable(kinds))
        moves = [_move(kind, named, definitions) for kind in kinds]
    except _Loose:
        if plain.get("type") != "object":
            plain = {"type": "object", "properties": {REPLY: plain}, "required": [REPLY]}
        if definitions:
            plain["$defs"] = definitions
        return ReplyForm(Output(name=name, json_schema=plain), reply, moves=False)
    return ReplyForm(form(name, *moves, note=NOTE), reply, named, empty)


class _Loose(Exception):
    """Raised for a schema that strict modes do not accept."""


def _move(kind: Schema, named: str, definitions: Schema) -> Schema:
    if "properties" not in kind:
        raise _Loose
    fields = {name: _strict(one, definitions, 0) for name, one in kind["properties"].items() if name != named}
    action = kind["properties"][named].get("const") if named else "REPLY"
    if not isinstance(action, str) or "action" in fields:
        raise _Loose
    return move(action, **fields)


def _nullable(kinds: list[Schema]) -> list[str]:
    """The fields whose text may be missing."""
    return [
        name
        for kind in kinds
        for name, one in kind.get("properties", {}).items()
        if {"type": "null"} in one.get("anyOf", ()) and _text_of(one["anyOf"])
    ]


def _text_of(branches: Iterable[Schema]) -> Schema | None:
    """The text that may be missing; `None` if something else may, or one of several."""
    known = [one for one in branches if one != {"type": "null"}]
    return (
        known[0] if len(known) == 1 and known[0].get("type") == "string" and "enum" not in known[0] else None
    )


def _resolved(node: Schema, definitions: Schema) -> Schema:
    schema: Schema = definitions[node["$ref"].rsplit("/", 1)[1]] if "$ref" in node else node
    return schema


def _strict(node: Schema, definitions: Schema, depth: int) -> Schema:
    """A field's schema for strict modes: references resolved, bounded, nothing optional. Raises _Loose."""
    node = _resolved(node, definitions)
    if depth > _DEEPEST or "allOf" in node:
        raise _Loose
    schema = {key: value for key, value in node.items() if key in _KEPT}
    if "const" in node:
        schema["enum"] = [node["const"]]
    branches = node.get("anyOf") or node.get("oneOf") or ()
    if (text := _text_of(branches)) is not None:
        return _strict(text, definitions, depth + 1)
    if branches:
        schema["anyOf"] = [_strict(one, definitions, depth + 1) for one in branches]
    match node.get("type"):
        case "object":
            if "properties" not in node:
                raise _Loose
            inner = node["properties"].items()
            schema["properties"] = {name: _strict(one, definitions, depth + 1) for name, one in inner}
            schema |= {"required": list(schema["properties"]), "additionalProperties": False}
        case "array":
            if "prefixItems" in node or "items" not in node:
                raise _Loose
            schema["items"] = _strict(node["items"], definitions, depth + 1)
            schema["maxItems"] = min(node.get("maxItems", _MOST_ITEMS), _MOST_ITEMS)
        case "string" if "enum" not in schema:
            schema["maxLength"] = min(node.get("maxLength", _MOST_CHARACTERS), _MOST_CHARACTERS)
    if not schema.keys() & {"type", "enum", "anyOf"}:
        raise _Loose
    return schema
