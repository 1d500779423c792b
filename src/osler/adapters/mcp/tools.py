"""A seat's replies as tools: one for each action of a reply that has several, with the seat's own limits."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final

from pydantic import BaseModel, TypeAdapter, ValidationError
from pydantic_core import ErrorDetails

from osler.core.contract import Contract
from osler.core.role import Role
from osler.errors import BadInput

OPEN: Final = "open_case"
STATUS: Final = "status"
ENCOUNTER, TICKET, ANOTHER = "encounter", "ticket", "another"
LONGEST: Final = 64_000
"""The most characters that the arguments of a call may have as JSON."""
_WHOLE: Final = "reply"

_OURS: Final[Mapping[str, Mapping[str, Any]]] = {
    ENCOUNTER: {
        "type": "string",
        "maxLength": 40,
        "description": "The number of your encounter, as open_case told it.",
    },
    TICKET: {
        "type": "string",
        "maxLength": 40,
        "description": "The ticket of the question that you answer, as last told: a call that is sent twice"
        " acts once. An old ticket is refused and does nothing.",
    },
    ANOTHER: {
        "type": "boolean",
        "description": "true begins a further encounter although you are in one that has not ended.",
    },
}


@dataclass(frozen=True)
class Tool:
    """A tool by its name: what it is for, the JSON schema of its arguments, and how a reply is made of them.
    `fixed` are the fields that the tool's name stands for."""

    name: str
    about: str
    schema: Mapping[str, Any]
    reply: TypeAdapter[Any] | None = None
    fixed: Mapping[str, Any] = field(default_factory=dict)

    def reply_of(self, arguments: Mapping[str, Any]) -> BaseModel:
        """The seat's reply. Lists and objects may be sent as text. Raises BadInput, in words for the caller,
        for arguments that are none."""
        sent = {name: value for name, value in arguments.items() if name not in _OURS}
        given: Mapping[str, Any] = unquoted(sent, self.schema, self.schema.get("$defs", {}))
        assert self.reply is not None
        for name, value in self.fixed.items():
            if given.get(name, value) != value:
                raise BadInput(f"{name} is {value} in this tool", hint="another tool does that")
        try:
            said = given.get(_WHOLE) if _is_whole(self.schema) else {**given, **self.fixed}
            result: BaseModel = self.reply.validate_python(said)
        except ValidationError as error:
            known = [name for name in self.schema["properties"] if name not in _OURS]
            words = in_words(error, [str(value) for value in self.fixed.values()], _WHOLE, known)
            raise BadInput(words, hint=f"the schema of {self.name} says what it takes") from None
        return result


def checked(arguments: object) -> Mapping[str, Any]:
    """The arguments of a call. Raises BadInput for what is no object, and for one that is too long."""
    if not isinstance(arguments, Mapping):
        raise BadInput("the arguments are no object")
    if len(json.dumps(arguments, default=str)) > LONGEST:
        raise BadInput(f"the arguments are longer than {LONGEST:,} characters", hint="say it in fewer words")
    for name in (ENCOUNTER, TICKET):
        if not isinstance(arguments.get(name) or "", str):
            raise BadInput(f"{name} is no text")
    if not isinstance(arguments.get(ANOTHER) or False, bool):
        raise BadInput(f"{ANOTHER} is true or false")
    return arguments


def tools_for(role: Role, *, shared: bool) -> tuple[Tool, ...]:
    """All tools for whoever takes a seat of this role. With `shared`, several agents use one server, and each
    call has to name its encounter."""
    result = {tool.name: tool for contract in role.contracts for tool in replies(contract)}
    return (_open(shared=shared), _status(shared=shared), *(_named(one, shared) for one in result.values()))


def replies(contract: Contract[Any, Any]) -> tuple[Tool, ...]:
    """The tools that reply to a question of this contract."""
    return _replies(contract.reply)


@lru_cache(maxsize=64)
def _replies(reply: TypeAdapter[Any]) -> tuple[Tool, ...]:
    schema = reply.json_schema()
    by = schema.get("discriminator")
    if by is None:
        return (_tool(_snake(schema.get("title", _WHOLE)), schema, schema.get("$defs", {}), reply),)
    defs = schema.get("$defs", {})
    replies = []
    for value, ref in by["mapping"].items():
        own = defs[ref.rpartition("/")[2]]
        replies.append(_tool(value.lower(), own, defs, reply, {by["propertyName"]: value}))
    return tuple(replies)


