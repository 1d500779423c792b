"""Export of analysis tables to files, with Croissant metadata.

CSV always, and Parquet too if pyarrow is installed. Rows are streamed to the files, so memory use is
constant. There is no wall-clock time in any row: the same episodes give the same bytes.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from importlib import import_module
from importlib.util import find_spec
from io import TextIOWrapper
from pathlib import Path
from typing import Any, Final

from osler.errors import BadInput
from osler.files import whole_file
from osler.reports.table_columns import Table
from osler.text.safe_csv import harmless

Cell = str | int | float | None
DESCRIPTION: Final = "croissant.json"
_BATCH: Final = 2000


def write_tables(
    folder: Path,
    tables: Sequence[Table],
    rows: Iterable[tuple[str, Sequence[Cell]]],
    describe: Callable[[Sequence[Path]], str],
) -> list[Path]:
    """Write tables and their metadata into `folder` and return the files. Each of `rows` is (table name,
    cells); `describe` makes the text of `croissant.json` from the files once all are written.

    Text that a spreadsheet would take for a formula gets a leading apostrophe (`osler.text.safe_csv`).
    Raises BadInput if the folder cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadInput(
            f"cannot be created: {error.strerror}", where=str(folder), hint="name another folder"
        ) from error
    suffixes = ("csv", "parquet") if find_spec("pyarrow") else ("csv",)
    files = [folder / f"{table.name}.{suffix}" for table in tables for suffix in suffixes]
    with ExitStack() as stack:
        sinks = {
            table.name: [_sink(stack, table, folder / f"{table.name}.{suffix}") for suffix in suffixes]
            for table in tables
        }
        for name, row in rows:
            for sink in sinks[name]:
                sink.add(row)
    described = folder / DESCRIPTION
    text = describe(files)
    with whole_file(described) as partial:
        partial.write_text(text, encoding="utf-8", newline="\n")
    return [*files, described]


class _Csv:
    def __init__(self, table: Table, file: TextIOWrapper) -> None:
        self._writer = csv.writer(file, lineterminator="\n")
        self._writer.writerow([column.name for column in table.columns])

    def add(self, row: Sequence[Cell]) -> None:
        self._writer.writerow([_inert(cell) if isinstance(cell, str) else cell for cell in row])

    def close(self) -> None:
        """Do nothing: the caller that opened the file closes it."""


class _Parquet:
    """A Parquet writer that writes rows in batches, typed by column."""

    def __init__(self, table: Table, path: Path) -> None:
        self._arrow: Any = import_module("pyarrow")
        parquet: Any = import_module("pyarrow.parquet")
        types = {
            "text": self._arrow.string(),
            "integer": self._arrow.int64(),
            "number": self._arrow.float64(),
        }
        fields = [(column.name, types[column.kind]) for column in table.columns]
        self._schema = self._arrow.schema(fields)
        self._writer = parquet.ParquetWriter(str(path), self._schema)
        self._rows: list[list[Cell]] = []

    def add(self, row: Sequence[Cell]) -> None:
        self._rows.append([_encodable(cell) if isinstance(cell, str) else cell for cell in row])
        if len(self._rows) >= _BATCH:
            self._flush()

    def close(self) -> None:
        self._flush()
        self._writer.close()

    def _flush(self) -> None:
        columns = zip(*self._rows, strict=True)
        arrays = [
            self._arrow.array(column, field.type)
            for column, field in zip(columns, self._schema, strict=False)
        ]
        if arrays:
            self._writer.write_batch(self._arrow.record_batch(arrays, schema=self._schema))
        self._rows = []


def _sink(stack: ExitStack, table: Table, path: Path) -> _Csv | _Parquet:
    partial = stack.enter_context(whole_file(path))
    if path.suffix == ".csv":
        file = stack.enter_context(partial.open("w", encoding="utf-8", newline=""))
        return _Csv(table, file)
    sink = _Parquet(table, partial)
    stack.callback(sink.close)
    return sink


def _encodable(text: str) -> str:
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()


def _inert(text: str) -> str:
    """Escape text against spreadsheet formula injection and against characters that break CSV readers."""
    return harmless(_encodable(text).replace("\0", "\\x00"))
