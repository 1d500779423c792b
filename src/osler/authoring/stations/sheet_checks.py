"""The checks of a draft's mark sheet for its author: marks that are missing, shared, 0 or another total."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from osler.authoring.stations.lines import Place, SourceLine
from osler.authoring.stations.mark_sheet import Sheet, SheetItem
from osler.authoring.stations.sheet_words import total
from osler.text.marks import DIGITS, figure

_MOST_SHOWN: Final = 8
_MOST_LETTERS: Final = 70
_FIGURES: Final = re.compile(rf"(?<![\w.,]){DIGITS}(?![\w%])")


def sheet_checks(sheet: Sheet) -> Iterator[tuple[str, Place | None]]:
    """The checks for the author, each with its place in the source. Pure."""
    items = sheet.items
    if not items:
        yield "no items were found under a mark scheme: nothing can be judged", None
        return
    for line, what in sheet.columns_unread:
        yield f"{what} of the mark sheet stands nowhere in the draft", line.place
    if sheet.headings:
        told = _named([line.text for line in sheet.headings])
        yield f"read as headings of the mark sheet, not as items: {told}", sheet.headings[0].place
    if unmarked := sum(item.marks is None for item in items):
        yield f"{unmarked} of {len(items)} items have no marks in the papers: each counts 1", None
    if nothing := [item for item in items if item.marks == 0]:
        told = _named([item.text for item in nothing])
        yield (
            f"{len(nothing)} of {len(items)} items have 0 marks and count for nothing: {told}",
            nothing[0].place,
        )
    if shared := [item for item in items if item.shared]:
        told = _named([item.text for item in shared])
        what = "one cell of marks stands for several items, and each was given all of it"
        yield f"{what}: {told}, as the item above", shared[0].place
    if not unmarked:
        yield from _totals(
            items,
            [line for line in sheet.about_marking if total(line.text.split(":")[0]) or total(line.text)],
        )
    if not any(item.critical for item in items):
        yield "no item is marked as critical", None


def _totals(items: Sequence[SheetItem], lines: Sequence[SourceLine]) -> Iterator[tuple[str, Place | None]]:
    """The totals that no sum of the items above them gives: of all, of their file, or since the one before."""
    before = 0
    for line in lines:
        said = {figure(one) for one in _FIGURES.findall(line.text)} - {None}
        there = [item for item in items if item.place.file == line.place.file and not item.negative]
        above = [item for item in there if item.place.line < line.place.line]
        part = [item for item in above if item.place.line > before]
        sums = [sum(item.marks or 0 for item in each) for each in (part, above, there, items)]
        if len(said) == 1 and not said & set(sums) and part:
            told = next(iter(said))
            yield f"its total says {told:g}, and its items have {sums[1]:g}", line.place
        before = line.place.line


def _named(texts: Sequence[str]) -> str:
    shown = [f'"{text[:_MOST_LETTERS]}"' for text in texts[:_MOST_SHOWN]]
    more = len(texts) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more else "")
