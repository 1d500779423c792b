"""The points that an item states for itself in its text, and what in it may or may not be points.

Points stand in brackets, or at the end with their unit: "(1,5 points)", "½ mark", "[-5]", "(+3)". A figure
that could mean two things is told as doubtful, whether it is read as points or not.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from osler.text.marks import DIGITS, FIGURE, figure

_UNIT: Final = r"(?:points?|pts?\.?|marks?)"
_SIGN: Final = r"(?:([+\-−﹣－–]|minus\s|plus\s)\s*)?"
_SIGNED: Final = r"([+\-−﹣－–]|minus\s|plus\s)\s*"
_HALF: Final = r"(?:half\s+an?|half\s+of\s+an?)"
_IN_BRACKETS: Final = re.compile(
    rf"[(\[]\s*(?:worth\s+)?{_SIGN}({FIGURE}|{_HALF})\s*{_UNIT}\s*[)\]]", re.IGNORECASE
)
_BARE: Final = re.compile(
    rf"(?:^\s*[(\[]\s*{_SIGNED}({DIGITS})\s*[)\]]|[(\[]\s*{_SIGNED}({DIGITS})\s*[)\]]\W*$)", re.IGNORECASE
)
_AT_END: Final = re.compile(
    rf"(\S*?)([\s,;:–—-]+?)(?<![\d.,])([+\-−﹣－–]|\bminus\s+|\bplus\s+)?({DIGITS}|{_HALF})\s*{_UNIT}\s*[.)\]]*\s*$",
    re.IGNORECASE,
)
_BARE_AT_END: Final = re.compile(rf"[\s,;:]({_SIGNED[1:-4]})\s*({DIGITS})\s*\.?\s*$", re.IGNORECASE)
_UNSIGNED: Final = re.compile(rf"(?:^\s*[(\[]\s*({DIGITS})\s*[)\]]|[(\[]\s*({DIGITS})\s*[)\]]\W*$)")
_OTHER: Final = re.compile(
    rf"\(?\bworth\b\D{{0,12}}\d[^\s)\]]*\)?|[(\[]\s*\d{{1,3}}\s*%\s*[)\]]|[(\[][^)\]\d]{{0,12}}\d[^)\]]{{0,12}}{_UNIT}[^)\]]{{0,12}}[)\]]"
    rf"|\d\s*{_UNIT}\s*[.)\]]*\s*$",
    re.IGNORECASE,
)
_COUNTED: Final = frozenset(
    {"least", "any", "all", "of", "the", "to", "more", "than", "these", "those", "other"}
)


_LONGEST: Final = 4_000
_LOOKED_AT: Final = 80
"""The characters of a text, from its end, in which points are looked for, and those that stand at its end."""


class Points(NamedTuple):
    """The points, negative where they are taken off, `None` where none are read; and what is doubtful."""

    value: float | None
    doubt: str = ""
    signed: bool = False


def read_points(text: str) -> Points:
    """The points in the text of one item. Pure."""
    text = " ".join(text[-_LONGEST:].split())
    end = text[-_LOOKED_AT:]
    if match := _IN_BRACKETS.search(text):
        return _points(match[1], match[2])
    if match := _BARE.search(text):
        return _points(match[1] or match[3], match[2] or match[4])
    if match := _AT_END.search(end):
        return _at_end(match)
    if match := _BARE_AT_END.search(end):
        points = _points(match[1], match[2])
        return points._replace(doubt=f"{match[0].strip()!r} is read as points, and may be a value")
    if match := _UNSIGNED.search(text):
        return Points(None, f"{match[0].strip()!r} may be points, and is not read: the item counts 1")
    if match := _OTHER.search(text):
        return Points(None, f"{match[0].strip()!r} may be points, and is not read: the item counts 1")
    return Points(None)


def _at_end(match: re.Match[str]) -> Points:
    before, gap, sign, told = match.groups()
    if before.lower() in _COUNTED and not sign:
        return Points(None, f"{match[0].strip()!r} may be points, and is not read: the item counts 1")
    points = _points(sign, told)
    if points.value is not None and (gap.strip(" ,;:") or sign == "–"):
        way = "added" if points.value > 0 else "taken off"
        return points._replace(
            doubt=f"{match[0].strip()!r} is read as points {way}; the dash may be a minus or none"
        )
    return points


def _points(sign: str | None, told: str) -> Points:
    value = 0.5 if told.lower().startswith("half") else figure(told)
    if value is None:
        return Points(None, f"{told!r} is no number that can be read: the item counts 1")
    less = sign is not None and sign.strip().lower() not in ("+", "plus")
    return Points(-value if less else value, signed=sign is not None)
