"""The pages of a PDF whose tables are drawn with lines, as Markdown with merged cells.

A cell is what lines enclose, so that merged ones and text of several lines keep their rows. What is not in a
table with two rows and two columns at least is text.
"""

from __future__ import annotations

import io
from typing import Any, Final, NamedTuple

from osler.authoring.scenarios.markdown import joined, table

_NEAR: Final = 3.0
"""Points by which lines of one column may differ."""


class _Ruled(NamedTuple):
    """A table of a page: its box (left, top, right, bottom), the left edges of its columns, and its cells."""

    box: tuple[float, float, float, float]
    edges: tuple[float, ...]
    rows: list[list[str | None]]


def ruled_markdown(raw: bytes) -> str:
    """The Markdown of a PDF in which some page has a ruled table; empty where none has."""
    import pdfplumber  # noqa: PLC0415 - optional

    parts: list[str] = []
    last: _Ruled | None = None
    seen = False
    with pdfplumber.open(io.BytesIO(raw)) as pdf:
        for page in pdf.pages:
            ruled = [one for found in page.find_tables() if (one := _ruled(found)) is not None]
            seen = seen or bool(ruled)
            for part in _in_order(page, ruled):
                if isinstance(part, str):
                    parts.append(part)
                    last = None
                elif last is not None and _same_columns(last, part):
                    last.rows.extend(part.rows)  # a table that goes on over the page
                    parts[-1] = table(last.rows)
                else:
                    last = part
                    parts.append(table(part.rows))
            page.close()
    return joined(parts) if seen else ""


def _ruled(found: Any) -> _Ruled | None:
    texts, rows = found.extract(), found.rows
    if len(rows) < 2 or max(len(row.cells) for row in rows) < 2:
        return None
    edges = sorted({round(cell[0], 1) for cell in found.cells})
    held = [
        [
            _cell(found.cells, cell, text, row.bbox[1], edge)
            for cell, text, edge in zip(row.cells, line, edges, strict=False)
        ]
        for row, line in zip(rows, texts, strict=True)
    ]
    return _Ruled(tuple(found.bbox), tuple(edges), held)


def _cell(cells: list[Any], cell: Any, text: str | None, top: float, edge: float) -> str | None:
    """A cell's text; `None` where a cell that begins above at the same left edge reaches into the row."""
    if cell is not None:
        return text or ""
    reaches = any(abs(x0 - edge) < 1 and y0 < top - 1 and bottom > top + 1 for x0, y0, _, bottom in cells)
    return None if reaches else ""


def _in_order(page: Any, ruled: list[_Ruled]) -> list[str | _Ruled]:
    """The tables of a page and the text around them, from top to bottom."""

    def outside(thing: dict[str, Any]) -> bool:
        if thing.get("object_type") != "char":
            return True
        x, y = (thing["x0"] + thing["x1"]) / 2, (thing["top"] + thing["bottom"]) / 2
        return not any(box[0] <= x <= box[2] and box[1] <= y <= box[3] for box, _, _ in ruled)

    placed: list[tuple[float, str | _Ruled]] = [(one.box[1], one) for one in ruled]
    lines = page.filter(outside).extract_text_lines(return_chars=False)
    placed += [(line["top"], line["text"]) for line in lines]
    placed.sort(key=lambda each: each[0])
    result: list[str | _Ruled] = []
    for _, part in placed:
        if isinstance(part, str) and result and isinstance(result[-1], str):
            result[-1] += f"\n{part}"
        else:
            result.append(part)
    return result


def _same_columns(one: _Ruled, other: _Ruled) -> bool:
    return len(one.edges) == len(other.edges) and all(
        abs(a - b) < _NEAR for a, b in zip(one.edges, other.edges, strict=True)
    )
