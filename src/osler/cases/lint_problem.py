"""A problem reported by the case linter: its code, level, message and place."""

from __future__ import annotations

from typing import Final, Literal, NamedTuple

from osler.cases.model import Case

Level = Literal["error", "warning"]
OLDEST_SOURCE: Final = 1950
NEWEST_SOURCE: Final = 2100
"""Bounds (exclusive) on a plausible year for a source or a guideline."""


class Problem(NamedTuple):
    """A problem in a case: something wrong or missing. `where` reads like `facts[f3].spoken`."""

    code: str
    level: Level
    message: str
    where: str


LIBRARY: Final = "Osler library"
"""The origin of the cases of our own library."""


def of_our_own(case: Case) -> Level:
    """The level of a requirement made of our own library: an error in its cases, a warning elsewhere."""
    return "error" if case.provenance.origin == LIBRARY else "warning"
