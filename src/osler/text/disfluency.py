"""Disfluencies of speech: fillers and words said twice, as a recognizer writes them down."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

_FILLER: Final = re.compile(r"(?i)(?<![\w'])(?:u+m+|u+h+|e+r+m?|a+h+|h+m+|m+hm+)(?![\w'])[,.]*\s*")
_TWICE: Final = re.compile(r"(?i)\b(?!(?:had|that|very|no|so|bye|ha)\b)([a-z']+)(?:,?\s+\1\b)+")
_LEADS: Final = re.compile(
    r"(?i)^\W*(?:(?:ok|okay|alright|right|so|and|well|now|great|good|sure|perfect|yeah|yes)\b\s+)+(?=\w+\s+\w)"
)


_MARKS: Final = re.compile(r"[.,;:!?]")


@lru_cache(maxsize=8192)
def fluent(text: str) -> str:
    """A text without fillers and words said twice: "And um have have you any cough?" as "And have you any
    cough?". Without any mark, as typed in haste, it loses what only leads up to it too: "so where is it"."""
    plain = _TWICE.sub(r"\1", _FILLER.sub("", text)).strip()
    if unmarked(plain):
        plain = _LEADS.sub("", plain)
    return plain or text


def unmarked(text: str) -> bool:
    """Whether a text is without marks, as a recognizer or a hasty typist gives it: nothing in it says that it
    asks."""
    return _MARKS.search(text) is None


def as_marked(text: str) -> str:
    """A text without marks, as a recognizer gives it, also without disfluencies; one with marks as it is,
    since there a word said twice may be meant: "sharp sharp"."""
    return fluent(text) if unmarked(text) else text
