"""The rules of OpenAI's strict mode for a JSON schema, as its documentation lists them."""

from __future__ import annotations

import json
from typing import Any, Final

_ANYWHERE: Final = frozenset({"type", "description", "title", "enum", "const", "anyOf", "$ref", "$defs"})
_OF_TYPE: Final = {
    "object": frozenset({"properties", "required", "additionalProperties"}),
    "array": frozenset({"items", "minItems", "maxItems"}),
    "string": frozenset({"pattern", "format"}),
    "number": frozenset({"multipleOf", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"}),
}
_MOST_PROPERTIES: Final = 5000
_DEEPEST: Final = 10


def strict_fault(schema: Any) -> str | None:
    """The first fault of a schema in words; `None` if strict mode takes it."""
    if not isinstance(schema, dict) or schema.get("type") != "object" or "anyOf" in schema:
        return "schema must be a JSON Schema of 'type: \"object\"'"
    if json.dumps(schema).count('"type"') > _MOST_PROPERTIES:
        return "too many properties"
    return _fault(schema, "()", 0)


def _fault(node: Any, at: str, depth: int) -> str | None:
    if not isinstance(node, dict) or depth > _DEEPEST:
        return f"In context={at}, schema is not an object, or nests too deeply"
    kind = node.get("type")
    if not node.keys() & {"type", "enum", "const", "anyOf", "$ref"}:
        return f"In context={at}, schema must have a 'type' key."
    kinds = kind if isinstance(kind, list) else [kind]
    named = ("number" if one == "integer" else str(one) for one in kinds)
    allowed = _ANYWHERE.union(*(_OF_TYPE.get(one, frozenset()) for one in named))
    if strange := sorted(node.keys() - allowed):
        return f"In context={at}, '{strange[0]}' is not permitted."
    if kind == "object":
        if node.get("additionalProperties") is not False:
            return f"In context={at}, 'additionalProperties' is required to be supplied and to be false."
        if sorted(node.get("required", ())) != sorted(node.get("properties", {})):
            return f"In context={at}, 'required' is required to include every key in properties."
    if kind == "array" and "items" not in node:
        return f"In context={at}, array schema missing items."
    inner = [*node.get("properties", {}).items(), *node.get("$defs", {}).items()]
    inner += [("items", node["items"])] if "items" in node else []
    inner += [("anyOf", one) for one in node.get("anyOf", ())]
    return next((found for name, one in inner if (found := _fault(one, f"{at}.{name}", depth + 1))), None)
