"""Values that say nothing: what spreadsheets and data frames write where a cell is empty."""

from __future__ import annotations

import math
from typing import Final

_WORDS: Final = frozenset("nan <na> na n/a n.a. nat none null nil - – — #n/a".split()) | {""}


def is_missing(value: object) -> bool:
    """Whether a value is absent: `None`, not a number, blank, or a word for it ("NaN", "N/A", "-")."""
    if isinstance(value, float):
        return math.isnan(value)
    return value is None or (isinstance(value, str) and value.strip().casefold() in _WORDS)
