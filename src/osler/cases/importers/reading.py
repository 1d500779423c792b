"""Reading records from a file that may be damaged: JSON lines, a JSON list, or one JSON object.

An unreadable record becomes a `Rejected` with its number and the reason; a fault of the file as a whole is a
`BadInput`. Memory stays constant: one record is held at a time, and one that is longer than its format allows
is skipped without ever being held.
"""

from __future__ import annotations

import codecs
import csv
import io
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple, TypeVar

from osler.cases.importers.report import Rejected
from osler.errors import BadCase, BadInput
from osler.text.records.missing import is_missing_key

MAX_RECORD_BYTES: Final = 5_000_000
_CHUNK: Final = 1 << 20
_LINE_FILES: Final = (".jsonl", ".ndjson")
# Every character that matters to a JSON scanner: string ends, escapes, brackets, and commas between records.
_STRUCTURE: Final = re.compile(rb'["\\\[\]{},]')
_PEEKED_LINES: Final = 3

_Made = TypeVar("_Made")

ENDS_EARLY: Final = "the file ends in the middle of the list"


class Record(NamedTuple):
    """One record of a file. `number` is its line (JSON lines) or its position in the list, from 1."""

    number: int
    value: dict[str, object]


def check_file(path: Path) -> None:
    """Raise BadInput unless `path` is a non-empty file that can be opened."""
    with open_bytes(path) as file:
        if not file.read(1):
            raise BadInput("the file is empty", where=path.name)


def open_bytes(path: Path) -> BinaryIO:
    """Open a file for reading bytes, past any byte-order mark. Raises BadInput for every failure."""
    if path.is_dir():
        raise BadInput("is a folder, not a file", where=str(path), hint="name a file in it")
    try:
        file = path.open("rb")
        start = file.read(4)
    except FileNotFoundError:
        raise BadInput("there is no such file", where=str(path)) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise BadInput(f"cannot be read: {reason}", where=str(path)) from None
    if start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        file.close()
        raise BadInput("is written in UTF-16", where=path.name, hint="save it as UTF-8")
    file.seek(len(codecs.BOM_UTF8) if start.startswith(codecs.BOM_UTF8) else 0)
    return file


def read_records(path: Path, most: int = MAX_RECORD_BYTES) -> Iterator[Record | Rejected]:
    """The records of a JSON or JSON-lines file in order, each read or rejected; none is skipped silently.

    A record of more than `most` bytes is rejected. Raises BadInput where the file as a whole cannot be read.
    """
    with open_bytes(path) as file:
        origin = file.tell()
        looks = _layout(file, path.suffix.lower(), most)
        file.seek(origin)
        pieces = {"list": _list_items, "lines": _lines, "one": _whole}[looks](file, most)
        result = False
        for number, piece in pieces:
            result = True
            yield Rejected(number, piece) if isinstance(piece, str) else _parsed(number, piece)
    if not result and looks != "list":
        raise BadInput("the file holds nothing but blanks", where=path.name)


def each_record(
    path: Path, make: Callable[[Record], _Made], most: int = MAX_RECORD_BYTES
) -> Iterator[_Made | Rejected]:
    """Apply `make` to each record; where it raises BadCase, the record is rejected with that reason."""
    for item in read_records(path, most):
        if isinstance(item, Rejected):
            yield item
            continue
        try:
            yield make(item)
        except BadCase as error:
            yield Rejected(item.number, error.what)


def _layout(file: BinaryIO, suffix: str, most: int) -> str:
    """Detect the layout of the records: "list", "lines" or "one" (a single object over several lines)."""
    start = file.tell()
    while block := file.read(_CHUNK):
        if block.strip():
            break
    if block.lstrip()[:1] == b"[":
        return "list"
    if suffix in _LINE_FILES:
        return "lines"
    file.seek(start)
    for _, line in zip(range(_PEEKED_LINES), _lines(file, most), strict=False):
        if isinstance(line[1], bytes) and isinstance(_parsed(1, line[1]), Record):
            return "lines"
    return "one"


def _parsed(number: int, raw: bytes) -> Record | Rejected:
    try:
        value = json.loads(raw.decode("utf-8"), object_pairs_hook=_keep_doubled_keys)
        if b"\\ud" in raw.lower():  # perhaps a lone surrogate, with which no text can be stored
            value = json.loads(json.dumps(value, ensure_ascii=False).encode("utf-8", "ignore"))
    except UnicodeDecodeError as error:
        return Rejected(number, f"not UTF-8: byte {error.start + 1} cannot be decoded")
    except json.JSONDecodeError as error:
        ended = raw[error.pos :].strip() == b"" or error.msg.startswith("Unterminated")
        why = "it ends too early" if ended else f"{error.msg} at character {error.pos + 1}"
        return Rejected(number, f"not valid JSON: {why}")
    except RecursionError:
        return Rejected(number, "nested too deeply")
    except ValueError as error:
        return Rejected(number, f"not valid JSON: {error}")
    if not isinstance(value, dict):
        return Rejected(number, f"a record must be an object, not {_kind(value)}")
    return Record(number, value)


