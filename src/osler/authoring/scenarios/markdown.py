"""Parsing Markdown: strip markup, and split into units.

A unit is a heading, a list entry, a table cell, or a line of prose, without its markup. A cell of a table
that is merged with the one above it is written `^^`, as in other dialects with merged cells.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Final, Literal, NamedTuple

UnitKind = Literal["heading", "entry", "box", "cell", "line"]

_HEADING: Final = re.compile(r"#{1,6}\s+")
_QUOTE: Final = re.compile(r"(?:>\s?)+")
_BULLET: Final = re.compile(r"(?:[-*+•◦▪‣●○■–]|\(?\d{1,3}[.)]|\(?[a-zA-Z][.)])\s+")
_BOX: Final = re.compile(r"(?:\\?\[[ xX_]{0,3}\\?\]|[☐☑☒□▢❏❑]|_{2,5})\s*")
_RULE: Final = re.compile(r"[\s|:+=_*-]*")
_IMAGE: Final = re.compile(r"!\[([^\]\n]{0,300})\]\([^)\n]{0,2000}\)")
_LINK: Final = re.compile(r"\[([^\]\n]{1,300})\]\([^)\n]{0,2000}\)")
_EMPHASIS: Final = (
    re.compile(r"\*\*(?=\S)([^*\n]{1,2000}?)(?<=\S)\*\*"),
    re.compile(r"(?<!\w)__(?=\S)([^_\n]{1,2000}?)(?<=\S)__(?!\w)"),
    re.compile(r"\*(?=\S)([^*\n]{1,2000}?)(?<=\S)\*"),
    re.compile(r"(?<![\w\\])_(?=\S)([^_\n]{1,2000}?)(?<=\S)_(?!\w)"),
    re.compile(r"`([^`\n]{1,2000})`"),
)
_ESCAPED: Final = re.compile(r"\\([\\`*_{}\[\]()#+\-.!|>~&<^])")
_SIGNED: Final = re.compile(r"[-–]\s+[\d.,½¼¾/]+")
MERGED: Final = "^^"
"""A cell that is merged with the one above."""
_PIPE: Final = re.compile(r"(?<!\\)\|")


class Unit(NamedTuple):
    """One unit. `line` counts from 1, `indent` is in columns.

    `column` is a cell's index in its row, from 0, and `row` the line of the table's heading row, 0 outside
    tables. A cell that is `merged` with the one above has its text.
    """

    kind: UnitKind
    text: str
    line: int
    indent: int = 0
    column: int = 0
    row: int = 0
    merged: bool = False


def table(rows: Sequence[Sequence[str | None]]) -> str:
    """Rows as a Markdown table, the first as its heading; empty where there are none.

    `None` is a cell that is merged with the one above. Rows that hold nothing of their own are left out.
    """
    kept = [[_cell(cell) for cell in row] for row in rows if any(cell and cell.strip() for cell in row)]
    if not kept:
        return ""
    wide = max(len(row) for row in kept)
    lines = [f"| {' | '.join([*row, *[''] * (wide - len(row))])} |" for row in kept]
    return "\n".join([lines[0], f"|{' --- |' * wide}", *lines[1:]])


def _cell(text: str | None) -> str:
    if text is None:
        return MERGED
    return " ".join(text.split()).replace("|", "\\|").replace(MERGED, "\\^^")


def units(text: str) -> Iterator[Unit]:
    """The units of a text in order."""
    heading_row = 0
    above: dict[int, str] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        bare = line.strip()
        if not bare or (_RULE.fullmatch(bare) and not _BOX.fullmatch(bare)):
            heading_row = heading_row if bare else 0
            continue
        if bare.startswith("|") or (heading_row and "|" in bare):
            if not heading_row:
                heading_row, above = number, {}
            for column, cell in enumerate(_PIPE.split(bare.strip("|"))):
                merged = cell.strip() == MERGED
                if not merged:
                    above[column] = _plain_cell(cell)
                if shown := above.get(column, ""):
                    yield Unit("cell", shown, number, 0, column, heading_row, merged)
            continue
        heading_row = 0
        kind, rest = _unmarked(bare)
        if shown := plain_line(rest):
            yield Unit(kind, shown, number, len(line) - len(line.lstrip()))


def _plain_cell(cell: str) -> str:
    signed = _SIGNED.fullmatch(cell.strip())  # "- 2" is a figure below 0, no entry of a list
    return plain_line(cell if signed else _unmarked(cell)[1])


def _unmarked(line: str) -> tuple[UnitKind, str]:
    """The kind of a line, and the line without the marker of that kind."""
    line = _QUOTE.sub("", line.strip(), count=1) if line.lstrip().startswith(">") else line.strip()
    if match := _HEADING.match(line):
        return "heading", line[match.end() :].rstrip("#").strip()
    kind: UnitKind = "line"
    for _ in range(3):
        if match := _BOX.match(line):
            kind, line = "box", line[match.end() :]
        elif match := _BULLET.match(line):
            kind, line = ("box" if kind == "box" else "entry"), line[match.end() :]
        else:
            break
    return kind, line


def plain_line(text: str) -> str:
    """One line without Markdown markup: emphasis, links, escapes and entities, with single spaces."""
    text = _LINK.sub(r"\1", _IMAGE.sub(" ", text))
    for mark in _EMPHASIS:
        text = mark.sub(r"\1", text)
    text = html.unescape(_ESCAPED.sub(r"\1", text)).replace("<br>", " ")
    return " ".join(text.split())


def plain_text(text: str) -> str:
    """A whole text without markup, one unit per line; the cells of a row share a line, split by colons."""
    own = (unit for unit in units(text) if not unit.merged)
    lines = (list(line) for _, line in groupby(own, key=lambda unit: unit.line))
    return "\n".join(": ".join(unit.text for unit in line) for line in lines)


def numbered(text: str) -> str:
    """The text with its lines numbered from 1, as shown to a model."""
    return "\n".join(f"{number}: {line}" for number, line in enumerate(text.splitlines(), start=1))


def joined(texts: Iterable[str]) -> str:
    """Texts joined by blank lines."""
    return "\n\n".join(text.strip("\n") for text in texts) + "\n"
