"""The items of a mark sheet, with their marks, and what is critical or counts against the examinee.

An item is an entry, a line or a table's row of a part that is a mark sheet. Marks stand in brackets, after a
dash or in a column; rows without marks that name a domain ("History") are headings of those below. No line is
passed over: what is no item, no heading and not about marking is told as unread.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Final, NamedTuple

from osler.authoring.scenarios.checklists import competency_of
from osler.authoring.stations.lines import Place, SourceLine
from osler.authoring.stations.mark_table import Cells, columns, panels, read_table
from osler.authoring.stations.sheet_words import EXAMINEE, LEGEND, about_marking, acts, head_kind
from osler.cases.rubrics.model import Competency
from osler.text.marks import FIGURE, UNIT, figure

_MARKS: Final = (
    # (2) [2] (2 marks) (0-2) (0/1/2) (max 3) (/2) (+2); (1 each, max 3) gives the most
    re.compile(
        rf"\s*[(\[]\s*(?:max(?:imum)?\.?:?|up to|total:?|out of|/|\+|0\s*[-–/]\s*(?:1\s*[-–/]\s*)?)?\s*({FIGURE})\s*(?:{UNIT})?"
        rf"\s*(?:max(?:imum)?|each(?:,? (?:max(?:imum)?|up to)\.? ?(\d{{1,2}})(?: {UNIT})?)?)?\s*[)\]]\s*\.?\s*$",
        re.IGNORECASE,
    ),
    re.compile(rf"\s*[-–—:,.=]?\s*\b({FIGURE})\s*(?:marks?|points?|pts?\.?)\s*(each)?\.?\s*$", re.IGNORECASE),
    re.compile(rf"\s+/\s*({FIGURE})\s*$", re.IGNORECASE),
    re.compile(r"\s*(?:\.{3,}|…|_{2,}|\t)\s*/?\s*(\d{1,2})\s*$"),
)  # fmt: skip
_BARE: Final = re.compile(r"\s(\d(?:\.5)?)(?:\s*(?:marks?|points?))?\s*$", re.IGNORECASE)
"""A figure at the end: marks if most lines of a list have one."""
_MINUS: Final = re.compile(
    rf"\s*[(\[]\s*(?:[-–−]|minus )\s*({FIGURE})\s*(?:{UNIT})?\s*[)\]]\s*\.?\s*$", re.IGNORECASE
)
_CRITICAL: Final = re.compile(
    r"\s*[(\[]\s*(?:this is )?(?:a )?(?:critical|essential|mandatory|must[- ]do|must pass|must|key|pass/fail|crit\.?|c)"
    r"(?: (?:item|action|step|point))?\s*[)\]]\s*|^\s*(?:critical(?: action| step| item)?|essential|mandatory)\s*[:–-]\s+"
    r"|\s*[-–—]\s*(?:critical|essential|mandatory)(?: (?:item|action|step))?\s*$|\s*\*{1,2}\s*$",
    re.IGNORECASE,
)
_STAR: Final = re.compile(r"\*{1,2}\s*$")


class SheetItem(NamedTuple):
    """An item of the mark sheet as it stands there, without its marks.

    `marks` are those written, or `None`; `under` is its heading. `shared`: its marks stand in one cell with
    those of the item above.
    """

    text: str
    marks: float | None
    critical: bool
    negative: bool
    competency: Competency
    under: str
    place: Place
    shared: bool = False


class Unread(NamedTuple):
    """A line of the sheet that is neither an item nor about marking, and why."""

    line: SourceLine
    why: str


class Sheet(NamedTuple):
    """The items; the headings and the lines about marking itself (totals, ratings); the lines that are neither;
    the columns that are not read, each with the row that heads it; and the rows read as headings of others."""

    items: tuple[SheetItem, ...]
    about_marking: tuple[SourceLine, ...]
    unread: tuple[Unread, ...]
    columns_unread: tuple[Unread, ...]
    headings: tuple[SourceLine, ...]


def sheet(lines: Sequence[SourceLine]) -> Sheet:
    """The items among the lines of mark sheets (parts `marks` and `errors`), in order. Pure."""
    starred = any(LEGEND.search(line.text) for line in lines)
    items: list[SheetItem] = []
    about: list[SourceLine] = []
    unread: list[Unread] = []
    notes: list[Unread] = []
    headings: list[SourceLine] = []
    for table, group in groupby(lines, key=lambda line: (line.place.file, line.table)):
        rows = list(group)
        read = _of_table(rows, starred, notes, headings) if table[1] else _of_list(rows, starred)
        for line, one in read:
            if isinstance(one, SheetItem):
                items.append(one)
            elif one:
                unread.append(Unread(line, one))
            else:
                about.append(line)
    return Sheet(tuple(items), tuple(about), tuple(unread), tuple(notes), tuple(headings))


def _of_list(lines: Sequence[SourceLine], starred: bool) -> Iterator[tuple[SourceLine, SheetItem | str]]:
    """Each line with its item, or why it is none; empty where it is about marking itself."""
    listed = any(line.kind in ("entry", "box") for line in lines)
    marked = any(_marks(line.text)[1] is not None for line in lines)
    bare = sum(bool(_BARE.search(line.text)) for line in lines) > len(lines) / 2
    for line in lines:
        if (
            bare
            and _marks(line.text)[1] is None
            and (match := _BARE.search(line.text))
            and not about_marking(line.text)
        ):
            yield line, _item(line, line.text[: match.start()], figure(match[1]), False, line.under, starred)
        elif about_marking(line.text):
            yield line, ""
        elif (
            line.kind == "line"
            and (listed or marked)
            and _marks(line.text)[1] is None
            and not acts(line.text)
        ):
            yield line, "stands between the items of the mark sheet and is none by its form"
        else:
            yield line, _item(line, line.text, None, False, line.under, starred)


def _of_table(
    lines: Sequence[SourceLine], starred: bool, notes: list[Unread], headings: list[SourceLine]
) -> Iterator[tuple[SourceLine, SheetItem | str]]:
    """Each row with its item, or why it is none; empty where it is a heading or about marking itself."""
    wide = max(len(line.cells) for line in lines)
    rows = [Cells((*line.cells, *[""] * (wide - len(line.cells))), line.merged) for line in lines]
    for first, end in panels(rows):
        side = [
            Cells(row.texts[first:end], frozenset(n - first for n in row.merged if first <= n < end))
            for row in rows
        ]
        held = columns(side)
        notes += [
            Unread(lines[held.heads[-1] if held.heads else 0], f'its column "{held.names[n] or n + 1}"')
            for n in held.others
        ]
        under = lines[0].under
        if held.heads and head_kind(held.names[held.item]) == "" and held.names[held.item]:
            under = held.names[held.item]
        for row, line, one in zip(side, lines, read_table(side, held), strict=True):
            if first and not any(row.texts):
                continue
            if one.kind == "heading" and one.text:
                under = one.text
                headings.append(line)
            if one.kind == "item":
                item = _item(line, one.text, one.marks, one.critical, one.under or under, starred)
                yield line, item._replace(shared=one.shared)
            else:
                yield line, one.why


def _marks(text: str) -> tuple[str, float | None]:
    for pattern in _MARKS:
        if match := pattern.search(text):
            most = match.group(2) if pattern.groups > 1 else None
            value = figure(most) if most and most.isdigit() else figure(match[1])
            return text[: match.start()].rstrip(" -–—:,."), value
    return text, None


def _item(
    line: SourceLine, text: str, given: float | None, critical: bool, under: str, starred: bool
) -> SheetItem:
    negative = line.part == "errors"
    if match := _MINUS.search(text):
        negative, given, text = True, figure(match[1]), text[: match.start()]
    elif given is not None and given < 0:
        negative, given = True, -given
    marks = given
    for _ in range(3):
        star = _STAR.search(text)
        if (match := _CRITICAL.search(text)) and (starred or not star or match.start() < star.start()):
            critical = True
            text = f"{text[: match.start()]} {text[match.end() :]}".strip()
        shorter, result = _marks(text)
        if result is not None:
            text, marks = shorter, result if marks is None else marks
    text = _STAR.sub("", " ".join(text.split())).strip(" ;,")
    bare = EXAMINEE.sub("", text) or text
    shown = bare[:1].upper() + bare[1:]
    return SheetItem(shown, marks, critical, negative, competency_of(shown, under), under, line.place)
