"""Text made ready for rules: lower case, sentences, and patterns from one alternative per line."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

_LONGEST: Final = 4000
_SENTENCE: Final = re.compile(r"(?<=[.!?])\s+")


def lowered(text: str) -> str:
    """A text in lower case with straight apostrophes."""
    return text.lower().replace("’", "'")


def folded(text: str) -> str:
    """The start of a text, up to a fixed length, as `lowered`."""
    return lowered(text[:_LONGEST])


def sentences(text: str) -> list[str]:
    """The sentences of a text."""
    return [part for part in _SENTENCE.split(text.strip()) if part]


def any_of(*alternatives: str) -> str:
    """A non-capturing group that matches any of the alternatives."""
    return f"(?:{'|'.join(alternatives)})"


def compiled(*alternatives: str) -> re.Pattern[str]:
    """A compiled pattern that matches any of the alternatives."""
    return re.compile(any_of(*alternatives))


def unaccented(text: str) -> str:
    """The text without accents: "Ménière" as "Meniere"."""
    return "".join(char for char in unicodedata.normalize("NFKD", text) if not unicodedata.combining(char))
