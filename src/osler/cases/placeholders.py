"""Lint rule for placeholders: places where a new case's template still says "TO WRITE"."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from osler.cases.lint_problem import Problem
from osler.cases.model import Case

TO_WRITE: Final = "TO WRITE"


def unfinished(case: Case, strict: bool) -> Iterator[Problem]:
    """An error for each place that still holds the placeholder, in the case's own order."""
    for where in _places(case.model_dump(mode="json"), ""):
        yield Problem("to-write", "error", "is still to be written", where)


def _places(value: object, where: str) -> Iterator[str]:
    if isinstance(value, str):
        if TO_WRITE in value:
            yield where
    elif isinstance(value, Mapping):
        for key, child in value.items():
            yield from _places(child, f"{where}.{key}" if where else str(key))
    elif isinstance(value, list):
        for number, child in enumerate(value):
            name = child["id"] if isinstance(child, Mapping) and "id" in child else number
            yield from _places(child, f"{where}[{name}]")
