"""Extracting the facts on which all roles must agree: a patient's age, sex and vital signs, names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

_AGE: Final = re.compile(
    r"\b(?P<a>\d{1,3})[- ]?(?P<u>year|yr|month|week|day)s?[- ]?old\b|\b(?P<b>\d{1,3}) ?y/?o\b"
    r"|\baged? *:? *(?P<c>\d{1,3})(?: *(?P<v>year|yr|month|week|day)s?)?\b(?! ?(?:mg|ml|%))",
    re.IGNORECASE,
)
_SEX_STATED: Final = re.compile(
    r"\b(?:year|month|week|day)s?[- ]?old[ ,]{1,2}(?:\w+ ){0,3}?"
    r"(?P<a>female|woman|lady|girl|male|man|gentleman|boy)\b"
    r"|\b(?:sex|gender)\W{1,4}(?P<b>female|male|f|m|woman|man)\b"
    r"|\by/?o (?P<c>female|male|f|m|woman|man)\b",
    re.IGNORECASE,
)
_FEMALE: Final = frozenset({"female", "woman", "lady", "girl", "f"})
_BETWEEN: Final = r"(?:\s*(?:\([A-Za-z0-9 ]{1,12}\))?\s*(?:is|was|of|=|:|-)?\s*){1,2}"
_VITALS: Final = {
    "blood pressure": re.compile(
        rf"\b(?:BP|blood pressure){_BETWEEN}(\d{{2,3}} ?/ ?\d{{2,3}})", re.IGNORECASE
    ),
    "heart rate": re.compile(rf"\b(?:HR|heart rate|pulse(?: rate)?){_BETWEEN}(\d{{2,3}})\b", re.IGNORECASE),
    "respiratory rate": re.compile(
        rf"\b(?:RR|resp(?:iratory|iration)?s?(?: rate)?|breathing rate){_BETWEEN}(\d{{1,3}})\b", re.IGNORECASE
    ),
    "oxygen saturation": re.compile(
        rf"\b(?:SpO2|SaO2|O2 sats?|sats?|(?:oxygen )?saturations?){_BETWEEN}(\d{{2,3}}) ?%?", re.IGNORECASE
    ),
    "temperature": re.compile(
        rf"\b(?:temp(?:erature)?|T){_BETWEEN}(\d{{2,3}}(?:[.,]\d{{1,2}})?) ?(?:°|º|C\b|F\b|degrees)",
        re.IGNORECASE,
    ),
}
_TITLED: Final = re.compile(
    r"\b(?:(?:Mr|Mrs|Ms|Miss|Mx|Dr|Prof)\b\.?|(?:Doctor|Nurse|Professor|Sister))\s+"
    r"((?:[A-Z][a-z'’-]+ ?){1,2})"
)
_NAMED: Final = re.compile(
    r"(?:^|\b)(?:[Nn]ame(?: is|:)|(?:I am|I'm|You are|you are|called|named))\s+"
    r"((?!(?:The|A|An|In|On|At|Not|No|Very|Your|Now|To)\b)[A-Z][a-z'’-]+(?: [A-Z][a-z'’-]+)?)"
)
_NUMBER: Final = re.compile(r"(?<![\w.,/])\d+(?:[.,]\d+)?(?:/\d+)?(?![\w/])")
# Months are kept apart from years: 18 months is not 18 years.
_DAYS: Final = {"year": 365, "yr": 365, "month": 30, "week": 7, "day": 1}


class Said(NamedTuple):
    """A fact and the quote that states it."""

    value: str
    quote: str


def ages(text: str) -> Iterator[Said]:
    """The ages in a text, as `34 year` or `8 month`, in order."""
    for match in _AGE.finditer(text):
        number = int(match["a"] or match["b"] or match["c"])
        unit = (match["u"] or match["v"] or "year").lower().replace("yr", "year")
        if number * _DAYS[unit] <= 125 * 365:
            yield Said(f"{number} {unit}", around(text, match.start(), match.end()))


def sexes(text: str) -> Iterator[Said]:
    """The sexes in a text, `female` or `male`, stated beside an age or under sex or gender."""
    for match in _SEX_STATED.finditer(text):
        word = (match["a"] or match["b"] or match["c"]).lower()
        yield Said("female" if word in _FEMALE else "male", around(text, match.start(), match.end()))


def vital_signs(text: str) -> Iterator[tuple[str, Said]]:
    """The vital signs in a text by name, with the figure as written except for spaces."""
    for name, pattern in _VITALS.items():
        for match in pattern.finditer(text):
            value = match[1].replace(" ", "").replace(",", ".")
            yield name, Said(value, around(text, match.start(), match.end()))


def people(text: str) -> Iterator[Said]:
    """The names of people in a text, after a title or an introduction."""
    for pattern in (_TITLED, _NAMED):
        for match in pattern.finditer(text):
            yield Said(match[1].strip(), around(text, match.start(), match.end()))


def numbers(text: str) -> Iterator[Said]:
    """The figures in a text of two digits or more, or with a decimal point, which a source must support."""
    for match in _NUMBER.finditer(text):
        if len(re.sub(r"\D", "", match[0])) > 1:
            yield Said(match[0].replace(",", "."), around(text, match.start(), match.end()))


def around(text: str, start: int, end: int, reach: int = 40) -> str:
    """The words around a match, cut at spaces and line ends."""
    left = text.rfind("\n", 0, start) + 1
    right = text.find("\n", end)
    right = len(text) if right < 0 else right
    if start - left > reach:
        left = max(left, text.find(" ", start - reach, start) + 1 or start)
    if right - end > reach:
        right = min(right, cut) if (cut := text.rfind(" ", end, end + reach)) > 0 else end
    return " ".join(text[left:right].split())
