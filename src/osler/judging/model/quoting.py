"""Prompt-injection-safe quoting of untrusted text in a judge's prompt, in blocks whose marks it cannot form.

A block starts and ends with a line of angle brackets; each line in it starts with a bar. Inside, a text has
no line breaks, square brackets, backticks or double quotes, no angle bracket except before a number ("<5
mg/L"), and no invisible characters; so it can neither close its block, start another line, nor spell a chat
template's special tokens.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from typing import Final

LONGEST: Final = 8000
_CUT: Final = " … (cut) … "
_MOST_MARKS: Final = 3
_CONTROLS: Final = dict.fromkeys((*range(32), *range(127, 160)), " ")
_SIGNS: Final = {"[": "(", "]": ")", "`": "'", '"': "'"}
_ASCII: Final = {**_CONTROLS, **{ord(sign): other for sign, other in _SIGNS.items()}}
_LIKE_MARKS: Final = frozenset("<>|{}").union(_SIGNS)
_NO_COMPARISON: Final = re.compile(r"<(?! ?=? ?\d)|>(?! ?=? ?\d)")
_BLANK: Final = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0")
_UNSEEN_MARKS: Final = (range(0xFE00, 0xFE10), range(0x180B, 0x1810), range(0xE0100, 0xE01F0))
_NOTHING: Final = "\ufffd"


def block(name: str, lines: Iterable[str]) -> str:
    """A block of lines built by `line`."""
    return "\n".join((f"<<<BEGIN {name}>>>", *lines, f"<<<END {name}>>>"))


def line(label: str, text: str, longest: int = LONGEST) -> str:
    """One line of a block. `label` is trusted, `text` is not."""
    return f'| {label}: "{inert(text, longest)}"'


def inert(text: str, longest: int = LONGEST) -> str:
    """A text as one line without marks or invisible characters; too long a text loses its middle."""
    text = _cut(text, 4 * longest)  # bounds the work; most texts are shorter after cleaning
    seen = text if text.isascii() else "".join(_seen(text))
    plain = " ".join(seen.translate(_ASCII).split())
    return _cut(_NO_COMPARISON.sub(lambda match: "‹" if match[0] == "<" else "›", plain), longest)


def _cut(text: str, longest: int) -> str:
    if len(text) <= longest:
        return text
    head = longest // 2
    return f"{text[:head]}{_CUT}{text[head - longest :]}"


def _seen(text: str) -> Iterator[str]:
    """The visible characters; lookalikes of our marks are normalized to those marks."""
    marks = 0
    for char in text:
        kind = unicodedata.category(char)
        if kind in ("Mn", "Me"):
            marks += 1
            if marks > _MOST_MARKS or char in _BLANK or any(ord(char) in unseen for unseen in _UNSEEN_MARKS):
                continue
        else:
            marks = 0
        if kind == "Cf" or char in _BLANK:
            continue
        if kind in ("Cs", "Co", "Cn"):
            yield _NOTHING
            continue
        plain = unicodedata.normalize("NFKC", char)
        yield plain if any(sign in _LIKE_MARKS for sign in plain) else char
