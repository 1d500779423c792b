"""CSV sheets for people to fill in, safe from formula injection by text that others wrote.

A cell that a spreadsheet program might evaluate is escaped with a leading apostrophe, and so is one that
would look escaped already; `original` removes it again.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import islice
from pathlib import Path
from typing import Final

from osler.errors import BadInput

LONGEST: Final = 30_000
"""The most characters in a cell; spreadsheet programs truncate beyond 32,767."""
_STARTS: Final = frozenset("=+-@＝＋－＠|%\t\r\n")
_MARK: Final = "'"
_DELIMITERS: Final = (",", ";", "\t")
_SEP: Final = re.compile(r"\s*\"?sep=([^\w\s\"']|\t)\"?[ \t]*(?:\r\n|\n|\r|$)", re.IGNORECASE)
"""The first line by which Excel is told what separates cells."""
_LOOKED_AT: Final = 50
_ARCHIVE: Final = b"PK\x03\x04"
_MOST_BYTES: Final = 200_000_000


def harmless(text: str) -> str:
    """Escape a text so that a spreadsheet program keeps it as text."""
    return _MARK + text if _calculates(text.lstrip(_MARK)) else text


def original(cell: str) -> str:
    """Undo `harmless`."""
    plain = cell.lstrip(_MARK)
    return cell[1:] if len(plain) < len(cell) and _calculates(plain) else cell


def pieces(text: str, longest: int = LONGEST) -> list[str]:
    """Split a long text into pieces that fit into a cell each, at line breaks if there are any."""
    result = []
    while len(text) > longest:
        at = text.rfind("\n", 1, longest) + 1 or longest
        result.append(text[:at])
        text = text[at:]
    return [*result, text]


def table_text(rows: Iterable[Sequence[str]]) -> str:
    """Rows as CSV text that spreadsheet programs open, every cell escaped."""
    file = io.StringIO(newline="")
    writer = csv.writer(file, lineterminator="\r\n", quoting=csv.QUOTE_ALL)
    writer.writerows([harmless(cell) for cell in row] for row in rows)
    # Without a byte order mark, spreadsheet programs assume another encoding.
    return codecs.BOM_UTF8.decode() + file.getvalue()


def read_table(path: Path) -> list[list[str]]:
    """Read the rows of a table as any spreadsheet program may have saved it, cells still escaped.

    Raises BadInput naming what is wrong.
    """
    try:
        return rows_of(_decoded(path), strict=True)
    except csv.Error as error:
        raise BadInput(
            f"is not CSV: {error}", where=str(path), hint="save it from a spreadsheet program as CSV UTF-8"
        ) from None


def rows_of(text: str, *, strict: bool = False) -> list[list[str]]:
    """The rows of a CSV text, whatever separates cells; Excel's first line `sep=;` is followed and left out.

    Raises csv.Error for what is not CSV, with `strict` for a stray quotation mark too.
    """
    hit = _SEP.match(text)
    if hit:
        text = text[hit.end() :]
    separator = hit[1] if hit else _separator(text)
    return list(csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=strict))


def _separator(text: str) -> str:
    """The character that separates cells: that by which most of the first rows are equally wide.

    A title above the head holds none, and a comma may be decimal or stand in sentences.
    """

    def regular(separator: str) -> tuple[float, int]:
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
        try:
            widths = Counter(len(row) for row in islice(reader, _LOOKED_AT) if row)
        except csv.Error:
            return 0.0, 0
        times, most = max(((times, wide) for wide, times in widths.items() if wide > 1), default=(0, 0))
        return times / max(1, widths.total()), most

    return max(_DELIMITERS, key=regular)


def _calculates(text: str) -> bool:
    # Programs differ in whether they skip blanks before a formula.
    return text[:1] in _STARTS or text.lstrip()[:1] in _STARTS


def _decoded(path: Path) -> str:
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise BadInput("is far too large for a sheet", where=str(path))
        raw = path.read_bytes()
    except OSError as error:
        raise BadInput(f"cannot be read: {error.strerror or error}", where=str(path)) from None
    if raw.startswith(_ARCHIVE):
        raise BadInput(
            "is in a spreadsheet program's own format", where=str(path), hint="save it as CSV UTF-8"
        )
    if raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        encodings = ["utf-16"]
    else:
        encodings = ["utf-8-sig", "cp1252"]  # cp1252 is what spreadsheet programs save plain CSV in
    for encoding in encodings:
        try:
            text = raw.decode(encoding)
        except UnicodeDecodeError:
            continue
        if "\0" not in text:
            return text
    raise BadInput("is not a text file", where=str(path), hint="save it as CSV UTF-8")
