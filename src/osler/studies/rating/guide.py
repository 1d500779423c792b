"""The rater's guide, generated from the scale, to be read before the first episode."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from osler.core.protocol import Protocol
from osler.studies.rating.scales import Part, Scale

CANNOT_SAY: Final = "?"
_REFERENCE: Final[dict[Part, str]] = {
    "case": "the whole case, history and chart",
    "diagnosis": "the right answer",
    "plan": "what a good plan holds",
    "harm": "what would harm this patient",
    "steps": "the steps by which the case is meant to be taught",
}


_ONE_ROW: Final = "Each row of your sheet is one {one}."
_ONE_ITEM: Final = (
    "Each row of your sheet is one item by which one {one} is judged; the transcript stands in the first row"
    " of each {one}, its lines numbered."
)
_BLIND: Final = (
    "You are not told who played the {seat}: it may be a person, a language model or a simple program. Names"
    " are replaced; please do not guess."
)
_PICTURES: Final = (
    "The pictures of a case lie in the folder pictures, named after the id of its row and the name that the"
    " transcript gives them (image-1, image-2 ...)."
)
_QUOTE: Final = (
    "Under quote write the words that show the item, copied as they stand, or the number of their line; leave"
    " it empty where nothing shows it."
)
_HOW: Final = (
    f"Write one number into each empty cell, or {CANNOT_SAY} where you cannot say. Leave a row empty that you"
    " do not rate. Do not change the column id, and do not sort single columns. Comments are welcome. Save"
    " the sheet as CSV (UTF-8). Please do not talk with other raters about it before all are done."
)


def guide_text(scale: Scale, protocol: Protocol, *, pictured: bool = False) -> str:
    """Return the guide as plain text, a line for each paragraph, in the words of a protocol. `pictured` says
    whether pictures lie beside the sheets."""
    return "\n".join(_lines(scale, protocol, pictured)) + "\n"


def _lines(scale: Scale, protocol: Protocol, pictured: bool) -> Iterator[str]:
    by_item = scale.each == "item"
    rows, blind = (
        text.format(one=protocol.one, seat=protocol.under_test)
        for text in (_ONE_ITEM if by_item else _ONE_ROW, _BLIND)
    )
    yield from (f"How to rate: {scale.title}", "For education and research only.", "", f"{rows} {blind}")
    if scale.reference:
        parts = "; ".join(_REFERENCE[part] for part in scale.reference)
        yield f"The column reference shows you of the case's truth: {parts}."
    if pictured:
        yield _PICTURES
    yield from ("", scale.guide, "", _HOW, *((_QUOTE,) if by_item else ()))
    for item in scale.items:
        yield from ("", f"{item.id}: {item.asks}")
        yield from (f"  {number} = {anchor}" for number, anchor in item.numbered)
