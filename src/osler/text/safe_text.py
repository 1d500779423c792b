"""Sanitization of untrusted text for display: terminal escapes, control and hidden characters."""

from __future__ import annotations

import re
from typing import Final

_SEQUENCES: Final = re.compile(
    r"\x1b\][^\x07\x1b]{0,2000}(?:\x07|\x1b\\)?"  # operating system commands: titles, links, clipboard
    r"|\x1b[PX^_][^\x1b]{0,2000}(?:\x1b\\)?"  # device control and other strings
    r"|\x1b\[[0-?]{0,64}[ -/]{0,8}[@-~]?"  # colours, cursor moves
    r"|\x9b[0-?]{0,64}[ -/]{0,8}[@-~]?"
    r"|\x1b[ -/]{0,4}[0-~]?"
)
_HIDDEN: Final = (
    *((0x00, 0x09), (0x0B, 0x20), (0x7F, 0xA0)),  # control characters, but not tab and line feed
    *((0xAD, 0xAE), (0x61C, 0x61D), (0x200B, 0x2010), (0x2028, 0x202F), (0x2060, 0x2070)),  # order, joining
    *((0xFEFF, 0xFF00), (0xFFF9, 0xFFFC), (0xE0000, 0xE0080)),  # byte order, annotation, tags
)
_UNSEEN: Final = dict.fromkeys(code for first, end in _HIDDEN for code in range(first, end))


def safe(text: str) -> str:
    """Strip terminal escape sequences, control characters, and marks that reorder or hide text.

    Line feeds stay; tabs become spaces.
    """
    return _SEQUENCES.sub("", text).translate(_UNSEEN).replace("\t", "    ")
