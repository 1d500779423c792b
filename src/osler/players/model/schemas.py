"""The forms that models fill: a closed object of a short `note` and a `move`, which is a union by action.

The action comes first in each move, as a choice of one, and beside it stand only the fields of that action,
all of them required. So a model that asks a question writes a question and nothing else, and the schema
qualifies for the strict modes of those endpoints that have one. Reasons come before conclusions, because
models write in order. All texts and lists are bounded, so that the limit of an answer follows from its form;
services that refuse bounds are sent the schema without (`osler.models.dialects`).

Ids are neutral names (`osler.players.model.neutral_names`), the same list in every case and turn: no endpoint
compiles a new schema or loses its cache of prompts for another case.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any, Final

from osler.models.extraction import object_in
from osler.models.types import Output
from osler.players.model.neutral_names import MOST_NAMES, Names, name_of

Schema = dict[str, Any]  # JSON of any shape
NOTE: Final = 240
"""The longest note, in characters."""
MOST_ITEMS: Final = 12
"""The most items of a list, unless its place calls for another number."""
UTTERANCE: Final = 600
"""The longest words of one speaker, in characters."""
FLAG: Final = {"type": "boolean"}
INTEGER: Final = {"type": "integer"}
SHARE: Final = {"type": "number", "minimum": 0, "maximum": 1}
_FEW: Final = 2
_KINDS: Final = {"number": "0 to 1", "integer": "number", "boolean": "true or false", "string": "words"}
_EXAMPLE: Final = {"number": 0.5, "integer": 1, "boolean": True, "string": "..."}


def text(most: int = UTTERANCE, about: str = "") -> Schema:
    """The schema of a text of at most `most` characters; `about` says in a few words what it holds."""
    return {"type": "string", "maxLength": most, **({"description": about} if about else {})}


def choice(*values: str) -> Schema:
    """The schema of one of these values."""
    return {"type": "string", "enum": list(values)}


def neutral_name(letter: str, about: str, most: int = MOST_NAMES, *others: str) -> Schema:
    """The schema of a neutral name with this letter, or of one of the `others`; `about` says of what."""
    names = (name_of(letter, number) for number in range(1, most + 1))
    return {**choice(*names, *others), "description": about}


def listed(items: Schema, most: int = MOST_ITEMS, least: int = 0) -> Schema:
    """The schema of a list of at least `least` and at most `most` items."""
    return {"type": "array", "items": items, **({"minItems": least} if least else {}), "maxItems": most}


def object_of(**properties: Schema) -> Schema:
    """The schema of an object with exactly these properties, all of them required."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def list_of(most: int = MOST_ITEMS, /, **properties: Schema) -> Schema:
    """The schema of a list of such objects, at most `most`."""
    return listed(object_of(**properties), most)


def output(name: str, **properties: Schema) -> Output:
    """The strict output schema of an object with exactly these properties."""
    return Output(name=name, json_schema=object_of(**properties), strict=True)


def move(action: str, **fields: Schema) -> Schema:
    """One move of a form: its action and the fields of that action.

    move("ASK", question=text())
    """
    return object_of(action=choice(action), **fields)


def form(name: str, *moves: Schema, note: int = 0) -> Output:
    """The form of a seat whose answer is one of the moves, after a note of at most `note` characters.

    A seat whose moves hold their own reasons, or need none, has no note.
    """
    before = {"note": text(note, "why, in a few words")} if note else {}
    return output(name, **before, move={"anyOf": list(moves)})


