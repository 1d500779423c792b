"""Lists that stand in for maps in the schemas."""

from __future__ import annotations

from pydantic import BaseModel, TypeAdapter


class _Present(BaseModel):
    who: str
    evidence: str = ""


_PRESENT_LIST: TypeAdapter[list[_Present]] = TypeAdapter(list[_Present])


def by_who(value: object) -> dict[str, str]:
    """Evidence by who is there. Raises ValueError."""
    return {each.who: each.evidence for each in _PRESENT_LIST.validate_python(value or [])}
