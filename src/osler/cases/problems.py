"""What a linter finds wrong with a case, and where."""

from __future__ import annotations

from typing import Final, Literal, NamedTuple

from osler.cases.model import Case

Level = Literal["error", "warning"]
OLDEST_SOURCE: Final = 1950
NEWEST_SOURCE: Final = 2100
"""Years between which (both left out) a source or a guideline is a likely one."""


class Problem(NamedTuple):
    """Something that is wrong or missing in a case. `where` reads like `facts[f3].spoken`."""

    code: str
    level: Level
    message: str
    where: str


LIBRARY: Final = "Osler library"
"""The origin of the cases of our own library."""


def of_our_own(case: Case) -> Level:
    """How much it matters that a strictly read case lacks what only our library must have."""
    return "error" if case.provenance.origin == LIBRARY else "warning"