def opened(value: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of an answer in one object: those of its move, and its note. An answer without a move, or
    with its fields beside the move, is taken as it is written."""
    inner = object_in(value.get("move"))
    if isinstance(inner, str):
        inner = {"action": inner}
    beside = {name: found for name, found in value.items() if name != "move"}
    return {**beside, **inner} if isinstance(inner, Mapping) else beside


def closed(action: str, note: str = "", /, **fields: object) -> str:
    """An answer as a model writes it, for its own earlier replies in its prompt: the inverse of `opened`."""
    before = {"note": note} if note else {}
    return _compact({**before, "move": {"action": action, **fields}})


def sketch(asked: Output) -> str:
    """A form in a few lines, as a prompt shows it."""
    fields = asked.json_schema["properties"]
    actions: dict[str, list[str]] = {}
    for one in _moves(asked):
        actions.setdefault(_fields_sketch(one, 1), []).append(_action(one))
    moves = [f'{{"action":{_either(names)}{rest}}}' for rest, names in actions.items()]
    if not moves:
        return _sketch(asked.json_schema)
    note = f'"note":{_sketch(fields["note"])},' if "note" in fields else ""
    if len(moves) <= _FEW:
        return "\n".join(f'{{{note}"move":{one}}}' for one in moves)
    return "\n".join((f'{{{note}"move":MOVE}}, where MOVE is one of', *moves))


def asked_in(asked: Output) -> str:
    """The words of a prompt that ask for an answer in a form."""
    return f"Answer with one JSON object:\n{sketch(asked)}"


def example(asked: Output, answer: str = "") -> str:
    """The shortest valid answer: in the move that an unusable `answer` seems to have tried, else in the
    shortest that says something."""
    moves = list(_moves(asked))
    if not moves:
        return _compact(_instance(asked.json_schema))
    tried = (one for one in moves if f'"{_action(one)}"' in answer)
    shortest = min(moves, key=lambda one: (len(one["properties"]) < 2, len(_compact(_instance(one)))))
    note = {"note": "..."} if "note" in asked.json_schema["properties"] else {}
    return _compact({**note, "move": _instance(next(tried, shortest))})


def fitted(asked: Output, offered: tuple[Names, ...], *, narrow: bool) -> Output:
    """The form for what a request offers. With `narrow` neutral names are those on offer alone, for endpoints
    that compile a schema in no time; names beyond the form's constant list are asked for as text, in lists
    that have room for all of them."""
    changed = tuple(names for names in offered if narrow or _goes_beyond(asked.schema_text, names))
    return _fitted(asked.name, asked.schema_text, changed) if changed else asked


@lru_cache(maxsize=512)
def _fitted(name: str, schema: str, offered: tuple[Names, ...]) -> Output:
    kinds = {names.letter: names for names in offered}
    return Output(name=name, json_schema=_with_names(json.loads(schema), kinds), strict=True)


def _goes_beyond(schema: str, names: Names) -> bool:
    first, last = (f'"{name_of(names.letter, number)}"' for number in (1, max(1, len(names.ids))))
    return first in schema and last not in schema


def _with_names(node: Any, kinds: Mapping[str, Names]) -> Any:
    if isinstance(node, list):
        return [_with_names(one, kinds) for one in node]
    if not isinstance(node, dict):
        return node
    named = node.get("enum")
    if isinstance(named, list) and (names := _named(node, kinds)):
        listed = {name_of(names.letter, number) for number in range(1, MOST_NAMES + 1)}
        offered = [*names.offered, *(one for one in named if one not in listed)]
        about = node.get("description", "")
        if len(names.ids) > sum(one in listed for one in named):
            return text(8, about)
        return {**choice(*offered), "description": about} if offered else node
    changed = {name: _with_names(one, kinds) for name, one in node.items()}
    if node.get("type") == "array":
        changed["maxItems"] = most = _room(node, kinds)
        if least := min(max(node.get("minItems", 0), _least(node, kinds)), most):
            changed["minItems"] = least
        else:
            changed.pop("minItems", None)
    return changed


def _room(node: Schema, kinds: Mapping[str, Names]) -> int:
    """The most items of a list: none where it is of names and none is on offer, and one for each name where
    it was meant to hold all."""
    most: int = node["maxItems"]
    inner = node["items"].get("properties", {}).values()
    if (names := _named(node["items"], kinds)) and not names.offered:
        return 0
    for one in (node["items"], *inner):
        if (names := _named(one, kinds)) and most >= len(one["enum"]):
            most = max(most, len(names.ids))
    return most


def _least(node: Schema, kinds: Mapping[str, Names]) -> int:
    """The number of things of which a list has one each."""
    inner = node["items"].get("properties", {}).values()
    return max((len(names.ids) for one in inner if (names := _named(one, kinds)) and names.every), default=0)


def _named(node: Any, kinds: Mapping[str, Names]) -> Names | None:
    """The names that a schema chooses among; `None` if it is no choice of neutral names."""
    first = (node.get("enum") or ("",))[0] if isinstance(node, dict) else ""
    names = kinds.get(first[:1]) if isinstance(first, str) else None
    return names if names is not None and first == name_of(names.letter, 1) else None


def _moves(asked: Output) -> Iterator[Schema]:
    yield from asked.json_schema["properties"].get("move", {}).get("anyOf", ())


def _action(one: Schema) -> str:
    return str(next(iter(one["properties"].values()))["enum"][0])


def _sketch(node: Schema, bound: str = "") -> str:
    """One value as it is shown. A list's bound stands inside the first `<...>` of its item: small models copy
    whatever stands outside one."""
    if "properties" in node:
        return f"{{{_fields_sketch(node, bound=bound)[1:]}}}"
    if node.get("type") == "array":
        inner = f"; at most {node['maxItems']}" if "maxItems" in node else ""
        return f"[{_sketch(node['items'], inner)}]"
    if about := node.get("description"):
        return f"<{about}{bound}>"
    if values := node.get("enum"):
        return _either(values)
    return f"<{_KINDS.get(str(node.get('type')), 'value')}{bound}>"


def _fields_sketch(node: Schema, start: int = 0, bound: str = "") -> str:
    """The fields of an object from a place on, each after a comma."""
    shown = []
    for name, one in list(node["properties"].items())[start:]:
        shown.append(f',"{name}":{_sketch(one, bound)}')
        bound = bound if "<" not in shown[-1] else ""
    return "".join(shown)


def _either(values: Iterable[str]) -> str:
    return "|".join(f'"{one}"' for one in values)


def _compact(value: object) -> str:
    """JSON without blanks: a model writes as it is shown, and blanks are tokens."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _instance(node: Schema) -> object:
    if "properties" in node:
        return {name: _instance(one) for name, one in node["properties"].items()}
    if node.get("type") == "array":
        least = max(node.get("minItems", 0), "properties" in node["items"])
        return [_instance(node["items"])] * least
    if "anyOf" in node:
        return _instance(node["anyOf"][0])
    return node["enum"][0] if "enum" in node else _EXAMPLE.get(str(node.get("type")))
