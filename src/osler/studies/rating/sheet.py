"""The rater's sheet: a CSV file for spreadsheet programs, with one episode, or one item of one, per row.

Columns: id, rater, transcript (in several columns if it is long), reference, one for each item, comment.
An item's heading has its question and levels, so a sheet is self-explanatory and all the form needs. Where
each item of a rubric has a row, `item` holds its words, `quote` is for what shows it, and the transcript
stands in the first row of its episode, its lines numbered.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

from osler.errors import BadInput
from osler.studies.rating.scales import Scale, ScaleItem
from osler.text.safe_csv import original, pieces, read_table, table_text

_LEVEL: Final = re.compile(r"(\d+) = (.*)")
_REQUIRED: Final = frozenset({"id", "rater", "transcript"})
_MOST_ABOVE: Final = 10
"""The most rows in which the headings are looked for."""


class Row(NamedTuple):
    """One episode for one rater. `number` is the row a spreadsheet program shows, the heading being row 1.

    `cells` has each column's text by name, without the escaping against formulas.
    """

    number: int
    cells: dict[str, str]

    def whole(self, name: str) -> str:
        """Return the text of a column that may continue in others: `name`, `name 2` and so on."""
        result, part = [self.cells.get(name, "")], 2
        while (more := self.cells.get(f"{name} {part}")) is not None:
            result.append(more)
            part += 1
        return "".join(result)


class RatedColumn(NamedTuple):
    """A column that asks for a number: its question and its levels with their numbers."""

    name: str
    question: str
    levels: dict[int, str]


class SheetRow(NamedTuple):
    """A row of a new sheet, before it is rated: its blind id, what is shown in it, and the words of the
    rubric's item that it asks about, if it asks about one."""

    id: str
    transcript: str
    reference: str
    item: str = ""


class Sheet(NamedTuple):
    """A sheet as it was read. `headings` maps column names to full headings, in order; a column without a
    heading is named after its position."""

    path: Path
    headings: dict[str, str]
    rows: list[Row]

    def items(self) -> list[RatedColumn]:
        """Return each column that asks for a number."""
        result = []
        for name, heading in self.headings.items():
            question, *lines = heading.splitlines()[1:] or [""]
            matches = [match for line in lines if (match := _LEVEL.fullmatch(line.strip()))]
            if len(matches) > 1:
                result.append(RatedColumn(name, question, {int(match[1]): match[2] for match in matches}))
        return result

    def transcript_of(self, row: Row) -> str:
        """Return the transcript of a row's episode, which may stand in an earlier row."""
        for each in self.rows:
            if each.whole("transcript") and episode_of(each.cells["id"]) == episode_of(row.cells["id"]):
                return each.whole("transcript")
        return ""


def heading(item: ScaleItem) -> str:
    """Return the heading of an item's column."""
    levels = (f"{number} = {anchor}" for number, anchor in item.numbered)
    return "\n".join(" ".join(line.split()) for line in (item.id, item.asks, *levels))


def episode_of(blind_id: str) -> str:
    """Return the part of a blind id that names the episode: BATCH-001 of BATCH-001 and of BATCH-001-04."""
    return "-".join(blind_id.strip().split("-")[:2])


def sheet_of(scale: Scale, rater: str, sheet_rows: Sequence[SheetRow]) -> str:
    """Return the text of a new sheet, its rows in the order they are to be rated."""
    by_item = scale.each == "item"
    texts = {
        **_columns("transcript", [row.transcript for row in sheet_rows]),
        **_columns("reference", [row.reference for row in sheet_rows]),
        **({"item": [row.item for row in sheet_rows]} if by_item else {}),
    }
    asked = [*map(heading, scale.items), *(["quote"] if by_item else []), "comment"]
    rows = (
        [row.id, rater, *(text[at] for text in texts.values()), *[""] * len(asked)]
        for at, row in enumerate(sheet_rows)
    )
    return table_text([["id", "rater", *texts, *asked], *rows])


def _columns(name: str, texts: Sequence[str]) -> dict[str, list[str]]:
    """Split texts into as many columns as the longest needs."""
    cut = [pieces(text) for text in texts]
    wide = max(map(len, cut), default=1)
    rows = [[*parts, *[""] * (wide - len(parts))] for parts in cut]
    return {name if at == 0 else f"{name} {at + 1}": [row[at] for row in rows] for at in range(wide)}


def text_of(sheet: Sheet) -> str:
    """Return the text of a sheet that was read, with the current contents of its rows."""
    beyond = {name: "" for row in sheet.rows for name in row.cells if name not in sheet.headings}
    headings = {**sheet.headings, **beyond}
    rows = ([row.cells.get(name, "") for name in headings] for row in sheet.rows)
    return table_text([list(headings.values()), *rows])


def read_sheet(path: Path) -> Sheet:
    """Read a sheet as saved by any spreadsheet program. Raises BadInput that says what is wrong and where.

    Empty rows and rows above the headings, such as a title, are skipped.
    """
    rows = read_table(path)
    head = next((at for at, row in enumerate(rows[:_MOST_ABOVE]) if {*_names(row)} >= _REQUIRED), 0)
    named = [original(cell).strip() for cell in rows[head]] if rows else []
    names = _names(rows[head]) if rows else []
    doubled = sorted({name for name in names if name and names.count(name) > 1})
    if doubled:
        raise BadInput(f"two columns are headed {doubled[0]!r}", where=str(path), hint="remove one of them")
    missing = sorted(_REQUIRED.difference(names))
    if missing:
        raise BadInput(
            f"there is no column {missing[0]!r} in its first row",
            where=str(path),
            hint="give a sheet that `osler rate export` wrote, with its headings as they were",
        )
    keys = [name or f"column {place}" for place, name in enumerate(names, 1)]
    headings = dict(zip(keys, named, strict=True))
    result = [
        Row(number, _cells(keys, cells))
        for number, cells in enumerate(rows[head + 1 :], head + 2)
        if any(cell.strip() for cell in cells)
    ]
    return Sheet(path, headings, result)


def _names(row: Sequence[str]) -> list[str]:
    """The names of columns: the first line of each heading, in lower case."""
    return [(original(cell).strip().splitlines() or [""])[0].strip().lower() for cell in row]


def _cells(keys: Sequence[str], cells: Sequence[str]) -> dict[str, str]:
    beyond = [f"column {place}" for place in range(len(keys) + 1, len(cells) + 1)]
    whole = [*cells, *[""] * (len(keys) - len(cells))]
    return {key: original(cell) for key, cell in zip([*keys, *beyond], whole, strict=True)}