def _keep_doubled_keys(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Build a JSON object, collecting the values of a repeated key in a list."""
    result = dict(pairs)
    if len(result) == len(pairs):
        return result
    gathered: dict[str, list[object]] = {}
    for key, value in pairs:
        gathered.setdefault(key, []).append(value)
    return {key: values[0] if len(values) == 1 else values for key, values in gathered.items()}


def _kind(value: object) -> str:
    if isinstance(value, list):
        return "a list"
    if isinstance(value, str):
        return "text"
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    return "a number"


def _lines(file: BinaryIO, most: int) -> Iterator[tuple[int, bytes | str]]:
    """Each non-blank line with its number; a text instead of bytes says why it is refused."""
    number = 0
    while line := file.readline(most + 1):
        number += 1
        if len(line) > most and not line.endswith(b"\n"):
            while line and not line.endswith(b"\n"):
                line = file.readline(_CHUNK)
            yield number, _too_long(most)
        elif line.strip():
            yield number, line


def _whole(file: BinaryIO, most: int) -> Iterator[tuple[int, bytes | str]]:
    raw = file.read(most + 1)
    if raw.strip():
        yield 1, _too_long(most) if len(raw) > most else raw


def _list_items(file: BinaryIO, most: int) -> Iterator[tuple[int, bytes | str]]:
    """The items of a JSON list, split by brackets and strings alone, so that a bad one costs only itself."""
    number, depth, in_string, escaped = 1, 0, False, -1
    item, size, position = bytearray(), 0, 0
    closed = False
    while not closed and (block := file.read(_CHUNK)):
        start = 0
        for match in _STRUCTURE.finditer(block):
            at, mark = match.start(), match.group()
            if in_string:
                if position + at == escaped:
                    continue
                if mark == b"\\":
                    escaped = position + at + 1
                in_string = mark != b'"'
            elif mark == b'"':
                in_string = True
            elif mark in b"[{":
                depth += 1
                if depth == 1:
                    start = at + 1
            elif mark in b"]}":
                depth -= 1
            if in_string or depth > 1 or (depth == 1 and mark != b","):
                continue
            size += at - start
            _keep(item, block[start:at], most)
            if mark == b"," or item.strip() or size > most:
                yield number, _finished(item, size, most)
                number += 1
            item, size, start = bytearray(), 0, at + 1
            if depth < 1:
                closed = True
                break
        else:
            size += len(block) - start
            _keep(item, block[start:], most)
        position += len(block)
    if not closed:
        yield number, ENDS_EARLY
    elif block[start:].strip() or file.read(_CHUNK).strip():
        yield number, "something stands after the end of the list"


def _too_long(most: int) -> str:
    return f"the record is longer than {most // 1_000_000} MB, and it would have to be held whole"


def _keep(item: bytearray, more: bytes, most: int) -> None:
    if len(item) <= most:
        item += more[: most + 1]


def _finished(item: bytearray, size: int, most: int) -> bytes | str:
    if size > most:
        return _too_long(most)
    return bytes(item) if item.strip() else "nothing stands between two commas"


_HALVED: Final = re.compile("[\udc80-\udcff]")


def read_rows(
    path: Path, needed: tuple[str, ...], name: Callable[[str], str]
) -> Iterator[tuple[int, dict[str, str] | str]]:
    """Each row below the header by its number, from 1, and its columns; a text says why a row is refused.

    `name` turns a header cell into the column's name. A column whose name is empty, repeated or missing is
    named by its position: `column_3`. Raises BadInput where a `needed` column or the header is missing.
    """
    # Bytes that are not UTF-8 are carried as lone surrogates, so that they cost only their own row.
    with io.TextIOWrapper(open_bytes(path), "utf-8", errors="surrogateescape", newline="") as file:
        rows = csv.reader(_ShortLines(file))
        heading: list[str] = []
        number = 0
        while True:
            try:
                cells = next(rows)
            except StopIteration:
                break
            except csv.Error as error:
                if not heading:
                    raise BadInput(f"its header is not valid CSV: {error}", where=path.name) from None
                number += 1
                yield number, f"not valid CSV: {error}"
                continue
            if not any(cell.strip() for cell in cells):
                continue
            if not heading:
                heading = _heading([name(cell) for cell in cells], needed, path)
                continue
            number += 1
            yield number, _row(heading, cells)
    if not heading:
        raise BadInput("the file holds nothing but blanks", where=path.name)


class _ShortLines:
    """The lines of a text file. One that would be too long to hold is passed over and raises csv.Error."""

    def __init__(self, file: io.TextIOWrapper) -> None:
        self._file = file

    def __iter__(self) -> _ShortLines:
        return self

    def __next__(self) -> str:
        line = self._file.readline(MAX_RECORD_BYTES)
        if not line:
            raise StopIteration
        if len(line) < MAX_RECORD_BYTES or line.endswith("\n"):
            return line
        while line and not line.endswith("\n"):
            line = self._file.readline(_CHUNK)
        raise csv.Error(f"a line is longer than {MAX_RECORD_BYTES // 1_000_000} MB")


def _heading(names: list[str], needed: tuple[str, ...], path: Path) -> list[str]:
    if missing := [column for column in needed if column not in names]:
        text = f"has no column {' and '.join(missing)}"
        raise BadInput(text, where=path.name, hint="keep the header line with the column names")
    return [
        _by_place(n) if is_missing_key(own) or names.index(own) != n else own for n, own in enumerate(names)
    ]


def _row(heading: list[str], cells: list[str]) -> dict[str, str] | str:
    if any(not cell.isascii() and _HALVED.search(cell) for cell in cells):
        return "not UTF-8"
    if len(cells) < len(heading):
        return f"it has {len(cells)} of {len(heading)} columns"
    names = heading + [_by_place(n) for n in range(len(heading), len(cells))]
    return dict(zip(names, cells, strict=True))


def _by_place(n: int) -> str:
    return f"column_{n + 1}"
