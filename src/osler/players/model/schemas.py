"""The JSON schemas that models fill: flat, every field required, nothing else allowed.

So they qualify for the strict modes of those endpoints that have one. Reasons come before conclusions,
because models write in order. Lists are bounded, because weak models held to a schema write endless ones;
endpoints whose strict mode refuses bounds are sent the schema without (`Output.unbounded_text`). Limits of
length are left to validation: most strict modes refuse them.
"""

from __future__ import annotations

from typing import Any, Final

from osler.models.types import Output

TEXT: Final = {"type": "string"}

MOST_ITEMS: Final = 20
"""The most items of a list, unless its place calls for another number."""
TEXT_OR_NULL: Final = {"anyOf": [TEXT, {"type": "null"}]}

FLAG: Final = {"type": "boolean"}

INTEGER: Final = {"type": "integer"}


def object_of(**properties: Any) -> dict[str, Any]:  # JSON of any shape
    """The schema of an object with exactly these properties, all of them required."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def listed(items: dict[str, Any], most: int = MOST_ITEMS) -> dict[str, Any]:  # JSON of any shape
    """The schema of a list of at most `most` items."""
    return {"type": "array", "items": items, "maxItems": most}


def list_of(most: int = MOST_ITEMS, /, **properties: Any) -> dict[str, Any]:  # JSON of any shape
    """The schema of a list of such objects, at most `most`."""
    return listed(object_of(**properties), most)


TEXTS: Final = listed(TEXT)


def output(name: str, **properties: Any) -> Output:
    """The strict output schema of an object with exactly these properties."""
    return Output(name=name, json_schema=object_of(**properties), strict=True)
