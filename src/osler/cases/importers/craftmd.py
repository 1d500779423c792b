"""CRAFT-MD's vignettes as cases: rows of a CSV file with a vignette, its choices and the diagnosis.

The choices may repeat the answer, or miss it: then the diagnosis is asked for without them.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from osler.cases.importers.leaves import Leaf, words_of
from osler.cases.importers.reading import open_bytes
from osler.cases.importers.report import Rejected
from osler.cases.importers.vignette import Vignette, prose_of
from osler.cases.importers.vignette_case import cases
from osler.cases.importers.vignette_choices import asked_of, options_of
from osler.cases.model import Case
from osler.errors import BadCase, BadInput

NAME: Final = "craftmd"
LOOKS_LIKE: Final = re.compile(rb"\bcase_vignette\b")
QUESTION: Final = "What is the most likely diagnosis?"
VIGNETTE: Final = "case_vignette"
_CHOICE: Final = re.compile(r"choice[_ ]?\d{1,2}")
_UNREADABLE: Final = re.compile("[\udc80-\udcff]")


def read(path: Path, prefix: str) -> Iterator[Case | Rejected]:
    """Each row of a file as a case, or rejected with a reason; rows count from 1, without the header."""
    return cases(vignettes(path), path.name, prefix)


def vignettes(path: Path) -> Iterator[Vignette | Rejected]:
    """Each row of a file, read but not yet taken apart. Raises BadInput where it has no such columns."""
    for number, row in enumerate(_rows(path), start=1):
        if isinstance(row, str):
            yield Rejected(number, row)
            continue
        try:
            yield vignette_of(row, number)
        except BadCase as error:
            yield Rejected(number, error.what)


def _rows(path: Path) -> Iterator[dict[str, str] | str]:
    """The rows below the header by column; a text instead says why a row is refused."""
    # What is not UTF-8 is kept apart as halves of characters, so that it costs only its own row.
    with io.TextIOWrapper(open_bytes(path), "utf-8", errors="surrogateescape", newline="") as file:
        reader = csv.reader(file)
        header: list[str] = []
        while True:
            try:
                cells = next(reader)
            except StopIteration:
                break
            except csv.Error as error:
                yield f"not valid CSV: {error}"
                continue
            if not any(cell.strip() for cell in cells):
                continue
            if not header:
                header = _header(cells, path)
                continue
            if _UNREADABLE.search("".join(cells)):
                yield "not UTF-8"
            elif len(cells) < len(header):
                yield f"it has {len(cells)} cells where the header has {len(header)}"
            else:
                # Columns without a name keep their place as one.
                extra = [f"column_{n}" for n in range(len(header) + 1, len(cells) + 1)]
                yield dict(zip((*header, *extra), cells, strict=True))


def _header(cells: list[str], path: Path) -> list[str]:
    names = [cell.strip().lower().replace(" ", "_") or f"column_{n}" for n, cell in enumerate(cells, start=1)]
    for needed in (VIGNETTE, "answer"):
        if needed not in names:
            raise BadInput(f"has no column {needed}", where=path.name, mend="keep the header line")
    # A name that stands twice keeps both columns.
    return [name if names.index(name) == n else f"{name}_{n + 1}" for n, name in enumerate(names)]


def vignette_of(row: Mapping[str, str], number: int) -> Vignette:
    """One row. Raises BadCase with the reason it is none."""
    text, answer = words_of(row.get(VIGNETTE)), words_of(row.get("answer"))
    if not text:
        raise BadCase("it has no case_vignette")
    if not answer:
        raise BadCase("it has no answer")
    choices = [row[name] for name in row if _CHOICE.fullmatch(name) and row[name].strip()]
    options = options_of(choices)
    asked = asked_of(QUESTION, options, "", answer, for_diagnosis=True)
    missed = options and not asked.options
    return Vignette(
        record=number,
        prose=prose_of(row[VIGNETTE], VIGNETTE),
        leaves=tuple(Leaf(name, value) for name, value in row.items()),
        asked=asked,
        specialty=words_of(row.get("category")) or None,
        remarks=("note: the answer is none of the choices; they are not asked",) if missed else (),
    )
