"""Struck-through text in Markdown: what an author has taken out, `~~so~~`."""

from __future__ import annotations

import re
from typing import Final

_STRIKE: Final = re.compile(r"(?<![~\\])~~(?!~)")
_PARAGRAPH: Final = re.compile(r"(\n[ \t]*\n)")


def without_struck(text: str) -> str:
    """A text without its struck-through parts, which are between two `~~` in one paragraph.

    A mark that is escaped (a backslash before it) or has no partner stays.
    """
    if "~~" not in text:
        return text
    return "".join(_unstruck(part) for part in _PARAGRAPH.split(text))


def _unstruck(paragraph: str) -> str:
    parts = _STRIKE.split(paragraph)
    # The parts alternate: outside, struck, outside. A last mark without a partner is text.
    tail = f"~~{parts.pop()}" if len(parts) % 2 == 0 else ""
    return "".join(parts[::2]) + tail
