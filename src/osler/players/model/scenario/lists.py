"""Parsing of lists that replace maps in the schemas, because strict modes do not accept maps."""

from __future__ import annotations

from pydantic import BaseModel, TypeAdapter


class _Present(BaseModel):
    who: str
    evidence: str = ""


_PRESENT_LIST: TypeAdapter[list[_Present]] = TypeAdapter(list[_Present])


def by_who(value: object) -> dict[str, str]:
    """Parse a list of people present into a map from person to evidence. Raises ValueError."""
    return {each.who: each.evidence for each in _PRESENT_LIST.validate_python(value or [])}
