"""Patterns put together from one alternative a line, so that a reader can check each."""

from __future__ import annotations

import re

_LONGEST = 4000


def any_of(*alternatives: str) -> str:
    """One group that matches where any of the alternatives does."""
    return f"(?:{'|'.join(alternatives)})"


def compiled(*alternatives: str) -> re.Pattern[str]:
    """The same, compiled."""
    return re.compile(any_of(*alternatives))


def folded(text: str) -> str:
    """The beginning of a text in lower case, with straight apostrophes and single spaces."""
    return " ".join(text[:_LONGEST].lower().replace("’", "'").split(" "))
