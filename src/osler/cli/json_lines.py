"""Files of JSON lines that commands take: each line is read by a function, and bad lines are named."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Final, TypeVar

from pydantic import StringConstraints, ValidationError

from osler.cases.importers.reading import read_records
from osler.cases.importers.report import Rejected
from osler.errors import BadInput, in_words

T = TypeVar("T")
_SHOWN: Final = 5
Words = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
"""A text that says something."""


def read_lines(file: Path, read: Callable[[dict[str, object]], T], hint: str) -> list[T]:
    """The lines of a file, each an object that `read` accepts; blank lines are skipped.

    `read` raises ValueError for what it refuses, as pydantic does. Raises BadInput with the numbers of the
    first lines that are refused, and a hint at what a line is.
    """
    rows: list[T] = []
    refused: list[str] = []
    for record in read_records(file):
        if isinstance(record, Rejected):
            refused.append(f"line {record.record}: {record.reason}")
            continue
        try:
            rows.append(read(record.value))
        except ValidationError as error:
            refused.append(f"line {record.number}: {in_words(error)}")
        except ValueError as error:
            refused.append(f"line {record.number}: {error}")
    if refused:
        more = f"; and {len(refused) - _SHOWN} more lines" if len(refused) > _SHOWN else ""
        raise BadInput("; ".join(refused[:_SHOWN]) + more, where=str(file), hint=hint)
    return rows
