"""Reading rows from a CSV file that may be damaged: a bad row costs only itself."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from osler.cases.importers.reading import open_bytes
from osler.errors import BadInput

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
        rows = csv.reader(file)
        heading: list[str] = []
        number = 0
        while True:
            try:
                cells = next(rows)
            except StopIteration:
                break
            except csv.Error as error:
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


def _heading(names: list[str], needed: tuple[str, ...], path: Path) -> list[str]:
    if missing := [column for column in needed if column not in names]:
        told = f"has no column {' and '.join(missing)}"
        raise BadInput(told, where=path.name, mend="keep the header line with the column names")
    return [own if own and names.index(own) == n else _by_place(n) for n, own in enumerate(names)]


def _row(heading: list[str], cells: list[str]) -> dict[str, str] | str:
    if any(not cell.isascii() and _HALVED.search(cell) for cell in cells):
        return "not UTF-8"
    if len(cells) < len(heading):
        return f"it has {len(cells)} of {len(heading)} columns"
    names = heading + [_by_place(n) for n in range(len(heading), len(cells))]
    return dict(zip(names, cells, strict=True))


def _by_place(n: int) -> str:
    return f"column_{n + 1}"
