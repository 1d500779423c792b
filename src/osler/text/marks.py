"""Marks and points as people write them: "2", "1,5", "½", "1½", "/2", "__/2", "0 / 1 / 2", "0-2", "[-5]"."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

MOST: Final = 1000.0
"""The most marks that one thing may be worth; a greater figure is no number of marks."""
MINUS: Final = "-−–‒—﹣－"
UNIT: Final = r"(?:marks?|points?|pts?\.?|m)"
DIGITS: Final = r"(?:(?<![\d.,/])1\s?/\s?2(?![\d.,/])|\d{1,3}\s?[½¼¾]|[½¼¾]|\d{1,4}(?:[.,]\d{1,3})?)"
"""A figure as a pattern without groups: decimal point or comma, halves and quarters."""
FIGURE: Final = rf"(?:{DIGITS}|\b(?:one|two|three|four|five|six|half)\b)"
"""The same, or a small number in words."""
_WORDS: Final = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "half": 0.5}
_PARTS: Final = {"½": 0.5, "¼": 0.25, "¾": 0.75}
_BOXES: Final = re.compile(r"[☐☑☒□▢❏❑○◯●_…]+|\.{2,}|\[\s*\]|\(\s*\)")
_LED: Final = re.compile(r"(?:max(?:imum)?\.?:?|up to|total:?|out of|worth|of)\s*", re.IGNORECASE)
_UNIT_AFTER: Final = re.compile(rf"\s*{UNIT}(?:\s*(?:max(?:imum)?|each))?\.?$", re.IGNORECASE)
_STEPS: Final = re.compile(r"\s*(?:[/|;]|\bto\b|\bor\b|,\s|[-–—−]|\s)\s*")
_ALONE: Final = re.compile(FIGURE, re.IGNORECASE)
_BRACKETS: Final = {"(": ")", "[": "]"}


def figure(text: str) -> float | None:
    """The number that one figure of `FIGURE` stands for; `None` if it is none or more than `MOST`."""
    low = text.strip().lower()
    if not _ALONE.fullmatch(low):
        return None
    if low in _WORDS:
        return float(_WORDS[low])
    if low.replace(" ", "") == "1/2":
        return 0.5
    whole = low.rstrip("½¼¾").strip()
    if re.search(r",\d{3}$", whole):
        return None  # thousands or thousandths
    value = float(whole.replace(",", ".")) if whole else 0.0
    value += _PARTS.get(low[-1], 0.0)
    return value if value <= MOST else None


def marks(text: str) -> float | None:
    """The most marks that a cell gives, if it says nothing else; negative where they are taken off.

    Of steps ("0 / 1 / 2", "0-2", "☐ 0 ☐ 1 ☐ 2") it is the highest; "1/2" alone is a half, and "n/m" otherwise
    is not read unless n is 0 or m.
    """
    low = " ".join(_BOXES.sub(" ", unicodedata.normalize("NFC", _plain_digits(text))).split())
    if low[:1] in _BRACKETS and low.endswith(_BRACKETS[low[:1]]):
        low = low[1:-1].strip()
    sign = 1.0
    if low[:1] in MINUS and low[1:].strip():
        sign, low = -1.0, low[1:].strip()
    elif low.lower().startswith("minus "):
        sign, low = -1.0, low[6:].strip()
    low = low.lstrip("+=:").strip()
    low = _UNIT_AFTER.sub("", _LED.sub("", low, count=1)).strip()
    if low.startswith("/"):
        low = low[1:].strip()
    if sign > 0 and re.fullmatch(r"0,[123]", low):
        return float(low[2:])  # the steps 0 and 1, not a tenth of a mark
    if (value := figure(low)) is not None:
        return sign * value
    return None if sign < 0 else _highest(low)


def _highest(text: str) -> float | None:
    """The highest of steps from 0 or 1 upwards or downwards."""
    parts = [part for part in _STEPS.split(text) if part]
    values = [figure(part) for part in parts]
    if len(values) < 2 or any(value is None for value in values):
        return None
    steps = [value for value in values if value is not None]
    if len(steps) == 2 and "/" in text and 0 not in steps and steps[0] != steps[1]:
        return None
    ordered = steps == sorted(steps) or steps == sorted(steps, reverse=True)
    return max(steps) if (ordered and min(steps) <= 1) or steps[0] == steps[-1] else None


def _plain_digits(text: str) -> str:
    """Full-width digits and signs as plain ones; fractions stay as they are."""
    return "".join(unicodedata.normalize("NFKC", one) if "\uff00" <= one <= "\uffef" else one for one in text)
