"""HTML to Markdown, its tables with their merged cells: what Word's documents and web pages are read through.

Markdown converters drop merged cells, so that rows below one come short. The tables are taken out, written
as `osler.authoring.scenarios.markdown.table` writes them, and put back. A table inside a cell follows its
outer one.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from osler.authoring.scenarios.markdown import table

if TYPE_CHECKING:
    from bs4 import BeautifulSoup, Tag

MOST_CELLS: Final = 200_000
_STRUCK_TAGS: Final = ("s", "strike", "del", "script", "style", "template", "noscript")
_BLOCKS: Final = ("p", "br", "div", "li", "h1", "h2", "h3", "h4", "h5", "h6")
_MOST_SPANNED: Final = 1_000
_PLACE: Final = "\ue000"
"""A character of private use that stands at both ends of a table's number."""


def html_markdown(html: str) -> str:
    """The Markdown of an HTML document, without what is struck through."""
    from bs4 import BeautifulSoup  # noqa: PLC0415 - optional
    from markitdown.converters import HtmlConverter  # noqa: PLC0415 - optional

    soup = BeautifulSoup(html.replace(_PLACE, ""), "html.parser")
    for tag in soup.find_all(_STRUCK_TAGS):
        tag.decompose()
    for tag in soup.find_all(style=lambda style: bool(style) and "line-through" in style):
        tag.decompose()
    held = _taken_out(soup)
    text = str(HtmlConverter().convert_string(str(soup)).markdown)
    return re.sub(rf"{_PLACE}(\d+){_PLACE}", lambda match: f"\n\n{held[int(match[1])]}\n\n", text)


def _taken_out(soup: BeautifulSoup) -> list[str]:
    """The tables as Markdown; in their places stand their numbers."""
    held: list[str] = []
    while (one := soup.find("table")) is not None:
        for inner in reversed(one.find_all("table")):
            one.insert_after(inner.extract())
        held.append(table(_grid(one)))
        place = soup.new_tag("p")
        place.string = f"{_PLACE}{len(held) - 1}{_PLACE}"
        one.replace_with(place)
    return held


def _grid(found: Tag) -> list[list[str | None]]:
    """The cells of a table; `None` where one is merged with that above, empty where with that to its left."""
    rows: list[list[str | None]] = []
    below: dict[int, tuple[int, str | None]] = {}
    cells = 0
    for line in found.find_all("tr"):
        row: list[str | None] = []
        for cell in line.find_all(["td", "th"], recursive=False):
            _filled(row, below)
            wide, deep = _span(cell, "colspan"), _span(cell, "rowspan")
            for at in range(wide):
                below[len(row)] = (deep - 1, "" if at else None)
                row.append("" if at else _words(cell))
        _filled(row, below, to_end=True)
        rows.append(row)
        cells += len(row)
        if cells > MOST_CELLS:
            raise ValueError(f"holds more than {MOST_CELLS:,} cells")
    return rows


def _filled(row: list[str | None], below: dict[int, tuple[int, str | None]], *, to_end: bool = False) -> None:
    """Continue a row with the cells from above that reach into it."""
    while (held := below.get(len(row), (0, None)))[0] > 0:
        below[len(row)] = (held[0] - 1, held[1])
        row.append(held[1])
    last = max((column for column, (left, _) in below.items() if left > 0), default=-1) if to_end else -1
    if last >= len(row):
        row.append("")
        _filled(row, below, to_end=True)


def _span(cell: Tag, name: str) -> int:
    text = str(cell.get(name, "1")).strip()
    most = _MOST_SPANNED if name == "rowspan" else 100
    return max(1, min(int(text), most)) if text.isascii() and text.isdigit() and len(text) < 6 else 1


def _words(cell: Tag) -> str:
    for box in cell.find_all("input", type="checkbox"):
        box.replace_with("☑" if box.has_attr("checked") else "☐")
    for block in cell.find_all(_BLOCKS):
        block.insert_after(" ")
    return cell.get_text()
