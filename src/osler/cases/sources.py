"""The sources of a run's cases: the packaged library, a file, a folder, or the generator.

A source is a stream that can be read repeatedly, always in the same order and in constant memory. Whatever
cannot be read goes into its report; a case whose id is already used in the source is rejected, not lost.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from importlib import resources
from pathlib import Path
from typing import Final

from osler.cases.generator.source import NAME as GENERATED
from osler.cases.generator.source import generated
from osler.cases.importers import ImportReport, Rejected, Tally, import_file
from osler.cases.importers.detect import (
    RECORD_FILES,
    YAML_FILES,
    companions,
    format_named,
)
from osler.cases.importers.osler_yaml import NAME as OWN
from osler.cases.importers.reading import check_file, open_bytes
from osler.cases.model import Case
from osler.cases.stream_index import ByPlace
from osler.core.source import Source
from osler.errors import BadInput

LIBRARY: Final = "library"

_ACCEPTED: Final = "accepted are: library, generated:N:SEED, a file, or a folder of cases"

CASE_FILES: Final = (*YAML_FILES, *RECORD_FILES)

_CHUNK: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class _File:
    path: Path
    format: str
    place: int | None = None
    """The file's number among the folder's record files, where there are several."""


CaseSource = Source[Case]


@dataclass
class FileSource:
    """A source that reads cases from files, in a fixed order.

    `label` names the source without its parent folders; `read_with` are the companion files that an importer
    reads alongside them.
    """

    label: str
    files: tuple[_File, ...]
    read_with: tuple[Path, ...] = ()
    in_folder: bool = False
    report: ImportReport | None = None

    def __iter__(self) -> Iterator[Case]:
        """Every readable case, from the first."""
        tally, owners = Tally(), dict[str, str]()
        for file in self.files:
            items = self._items(file)
            # Ids numbered by an importer cannot clash within one file, so there is nothing to remember.
            if self.in_folder or file.format == OWN:
                items = _unique(items, owners, file.path.name)
            yield from tally.watch(items, file=file.path.name if self.in_folder else "")
        self.report = tally.report()

    def get(self, index: int) -> Case:
        """The case at `index`, from 0; cheap when indexes are asked for in rising order or again soon.

        Raises BadInput where the source has no such case.
        """
        return self._by_place.get(index)

    @cached_property
    def _by_place(self) -> ByPlace[Case]:
        return ByPlace(self.label, "case", lambda: iter(self))

    @property
    def size(self) -> None:
        """Return `None`: only reading the files can tell."""

    @cached_property
    def fingerprint(self) -> str:
        """A fingerprint, 32 hex digits (blake2b), over the names and bytes of all files and companions."""
        read = [(f"{file.path.name}\0{file.format}", file.path) for file in self.files]
        return fingerprint_of((*read, *((f"{path.name}\0", path) for path in self.read_with)))

    def _items(self, file: _File) -> Iterator[Case | Rejected]:
        try:
            yield from import_file(file.path, file.format, place=file.place)
        except BadInput as error:
            # One bad file does not stop a folder.
            if not self.in_folder:
                raise
            yield Rejected(1, error.what)


def fingerprint_of(files: Iterable[tuple[str, Path]]) -> str:
    """A fingerprint, 32 hex digits, over the names and bytes of files (blake2b).

    A file that cannot be read contributes its error message instead of its bytes.
    """
    digest = blake2b(digest_size=16)
    for name, path in files:
        digest.update(f"{name}\0".encode())
        contents = blake2b(digest_size=16)
        try:
            with open_bytes(path) as opened:
                while block := opened.read(_CHUNK):
                    contents.update(block)
        except BadInput as error:
            contents.update(error.what.encode())
        digest.update(contents.digest())
    return digest.hexdigest()


def open_source(spec: str, format: str = "auto") -> CaseSource:
    """Open the source that `spec` names: `library`, `generated:N:SEED`, a case file, or a folder of them.

    Raises BadInput, listing what is accepted, where it names none.
    """
    own = spec.partition(":")[0]
    if own in (LIBRARY, GENERATED) and format != "auto":
        raise BadInput(
            "these cases are built in and have no other format",
            where=f"{spec} --format {format}",
            mend="omit --format",
        )
    if spec == LIBRARY:
        root = Path(str(resources.files("osler.cases") / LIBRARY))
        return _folder(root, OWN, LIBRARY)
    if own == GENERATED:
        return generated(spec)
    path = Path(spec)
    try:
        if spec.strip() and path.is_dir():
            return _folder(path, format, path.resolve().name)
        if not spec.strip() or not path.exists():
            raise BadInput("there is no such source of cases", where=spec, mend=near(path, _ACCEPTED))
    except (OSError, ValueError) as error:
        raise BadInput(f"cannot be read: {error}", where=spec[:200], mend=_ACCEPTED) from None
    check_file(path)
    name = format_named(format, path).NAME
    return FileSource(path.name, (_File(path, name),), companions([path], name))


def _folder(path: Path, format: str, label: str) -> FileSource:
    names = sorted(
        (
            item
            for item in path.iterdir()
            if item.suffix.lower() in CASE_FILES and not item.name.startswith(".") and item.is_file()
        ),
        key=lambda item: natural(item.name),
    )
    read_with = companions(names, format)
    names = [item for item in names if item not in read_with]
    if not names:
        raise BadInput(f"the folder holds no case files ({', '.join(CASE_FILES)})", where=label)
    records = [item for item in names if item.suffix.lower() in RECORD_FILES]
    files = []
    for item in names:
        own = item.suffix.lower() in YAML_FILES
        place = records.index(item) + 1 if not own and len(records) > 1 else None
        files.append(_File(item, OWN if own else format, place))
    return FileSource(label, tuple(files), read_with, in_folder=True)


def natural(name: str) -> list[tuple[int, int, str]]:
    """A natural sort key: `case10` comes after `case9`, and case only breaks ties."""
    parts = re.findall(r"\d{1,18}|\D+", name.lower())
    return [(0, int(part), "") if part.isdecimal() else (1, 0, part) for part in parts] + [(2, 0, name)]


def near(path: Path, accepted: str) -> str:
    """A hint for a missing path: what is accepted, and close matches among the names beside it."""
    try:
        beside = [item.name for item in path.parent.iterdir()] if path.parent.is_dir() else []
    except OSError:
        beside = []
    like = difflib.get_close_matches(path.name, [LIBRARY, *beside[:1000]], n=3)
    return accepted + (f"; did you mean {' or '.join(like)}?" if like else "")


def _unique(items: Iterator[Case | Rejected], owners: dict[str, str], file: str) -> Iterator[Case | Rejected]:
    for number, item in enumerate(items, start=1):
        if isinstance(item, Case):
            if item.id in owners:
                yield Rejected(number, f"the id {item.id} is already used in {owners[item.id]}")
                continue
            owners[item.id] = file
        yield item
