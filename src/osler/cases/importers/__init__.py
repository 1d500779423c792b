"""Cases from files: what can be read is imported, what cannot is rejected with a reason, nothing is lost."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from osler.cases.importers.agentclinic import import_record
from osler.cases.importers.detect import format_named, formats
from osler.cases.importers.osler_yaml import read_cases, write_case
from osler.cases.importers.reading import check_file, read_records
from osler.cases.importers.report import ImportReport, Reason, Rejected, Tally
from osler.cases.model import Case
from osler.errors import BadCase, BadInput

__all__ = ["ImportReport", "Reason", "Rejected", "Tally", "formats", "import_file", "write_case"]


def import_file(
    path: Path | str, format: str = "auto", *, prefix: str = "agentclinic"
) -> Iterator[Case | Rejected]:
    """The cases of one file in order, in flat memory; `prefix` begins the ids of cases that have none.

    Raises BadInput, at once or on the way, where the file as a whole cannot be read. Use a `Tally` to count.
    """
    path = Path(path)
    check_file(path)
    if format_named(format, path) == "osler":
        return _guarded(read_cases(path), path)
    return _guarded(_agentclinic(path, prefix), path)


def _agentclinic(path: Path, prefix: str) -> Iterator[Case | Rejected]:
    for item in read_records(path):
        if isinstance(item, Rejected):
            yield item
            continue
        try:
            yield import_record(item.value, item.number, path.name, prefix)
        except BadCase as error:
            yield Rejected(item.number, error.what)


def _guarded(items: Iterator[Case | Rejected], path: Path) -> Iterator[Case | Rejected]:
    try:
        yield from items
    except OSError as error:
        raise BadInput(f"cannot be read: {error.strerror or error}", where=str(path)) from None
