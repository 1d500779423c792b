"""The JSON schemas that models fill: flat, every field required, nothing else allowed.

So they qualify for the strict modes of those endpoints that have one. Reasons come before conclusions,
because models write in order. Limits of length are left to validation: strict modes refuse them.
"""

from __future__ import annotations

from typing import Any, Final

from osler.models.types import Output

TEXT: Final = {"type": "string"}

TEXTS: Final = {"type": "array", "items": TEXT}

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


def list_of(**properties: Any) -> dict[str, Any]:  # JSON of any shape
    """The schema of a list of such objects."""
    return {"type": "array", "items": object_of(**properties)}


def output(name: str, **properties: Any) -> Output:
    """The strict output schema of an object with exactly these properties."""
    return Output(name=name, json_schema=object_of(**properties), strict=True)
