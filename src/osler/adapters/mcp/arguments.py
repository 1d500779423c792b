"""The arguments of a call: lists and objects sent as text are read, and faults said in words."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from pydantic import ValidationError
from pydantic_core import ErrorDetails

_READ: Final[Mapping[str, type]] = {"array": list, "object": dict}
_SHOWN: Final = 5
_LONGEST: Final = 500
_WANTED: Final[Mapping[str, str]] = {
    "missing": "is missing",
    "string_type": "has to be text",
    "string_too_short": "has to hold some text",
    "string_too_long": "is too long: at most {max_length} characters",
    "too_long": "has too many entries: at most {max_length}",
    "too_short": "has too few entries: at least {min_length}",
    **dict.fromkeys(("bool_type", "bool_parsing"), "has to be true or false"),
    **dict.fromkeys(("int_type", "int_parsing", "int_from_float"), "has to be a whole number"),
    **dict.fromkeys(("float_type", "float_parsing"), "has to be a number"),
    **dict.fromkeys(("tuple_type", "list_type"), 'has to be a list in brackets, such as ["one", "two"]'),
    **dict.fromkeys(("dict_type", "model_type", "model_attributes_type"), "has to be an object in braces"),
    "literal_error": "has to be {expected}",
    "greater_than_equal": "has to be {ge} or more",
    "less_than_equal": "has to be {le} or less",
}
"""What is said of an argument by the kind of fault that pydantic finds."""


def unquoted(value: Any, schema: Mapping[str, Any], defs: Mapping[str, Any]) -> Any:  # Any: JSON
    """The value, with a text in the place of a list or an object read as the JSON that it holds."""
    schema = defs.get(str(schema.get("$ref", "")).rpartition("/")[2], schema)
    kind = str(schema.get("type"))
    if kind in _READ and isinstance(value, str):
        try:
            found = json.loads(value)
        except (ValueError, RecursionError):
            return value
        value = found if isinstance(found, _READ[kind]) else value
    if kind == "array" and isinstance(value, list):
        return [unquoted(one, schema.get("items", {}), defs) for one in value]
    if kind == "object" and isinstance(value, Mapping):
        fields = schema.get("properties", {})
        return {name: unquoted(one, fields.get(name, {}), defs) for name, one in value.items()}
    return value


def in_words(error: ValidationError, without: Sequence[str], whole: str, known: Sequence[str]) -> str:
    """The first faults of a call's arguments, in words that say what is wanted.

    `without` are words that a place begins with although no argument has such a name, `whole` names a fault
    without a place, and `known` are the arguments that there are.
    """
    found = error.errors(include_url=False, include_input=False)
    return "; ".join(_fault(one, without, whole, known) for one in found[:_SHOWN])[:_LONGEST]


def _fault(one: ErrorDetails, without: Sequence[str], whole: str, known: Sequence[str]) -> str:
    place = ".".join(str(step) for step in one["loc"] if step not in without) or whole
    if one["type"] == "extra_forbidden":
        names = f"; the arguments are {', '.join(known)}" if "." not in place else ""
        return f"there is no argument {place[:40]}{names}"
    words = _WANTED.get(one["type"])
    if words is None:
        return f"{place}: {one['msg'].removeprefix('Value error, ')}"
    return f"{place} {words.format_map(one.get('ctx', {}))}"
