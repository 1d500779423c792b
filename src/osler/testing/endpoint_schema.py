"""Sampling a small instance of a JSON schema, deterministically.

Only required and constant properties are filled, unless others are `wanted`: a mapping from property names to
values that a template would like to place wherever the schema allows them. Enumerations give their first
value (the i-th in the i-th item of a list), alternatives their first branch, or the one that suits the wanted
values best. Patterns are not supported.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, TypeAlias
from zlib import crc32

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"
Schema: TypeAlias = dict[str, Json]

_WORDS: Final = (
    "steady mild morning evening usual quiet plain better worse since today yesterday again often "
    "rarely slowly quickly well rest walk meal water sleep work home week month little some"
).split()
_FORMATS: Final = {
    "date": "2024-01-01",
    "date-time": "2024-01-01T00:00:00Z",
    "time": "00:00:00Z",
    "email": "someone@example.org",
    "uri": "https://example.org/",
    "uuid": "00000000-0000-4000-8000-000000000000",
}
_DEEP, _TOO_DEEP, _MAX_ITEMS, _MAX_CHARS = 8, 32, 1000, 100_000
_TYPES: Final[dict[str, tuple[type, ...]]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
}


class Unsatisfiable(ValueError):
    """No instance was found: the schema contradicts itself, recurses without end, or is invalid."""


def words(seed: str, count: int) -> str:
    """Generate `count` plain words, the same for the same seed."""
    start = crc32(seed.encode("utf-8", "surrogatepass"))
    return " ".join(_WORDS[(start >> i % 16) % len(_WORDS)] for i in range(count))


@dataclass(slots=True)
class Sampler:
    """Samples one instance of `root`, of at most `room` values. `seed` varies the words of free strings."""

    root: Schema
    wanted: Mapping[str, Json] = field(default_factory=dict)
    seed: str = ""
    room: int = 20_000

    def instance(self) -> Json:
        """The instance. Raises Unsatisfiable."""
        return self._value(self.root, "", 0, 0)

    def fits(self, value: Json, schema: Json) -> bool:
        """Whether `value` is an instance of `schema`, as far as this module understands schemas."""
        if isinstance(schema, bool):
            return schema
        plain = self._follow(schema)
        if "const" in plain and value != plain["const"]:
            return False
        if "enum" in plain and value not in _list(plain["enum"]):
            return False
        branches = _branches(plain)
        if branches and not any(self.fits(value, branch) for branch in branches):
            return False
        types = _types(plain)
        if types and not any(_is(value, name) for name in types):
            return False
        return self._within(value, plain)

    def _within(self, value: Json, schema: Schema) -> bool:
        if isinstance(value, str):
            return _int(schema, "minLength", 0) <= len(value) <= _int(schema, "maxLength", _MAX_CHARS)
        if isinstance(value, bool) or value is None:
            return True
        if isinstance(value, int | float):
            low, high = _bounds(schema)
            return low <= value <= high
        if isinstance(value, list):
            roomy = _int(schema, "minItems", 0) <= len(value) <= _int(schema, "maxItems", _MAX_ITEMS)
            return roomy and all(self.fits(item, schema.get("items", True)) for item in value)
        properties, others = _dict(schema.get("properties")), schema.get("additionalProperties", True)
        return all(name in value for name in _list(schema.get("required"))) and all(
            self.fits(item, properties.get(name, others)) for name, item in value.items()
        )

    def _follow(self, schema: Json) -> Schema:
        """Resolve `$ref` and `allOf` in a schema."""
        plain = _dict(schema, strict=True)
        for _ in range(_TOO_DEEP):
            if "$ref" in plain:
                rest = {key: value for key, value in plain.items() if key != "$ref"}
                plain = _merged(rest, self._at(plain["$ref"]))
            elif "allOf" in plain:
                parts = _list(plain["allOf"])
                plain = {key: value for key, value in plain.items() if key != "allOf"}
                for part in parts:
                    plain = _merged(plain, _dict(part))
            else:
                return plain
        raise Unsatisfiable("its references never end")

    def _at(self, reference: Json) -> Schema:
        if not isinstance(reference, str) or not reference.startswith("#"):
            raise Unsatisfiable("it refers outside itself")
        schema: Json = self.root
        for step in reference[1:].strip("/").split("/") if len(reference) > 1 else ():
            name = step.replace("~1", "/").replace("~0", "~")
            if not isinstance(schema, dict) or name not in schema:
                raise Unsatisfiable(f"it refers to {reference[:80]}, which it lacks")
            schema = schema[name]
        return _dict(schema, strict=True)

    def _value(self, schema: Json, name: str, index: int, depth: int) -> Json:
        self.room -= 1
        if depth > _TOO_DEEP or self.room < 0:
            raise Unsatisfiable("it nests without end")
        plain = self._follow({} if schema is True else schema)
        if name in self.wanted and self.fits(self.wanted[name], plain):
            return self.wanted[name]
        if "const" in plain:
            return plain["const"]
        if choices := _list(plain.get("enum")):
            return choices[index % len(choices)]
        if branches := _branches(plain):
            # At depth the last branch comes first: it is `null` where a type refers to itself.
            chosen = branches[-1] if depth > _DEEP else max(branches, key=self._liking)
            return self._value(_merged(_without_branches(plain), _dict(chosen)), name, index, depth + 1)
        return self._of_type(plain, name, index, depth)

    def _of_type(self, schema: Schema, name: str, index: int, depth: int) -> Json:
        types = _types(schema)
        match types[0] if types else _guess(schema):
            case "object":
                return self._object(schema, index, depth)
            case "array":
                return self._array(schema, name, depth)
            case "string":
                return self._string(schema, name, index)
            case "integer" | "number" as kind:
                return _number(schema, whole=kind == "integer")
            case "boolean":
                return True
            case "null":
                return None
        raise Unsatisfiable(f"it has an unknown type {str(types[0])[:40]!r}")

    def _object(self, schema: Schema, index: int, depth: int) -> Json:
        properties = _dict(schema.get("properties"))
        required = [str(name) for name in _list(schema.get("required"))]
        chosen = [
            name
            for name, inner in properties.items()
            if name in required or self._is_constant(inner) or self._is_wanted(name, inner)
        ]
        spare = [name for name in properties if name not in chosen]
        chosen += [name for name in required if name not in properties]
        least = min(_int(schema, "minProperties", 0), _MAX_ITEMS)
        chosen += spare[: max(0, least - len(chosen))]
        chosen += [f"key{i}" for i in range(least - len(chosen))]
        others = schema.get("additionalProperties", True)
        return {name: self._value(properties.get(name, others), name, index, depth + 1) for name in chosen}

    def _array(self, schema: Schema, name: str, depth: int) -> Json:
        first, rest = _list(schema.get("prefixItems")), schema.get("items", True)
        count = min(_int(schema, "minItems", 0), _MAX_ITEMS)
        return [self._value(first[i] if i < len(first) else rest, name, i, depth + 1) for i in range(count)]

    def _string(self, schema: Schema, name: str, index: int) -> str:
        if (form := schema.get("format")) in _FORMATS:
            return _FORMATS[str(form)]
        least, most = _int(schema, "minLength", 0), _int(schema, "maxLength", _MAX_CHARS)
        if least > min(most, _MAX_CHARS):
            raise Unsatisfiable("a string's lengths leave no room")
        text = words(f"{self.seed} {name} {index}", max(3, least // 3))
        return text[:most].ljust(least, "x")

    def _liking(self, branch: Json) -> int:
        """The score of a branch for the wanted values: one refused outweighs any number accepted."""
        properties = _dict(self._follow(branch).get("properties"))
        verdicts = [
            self.fits(self.wanted[name], properties[name]) for name in self.wanted if name in properties
        ]
        return sum(1 if fits else -100 for fits in verdicts)

    def _is_constant(self, schema: Json) -> bool:
        return isinstance(schema, dict) and "const" in schema

    def _is_wanted(self, name: str, schema: Json) -> bool:
        return name in self.wanted and self.fits(self.wanted[name], schema)


def _merged(one: Schema, other: Schema) -> Schema:
    """Merge two schemas: properties and requirements are united, otherwise `other` takes precedence."""
    both = {**one, **other}
    if "properties" in one and "properties" in other:
        both["properties"] = {**_dict(one["properties"]), **_dict(other["properties"])}
    if "required" in one and "required" in other:
        both["required"] = [*_list(one["required"]), *_list(other["required"])]
    return both


def _branches(schema: Schema) -> list[Json]:
    return _list(schema.get("anyOf")) or _list(schema.get("oneOf"))


def _without_branches(schema: Schema) -> Schema:
    return {key: value for key, value in schema.items() if key not in ("anyOf", "oneOf", "discriminator")}


def _types(schema: Schema) -> list[Json]:
    kind = schema.get("type")
    return [kind] if isinstance(kind, str) else _list(kind)


def _guess(schema: Schema) -> str:
    if "properties" in schema or "required" in schema:
        return "object"
    return "array" if "items" in schema or "prefixItems" in schema else "string"


def _is(value: Json, kind: Json) -> bool:
    if isinstance(value, bool):
        return kind == "boolean"
    return isinstance(kind, str) and isinstance(value, _TYPES.get(kind, ()))


def _number(schema: Schema, *, whole: bool) -> int | float:
    """Zero if allowed, else the smallest or the greatest number allowed."""
    low, high = _bounds(schema)
    unit = _float(schema.get("multipleOf"), 1.0 if whole else 0.0)
    ends = [end for end in (low, high) if math.isfinite(end)]
    steps = (
        [round_(end / unit) * unit for end in ends for round_ in (math.ceil, math.floor)]
        if unit > 0
        else ends
    )
    for value in (0.0, *steps):
        if low <= value <= high:
            return int(value) if whole else value
    raise Unsatisfiable("a number's bounds leave no room")


def _bounds(schema: Schema) -> tuple[float, float]:
    """The smallest and greatest number allowed; an exclusive bound is moved inwards a little."""
    whole = schema.get("type") == "integer"
    low, high = _float(schema.get("minimum"), -math.inf), _float(schema.get("maximum"), math.inf)
    above = _float(schema.get("exclusiveMinimum"), -math.inf)
    below = _float(schema.get("exclusiveMaximum"), math.inf)
    nudge = 1.0 if whole else max(1e-6, min(1.0, (min(high, below) - max(low, above)) / 2))
    if math.isfinite(above):
        low = max(low, above + nudge)
    if math.isfinite(below):
        high = min(high, below - nudge)
    return low, high


def _float(value: Json, missing: float) -> float:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else missing


def _int(schema: Schema, key: str, missing: int) -> int:
    value = schema.get(key)
    return value if isinstance(value, int) and not isinstance(value, bool) else missing


def _list(value: Json) -> list[Json]:
    return value if isinstance(value, list) else []


def _dict(value: Json, *, strict: bool = False) -> Schema:
    if isinstance(value, dict):
        return value
    if strict:
        raise Unsatisfiable("it is no schema")
    return {}
