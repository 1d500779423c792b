"""Values that stand for a missing one: what spreadsheets, databases and `pandas` write into an empty cell.

Only a whole value counts: "No known allergies" and "Allergies: none" say something. "None" and "unknown" are
the doubtful ones: of bacteria in the urine, "None" is a result. They are missing only where nothing names
what would be absent.
"""

from __future__ import annotations

import math
import re
from typing import Final

# No sign that means something by itself: "<" compares, "%" is a unit, "+" a result.
_DASHES: Final = r"[\s\-\u2010-\u2015\u2212_.?]*"
_MARKS: Final = r"[\s\-\u2010-\u2015\u2212_.,;:?!*#/<>()\[\]{}\"'|]*"
_WORDS: Final = r"nan|null|na(?=>)|n/a|n\.a\.?|nat|undefined|not (?:available|applicable)|inf(?:inity)?"
_MISSING: Final = re.compile(rf"{_DASHES}|{_MARKS}(?:{_WORDS}){_MARKS}", re.IGNORECASE)
# "Na" is sodium.
_NOT_AVAILABLE: Final = re.compile(rf"{_MARKS}(?:NA|na){_MARKS}")
_NONE: Final = re.compile(rf"{_MARKS}(?:none|nil|unknown|unspecified){_MARKS}", re.IGNORECASE)


def is_missing(value: object, *, named: bool = True) -> bool:
    """Whether a value is missing: `None`, NaN, infinite, blank, or a word that stands for that.

    With `named=False` nothing says what would be absent, and a bare "None" or "unknown" is missing, too.
    """
    if isinstance(value, str):
        missing = _MISSING.fullmatch(value) or _NOT_AVAILABLE.fullmatch(value)
        return missing is not None or (not named and _NONE.fullmatch(value) is not None)
    if isinstance(value, float):
        return not math.isfinite(value)
    return value is None


def is_missing_key(key: str) -> bool:
    """Whether a key or a column's name names nothing; "NA" may be sodium."""
    return _MISSING.fullmatch(key.strip()) is not None or key.strip() == "None"
