"""Doses, volumes and routes in an order: "half a mil of 1 in 1000 into the thigh" is 0.5 mg, intramuscular.

`in_figures` writes spoken numbers and units as figures and abbreviations; `doses` and `routes` read them.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, Literal, NamedTuple

from osler.text.tokens import lowered

_ONES: Final = {
    word: number
    for number, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
        "sixteen seventeen eighteen nineteen".split()
    )
} | {"nought": 0, "naught": 0, "oh": 0}
_TENS: Final = {
    word: 10 * number
    for number, word in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split(), start=2)
}
_WORD: Final = "|".join((*_ONES, *_TENS))
_NUMBER: Final = re.compile(
    rf"\b(?:(?:(?:{_WORD})(?:[\s-]+(?:{'|'.join(_ONES)}))?|an?(?=\s+(?:hundred|thousand)))"
    rf"(?:[\s-]+(?:hundred|thousand)(?:\s+(?:and\s+)?(?:{_WORD})(?:[\s-]+(?:{'|'.join(_ONES)}))?(?!\s+times\b))?)?"
    rf"(?:\s+point(?:\s+(?:{'|'.join(_ONES)}))+)?|point(?:\s+(?:{'|'.join(_ONES)}))+)\b"
)
_UNIT_WORDS: Final = (
    ("mcg", r"micro\s?gram(?:me)?s?|micro\s?g|mics?|mcgs?|ugs?|µgs?|μgs?"),
    ("mg", r"milli\s?gram(?:me)?s?|mgs?|mili\s?grams?"),
    ("ml", r"milli\s?lit(?:re|er)s?|mls?|mills?|mils?|ccs?"),
    ("g", r"gram(?:me)?s?|gms?|gs?"),
    ("litre", r"lit(?:re|er)s?|lts?|l"),
    ("units", r"units?|iu"),
)
_UNITS: Final = tuple((name, re.compile(rf"(?<=\d)\s*(?:{ways})\b")) for name, ways in _UNIT_WORDS)
_HALF: Final = tuple(
    (re.compile(rf"\bhalf(?:\s+(?:an?|of\s+an?))?\s+(?:{ways})\b"), f"0.5 {name}")
    for name, ways in _UNIT_WORDS
)
_ONE: Final = tuple(
    (re.compile(rf"\b(?:an?|another)\s+(?:{ways})\b"), f"1 {name}")
    for name, ways in _UNIT_WORDS
    if name != "g"
)
_PER_KG: Final = re.compile(r"\s*(?:per|/|a|for every)\s*(?:kilos?|kgs?|kilograms?)\b")
_STRENGTH: Final = re.compile(r"\b1\s*(?:in|:|to)\s*(?:a\s+)?(1000|10000)\b|\b1\s*in\s*1,000\b")
_DOSE: Final = re.compile(r"(\d+(?:\.\d+)?)\s*(mcg|mg|g|ml|litre|units)\b(\s*per kg)?(?!\s*per\s*(?:min|h))")
Unit = Literal["mg", "ml", "units"]
_BASE: Final[dict[str, tuple[Unit, float]]] = {
    "mcg": ("mg", 0.001),
    "mg": ("mg", 1.0),
    "g": ("mg", 1000.0),
    "ml": ("ml", 1.0),
    "litre": ("ml", 1000.0),
    "units": ("units", 1.0),
}
_ROUTES: Final = {
    "intramuscular": (
        r"i\.?m\.?|intra[\s-]?muscular(?:ly)?|thigh|deltoid|vastus|buttock|(?:in|into)\ the\ muscle"
    ),
    "intravenous": (
        r"i\.?v\.?(?!\s*(?:access|line|cannula))|intra[\s-]?venous(?:ly)?"
        r"|(?:in|into)\ (?:the|a|his|her)\ vein|through\ (?:the|her|his)\ (?:drip|cannula|line)"
    ),
    "intraosseous": r"i\.?o\.?|intra[\s-]?osseous(?:ly)?",
    "subcutaneous": r"s\.?c\.?|sub[\s-]?cut(?:aneous(?:ly)?)?|subq|under\ the\ skin",
    "oral": r"p\.?o\.?|oral(?:ly)?|by\ mouth|to\ swallow",
    "buccal": r"buccal(?:ly)?|(?:in|into)\ (?:the|his|her)\ cheek|oromucosal",
    "nasal": r"intra[\s-]?nasal(?:ly)?|up\ (?:the|his|her)\ nose",
    "rectal": r"rectal(?:ly)?|p\.?r\.?|per\ rectum|into\ the\ rectum",
    "sublingual": r"sub[\s-]?lingual(?:ly)?|under\ (?:the|his|her|your)\ tongue|s\.?l\.?",
    "inhaled": r"neb(?:s|uli[sz](?:er|ed))?|inhale[dr]|puffs?",
}
_ROUTE: Final = {
    name: re.compile(rf"(?<![\w.])(?:{way})(?![\w])", re.VERBOSE) for name, way in _ROUTES.items()
}


class Dose(NamedTuple):
    """An amount in mg, mL or units; `by_weight`: for each kilogram."""

    amount: float
    unit: Unit
    by_weight: bool


@lru_cache(maxsize=4096)
def in_figures(text: str) -> str:
    """The text in lower case with numbers as figures and units as abbreviations."""
    said = lowered(text).replace("half a milligram", "0.5 mg")
    for half, figures in _HALF:
        said = half.sub(figures, said)
    said = _NUMBER.sub(lambda match: _figure(match[0]), said)
    said = re.sub(r"(?<=\d)[·‧∙](?=\d)", ".", said)
    said = re.sub(r"(?<![\d.,])0,(?=\d{3}\b)", "0.", said)
    said = re.sub(r"(?<=\d),(?=\d{3}\b)", "", said)
    said = re.sub(r"(?<=\d),(?=\d{1,2}\b)", ".", said)  # the decimal comma of much of the world
    said = re.sub(r"(?<![\d.])\.(?=\d)", "0.", said)
    said = re.sub(r"\b(?:an?|another) gram(?:me)?\b", "1 g", said)
    for one, figures in _ONE:
        said = one.sub(figures, said)
    for name, unit in _UNITS:
        said = unit.sub(f" {name}", said)
    said = _PER_KG.sub(" per kg", said)
    return re.sub(r"\b0\.5 litre\b", "500 ml", said)


def doses(text: str) -> tuple[Dose, ...]:
    """The doses in a text, in order. Half a millilitre of 1 in 1000 is half a milligram."""
    figures = in_figures(text)
    strength = _STRENGTH.search(figures)
    result = []
    for each in _DOSE.finditer(_STRENGTH.sub(" ", figures)):
        unit, factor = _BASE[each[2]]
        amount = float(each[1]) * factor
        if strength and unit == "ml":
            unit, amount = "mg", amount * 1000 / float(strength[1] or 1000)
        result.append(Dose(amount, unit, bool(each[3])))
    return tuple(result)


def routes(text: str) -> frozenset[str]:
    """The routes of administration that a text names."""
    said = lowered(text)
    return frozenset(name for name, way in _ROUTE.items() if way.search(said))


def _figure(words: str) -> str:
    """A spoken number in figures: "two hundred and fifty", "nought point five"."""
    whole, _, decimals = words.partition("point")
    total = part = 0
    for word in re.findall(r"[a-z]+", whole):
        if word in ("hundred", "thousand"):
            part = max(part, 1) * (100 if word == "hundred" else 1000)
            total, part = total + part, 0
        elif word in ("a", "an"):
            part = 1
        elif word != "and":
            part += _ONES.get(word, _TENS.get(word, 0))
    figure = str(total + part)
    return f"{figure}.{''.join(str(_ONES[word]) for word in decimals.split())}" if decimals else figure
