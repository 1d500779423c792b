"""Whether words order exactly the dose that is declared: the same quantity in other words, and no other.

"0.3 g", "three hundred milligrams" and "300,0 mg" are 300 mg; "300 ml", "300 %", "150-300 mg", "2 tablets of
300 mg" and "300 mg per kg" are not. Amounts are read as `osler.text.quantities` writes them in figures.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from typing import Final, NamedTuple

from osler.text.quantities import in_figures, routes

_IN: Final[dict[str, tuple[str, float]]] = {
    "ng": ("mg", 1e-6), "mcg": ("mg", 1e-3), "mg": ("mg", 1.0), "g": ("mg", 1e3), "kg": ("mg", 1e6),
    "ml": ("ml", 1.0), "litre": ("ml", 1e3), "units": ("units", 1.0), "%": ("%", 1.0),
}  # fmt: skip
"""Each unit as one of its kind, and how many of that it is; any other unit stands for itself."""
_AMOUNT: Final = re.compile(
    r"(?<![\d.,])(\d+(?:\.\d+)?)[\s-]*"
    r"(mcg|mg|ml|ng|nanograms?|kg|g|litre|units|%|per ?cent|mmol|millimoles?|meq|drops?|puffs?"
    r"|milli ?units|mu|mega ?units|million units)(?![a-z])"
    r"(\s*(?:per|/|an?|each)\s*(?:kg|kilo\w*|m2|min(?:ute)?|hours?|hr?)\b)?"
)
_STRENGTH: Final = re.compile(r"\b1\s*(?:in|:|to)\s*(?:a\s+)?(\d{3,6})\b")
_BEFORE: Final = re.compile(
    r"(?:\d\s*(?:[-–—x×*/]|to|or|and|by)?|\b(?:up to|at least|at most|more than|less than|over|under"
    r"|maximum|minimum|max|min|not|double|twice|half))\s*$"
)
_AFTER: Final = re.compile(r"\s*(?:[x×*]\s*\d|times\b|twice(?! (?:a|daily))|(?:to|or|[-–—])\s*\d)")
_SEVERAL: Final = re.compile(
    r"\b(?!1\b)(\d+)\s*(?:x\s*)?(?:tablets?|capsules?|doses?|lots?|vials?|ampoules?|amps?|pills?|suppositor\w+|patches)\b"
)
_MAIN: Final = ("mg", "units", "mmol", "millimole", "meq", "ml")


class _Amount(NamedTuple):
    """A quantity in a unit of its kind, with what it is for each of, if anything ("mg per kg")."""

    value: float
    unit: str


def states_dose(what: str) -> bool:
    """Whether a declared act states an amount to be given, not only a rate such as 15 L/min."""
    return any(one.unit in _MAIN for one in _amounts(what))


def orders_dose(what: str, words: str) -> bool:
    """Whether words order the dose of a declared act, the route if it has one, and no other dose. Pure."""
    declared, ordered = _amounts(what), _amounts(words)
    main = next((kind for kind in _MAIN if any(one.unit == kind for one in declared)), None)
    if main is None:
        return True
    needed = {one.unit for one in declared if one.unit in (main, "%")}
    if not needed <= {one.unit for one in ordered}:
        return False
    if any(_differs(one, declared, main) for one in ordered):
        return False
    if _SEVERAL.findall(in_figures(words)) != _SEVERAL.findall(in_figures(what)):
        return False
    by = routes(what)
    return not by or bool(by & routes(words))


def _differs(ordered: _Amount, declared: Iterable[_Amount], main: str) -> bool:
    """Whether an amount is of a declared kind, `main` among them, and is none of the declared ones."""
    alike = [one for one in declared if one.unit == ordered.unit]
    of_kind = bool(alike) or ordered.unit == "%" or ordered.unit.startswith(main)
    return of_kind and not any(math.isclose(ordered.value, one.value, rel_tol=1e-9) for one in alike)


def _amounts(text: str) -> list[_Amount]:
    """The amounts in a text. What is doubtful (a range, a multiple) has no value and is equal to none."""
    figures = in_figures(" ".join(text.split()))
    strength = _STRENGTH.search(figures)
    plain = _STRENGTH.sub(lambda found: "," * len(found[0]), figures)
    found = []
    for each in _AMOUNT.finditer(plain):
        unit, factor = _IN.get(_plain_unit(each[2]), (_plain_unit(each[2]), 1.0))
        value = float(each[1]) * factor
        if strength and unit == "ml":
            unit, value = "mg", value * 1000 / int(strength[1])
        if _BEFORE.search(plain[: each.start()]) or _AFTER.match(plain[each.end() :]):
            value = math.nan
        found.append(_Amount(value, unit + (" for each" if each[3] else "")))
    return found


def _plain_unit(word: str) -> str:
    word = "%" if word.startswith("per") else word.replace(" ", "")
    if word.startswith("nanogram"):
        return "ng"
    return word if word == "units" else word.rstrip("s")
