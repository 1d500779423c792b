"""Import of cases from files: a readable record becomes a case, any other is rejected with a reason."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from osler.cases.importers.detect import format_named, formats, with_images
from osler.cases.importers.images import Images
from osler.cases.importers.osler_yaml import write_case
from osler.cases.importers.reading import check_file
from osler.cases.importers.report import Rejected, Tally
from osler.cases.model import Case
from osler.core.source import ImportReport, Reason
from osler.errors import BadInput

__all__ = ["Images", "ImportReport", "Reason", "Rejected", "Tally", "formats", "import_file", "write_case"]


def import_file(
    path: Path | str, format: str = "auto", *, place: int | None = None, images: Images | None = None
) -> Iterator[Case | Rejected]:
    """The cases of one file in order, in constant memory.

    A case without an id is named after the format and its number; `place` is the file's number among several,
    and keeps their ids apart; `images` is where the files of its images are looked for. Raises BadInput, at
    once or later, where the file as a whole cannot be read.
    Use a `Tally` to count.
    """
    path = Path(path)
    check_file(path)
    importer = format_named(format, path)
    prefix = f"{importer.NAME}{place or ''}"
    shown = with_images(importer)
    file = shown(path, prefix, images or Images()) if shown else importer.read(path, prefix)
    return _guarded(file, path)


def _guarded(items: Iterator[Case | Rejected], path: Path) -> Iterator[Case | Rejected]:
    try:
        yield from items
    except OSError as error:
        raise BadInput(f"cannot be read: {error.strerror or error}", where=str(path)) from None