def _tool(
    name: str,
    schema: Mapping[str, Any],
    defs: Mapping[str, Any],
    reply: TypeAdapter[Any],
    fixed: Mapping[str, Any] | None = None,
) -> Tool:
    fixed = fixed or {}
    if schema.get("type") != "object":
        schema = {"type": "object", "properties": {_WHOLE: dict(schema)}, "required": [_WHOLE]}
    fields = {key: value for key, value in schema.get("properties", {}).items() if key not in fixed}
    if strange := fields.keys() & _OURS.keys():
        raise BadInput(f"a reply with a field {min(strange)!r} cannot be a tool's", where=name)
    own = {
        "type": "object",
        "properties": fields,
        "required": [key for key in schema.get("required", ()) if key not in fixed],
        "additionalProperties": False,
    }
    if used := _used(own, defs):
        own["$defs"] = {key: defs[key] for key in used}
    name = f"{name}_reply" if name in (OPEN, STATUS) else name
    about = " ".join(str(schema.get("description", name)).split())
    lean: dict[str, Any] = _lean(own)
    return Tool(name, about, lean, reply, fixed)


def _named(tool: Tool, shared: bool) -> Tool:
    """The same with the arguments that say which question is answered."""
    fields = {**tool.schema["properties"], ENCOUNTER: _OURS[ENCOUNTER], TICKET: _OURS[TICKET]}
    required = [*tool.schema["required"], TICKET, *([ENCOUNTER] if shared else ())]
    schema = {**tool.schema, "properties": fields, "required": required}
    return Tool(tool.name, tool.about, schema, tool.reply, tool.fixed)


def _open(*, shared: bool) -> Tool:
    fields: dict[str, Any] = {ENCOUNTER: _OURS[ENCOUNTER]}
    about = (
        "Sit down: begin the next encounter, and learn what your seat knows, the rules and what is wanted."
        " With `encounter`, take one up again where it stands and be told everything once more."
    )
    if not shared:
        fields[ANOTHER] = _OURS[ANOTHER]
        about += " If you are in one that has not ended, that is what you are told."
    schema = {"type": "object", "properties": fields, "required": [], "additionalProperties": False}
    return Tool(OPEN, about, schema)


def _status(*, shared: bool) -> Tool:
    required = [ENCOUNTER] if shared else []
    about = (
        "Where you stand: everything you know, were told and said so far, the open question and its ticket."
    )
    fields = {ENCOUNTER: _OURS[ENCOUNTER]}
    schema = {"type": "object", "properties": fields, "required": required, "additionalProperties": False}
    return Tool(STATUS, about, schema)


def _used(schema: object, defs: Mapping[str, Any]) -> list[str]:
    """The definitions that a schema refers to, directly or not, in the order in which they stand."""
    result = set[str]()
    queue = [schema]
    while queue:
        new = {ref.rpartition("/")[2] for ref in _refs(queue.pop())} - result
        result |= new
        queue += [defs[name] for name in new if name in defs]
    return [name for name in defs if name in result]


def _refs(value: object) -> Iterable[str]:
    if isinstance(value, Mapping):
        if isinstance(ref := value.get("$ref"), str):
            yield ref
        for one in value.values():
            yield from _refs(one)
    elif isinstance(value, list | tuple):
        for one in value:
            yield from _refs(one)


def _lean(value: Any, *, names: bool = False) -> Any:
    """A schema without the titles that pydantic makes of names; `names` says that keys are fields' names."""
    if isinstance(value, Mapping):
        kept = value if names else {key: one for key, one in value.items() if key != "title"}
        return {
            key: _lean(one, names=not names and key in ("properties", "$defs")) for key, one in kept.items()
        }
    return [_lean(one) for one in value] if isinstance(value, list | tuple) else value


def _snake(name: str) -> str:
    """A tool's name from a type's: ExamineeMove is examinee_move, ExamReply is exam."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower().removesuffix("_reply") or _WHOLE


def _is_whole(schema: Mapping[str, Any]) -> bool:
    return _WHOLE in schema.get("properties", {}) and set(schema["properties"]) <= {_WHOLE, *_OURS}


# The arguments of a call: texts read as JSON where a list or an object stands, and faults in words


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
            data = json.loads(value)
        except (ValueError, RecursionError):
            return value
        value = data if isinstance(data, _READ[kind]) else value
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
    result = error.errors(include_url=False, include_input=False)
    return "; ".join(_fault(one, without, whole, known) for one in result[:_SHOWN])[:_LONGEST]


def _fault(one: ErrorDetails, without: Sequence[str], whole: str, known: Sequence[str]) -> str:
    place = ".".join(str(step) for step in one["loc"] if step not in without) or whole
    if one["type"] == "extra_forbidden":
        names = f"; the arguments are {', '.join(known)}" if "." not in place else ""
        return f"there is no argument {place[:40]}{names}"
    words = _WANTED.get(one["type"])
    if words is None:
        return f"{place}: {one['msg'].removeprefix('Value error, ')}"
    return f"{place} {words.format_map(one.get('ctx', {}))}"
