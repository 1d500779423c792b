"""Helpers to build regular expressions from one alternative per line, so that each is easy to check."""

from __future__ import annotations

import re

_LONGEST = 4000


def any_of(*alternatives: str) -> str:
    """A non-capturing group that matches any of the alternatives."""
    return f"(?:{'|'.join(alternatives)})"


def compiled(*alternatives: str) -> re.Pattern[str]:
    """A compiled pattern that matches any of the alternatives."""
    return re.compile(any_of(*alternatives))


def folded(text: str) -> str:
    """The start of a text, up to a fixed length, in lower case with straight apostrophes."""
    return " ".join(text[:_LONGEST].lower().replace("’", "'").split(" "))
