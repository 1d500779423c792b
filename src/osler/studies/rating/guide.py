"""The rater's guide, generated from the scale, to be read before the first episode."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from osler.studies.rating.scales import Scale

CANNOT_SAY: Final = "?"
_REFERENCE: Final = {
    "diagnosis": "the right answer",
    "plan": "what a good plan holds",
    "harm": "what would harm this patient",
    "steps": "the steps by which the case is meant to be taught",
}


_BLIND: Final = (
    "Each row of your sheet is one consultation. You are not told who played the doctor: it may be a person,"
    " a language model or a simple program. Names are replaced; please do not guess."
)
_HOW: Final = (
    f"Write one number into each empty cell, or {CANNOT_SAY} where you cannot say. Leave a row empty that you"
    " do not rate. Do not change the column id, and do not sort single columns. Comments are welcome. Save"
    " the sheet as CSV (UTF-8). Please do not talk with other raters about it before all are done."
)


def guide_text(scale: Scale) -> str:
    """Return the guide as plain text, a line for each paragraph."""
    return "\n".join(_lines(scale)) + "\n"


def _lines(scale: Scale) -> Iterator[str]:
    yield from (f"How to rate: {scale.title}", "For education and research only.", "", _BLIND)
    if scale.reference:
        parts = "; ".join(_REFERENCE[part] for part in scale.reference)
        yield f"The column reference shows you of the case's truth: {parts}."
    yield from ("", scale.guide, "", _HOW)
    for item in scale.items:
        yield from ("", f"{item.id}: {item.asks}")
        yield from (f"  {number} = {anchor}" for number, anchor in enumerate(item.levels))
