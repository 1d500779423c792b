"""The source of protocol-specific cases, which reads YAML or JSON."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Generic, TypeVar

from osler.cases.file_source import LIBRARY, FileSource, files_in, opening
from osler.cases.importers.osler_yaml import read_as
from osler.cases.importers.reading import check_file
from osler.cases.importers.report import Rejected
from osler.cases.material import Material
from osler.cases.sources import CASE_FILES
from osler.errors import BadInput

M = TypeVar("M", bound=Material)


class _File(Generic[M]):
    def __init__(self, path: Path, kind: type[M]) -> None:
        self.path, self.name, self._kind = path, path.name, kind

    def files(self) -> Iterator[tuple[str, Path]]:
        yield self.name, self.path

    def read(self) -> Iterator[M | Rejected]:
        check_file(self.path)
        return read_as(self._kind, self.path, "case")


def open_material(spec: str, kind: type[M], library: Path | None = None) -> FileSource[M]:
    """Open the protocol-specific cases in a file, in a folder of files, or in the packaged `library`.

    `spec` names one of them, `kind` is the type of a case, and `library` the folder that is packaged with the
    protocol, if any. Files are YAML or JSON, with one case or several in each. Raises BadInput, listing what
    is accepted, if `spec` names none of these.

        >>> from pathlib import Path
        >>> class Puzzle(osler.Material):
        ...     answer: str
        >>> _ = Path("puzzles.yml").write_text("{id: sum, answer: '4'}")
        >>> [puzzle.answer for puzzle in osler.open_material("puzzles.yml", Puzzle)]
        ['4']
    """
    accepted = f"accepted are: {f'{LIBRARY}, ' if library else ''}a file, or a folder of cases"
    own = library is not None and spec == LIBRARY
    with opening(str(library) if own else spec, "cases", accepted) as path:
        if not path.is_dir():
            return FileSource(path.name, [_File(path, kind)], in_folder=False)
        files = files_in(path, CASE_FILES)
        if not files:
            what = f"the folder holds no case files ({', '.join(CASE_FILES)})"
            raise BadInput(what, where=spec, hint=accepted)
        label = LIBRARY if own else path.resolve().name
        return FileSource(label, [_File(item, kind) for item in files], in_folder=True)
