"""The rows of a file: JSON lines, a JSON list, CSV or Parquet. One is held at a time.

Columns are found whatever the case and spacing of their names: "Choice A" is `choice_a`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from osler.cases.importers.reading import open_bytes, read_records, read_rows
from osler.cases.importers.report import Rejected
from osler.errors import BadInput, install_line
from osler.protocols.vqa.item import BadRow, LeftOut, VqaItem, check_sense

MOST_ROW_BYTES: Final = 100_000_000
"""The longest row of JSON: it may hold pictures."""
_PARQUET: Final = b"PAR1"
_AT_ONCE: Final = 4
_BETWEEN: Final = re.compile(r"[\s_-]+")

Row = Mapping[str, Any]  # JSON, and bytes in Parquet
Read = Iterator[VqaItem | LeftOut | Rejected]
Reader = Callable[[Path], Read]


def items(path: Path, make: Callable[[int, Row], VqaItem | LeftOut]) -> Read:
    """The items of a file in order, as `make` builds them of a row's number and columns; a row for which it
    raises BadRow, and one that cannot be read, is rejected. Raises BadInput for a fault of the whole file."""
    for number, row in _rows(path):
        if isinstance(row, str):
            yield Rejected(number, row)
            continue
        try:
            made = make(number, row)
            if isinstance(made, VqaItem):
                numbers = [one.number for one in made.pictures]
                check_sense(made.question, made.options, made.right, numbers)
            yield made
        except BadRow as error:
            yield Rejected(number, str(error))


def _rows(path: Path) -> Iterator[tuple[int, Row | str]]:
    with open_bytes(path) as file:
        start = file.read(len(_PARQUET))
    if start == _PARQUET:
        yield from _parquet(path)
    elif path.suffix.lower() == ".csv":
        yield from read_rows(path, (), column)
    else:
        for one in read_records(path, MOST_ROW_BYTES):
            if isinstance(one, Rejected):
                yield one.record, one.reason
            else:
                yield one.number, {column(name): value for name, value in one.value.items()}


def _parquet(path: Path) -> Iterator[tuple[int, Row | str]]:
    try:
        from pyarrow import ArrowException, parquet  # noqa: PLC0415 - an extra
    except ImportError:
        raise BadInput(
            "Parquet is read with pyarrow", where=str(path), hint=install_line("analysis")
        ) from None
    number = 0
    try:
        with parquet.ParquetFile(path) as file:
            for batch in file.iter_batches(batch_size=_AT_ONCE):
                for row in batch.to_pylist():
                    number += 1
                    yield number, {column(name): value for name, value in row.items()}
    except (ArrowException, OSError, ValueError) as error:
        said = " ".join(str(error).split())[:200]
        raise BadInput(f"is no Parquet that can be read: {said}", where=path.name) from None


def column(name: str) -> str:
    """A column's name as rows have it: lower case, with underscores."""
    return _BETWEEN.sub("_", name.strip().strip("\ufeff").strip().casefold())
