"""Where a run's cases come from: the packaged library, a file, a folder, or the generator.

A source is read as a stream, as often as wanted, always in the same order and in flat memory. What cannot be
read stands in its report; a case whose id another case of the source already has is rejected, not lost.
"""

from __future__ import annotations

import difflib
import re
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from importlib import resources
from pathlib import Path
from typing import Final, Protocol

from osler.cases.generator.source import NAME as GENERATED
from osler.cases.generator.source import generated
from osler.cases.importers import ImportReport, Rejected, Tally, import_file
from osler.cases.importers.detect import RECORD_FILES, YAML_FILES, companions, format_named
from osler.cases.importers.osler_yaml import NAME as OWN
from osler.cases.importers.reading import check_file, open_bytes
from osler.cases.model import Case
from osler.errors import BadInput

LIBRARY: Final = "library"
_ACCEPTED: Final = "accepted are: library, generated:N:SEED, a file, or a folder of cases"
CASE_FILES: Final = (*YAML_FILES, *RECORD_FILES)
_CACHED: Final = 512
_CHUNK: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class _File:
    path: Path
    format: str
    place: int | None = None
    """Its place among a folder's files of records, where there are several."""


class CaseSource(Protocol):
    """Cases in a fixed order. `label` names the source in a manifest; `report` is set by every full pass."""

    report: ImportReport | None

    @property
    def label(self) -> str: ...

    @property
    def size(self) -> int | None:
        """How many cases there are; `None` where only reading them tells."""
        ...

    @property
    def fingerprint(self) -> str:
        """32 hex digits over all that decides the cases."""
        ...

    def __iter__(self) -> Iterator[Case]:
        """Every case that can be read, from the first."""
        ...

    def get(self, index: int) -> Case:
        """The case at `index` from 0. Raises BadInput where the source holds no such case."""
        ...


@dataclass
class FileSource:
    """Cases of files, in a fixed order. `label` names the source without the folders above it, and
    `read_with` are the files that some importer reads beside them."""

    label: str
    files: tuple[_File, ...]
    read_with: tuple[Path, ...] = ()
    in_folder: bool = False
    report: ImportReport | None = None
    _recent: OrderedDict[int, Case] = field(default_factory=OrderedDict, repr=False)
    _ahead: Iterator[Case] | None = field(default=None, repr=False)
    _next: int = field(default=0, repr=False)

    def __iter__(self) -> Iterator[Case]:
        """Every case that can be read, from the first."""
        tally, owners = Tally(), dict[str, str]()
        for file in self.files:
            items = self._items(file)
            # Ids that an importer numbers cannot clash within one file, so nothing need be remembered.
            if self.in_folder or file.format == OWN:
                items = _unique(items, owners, file.path.name)
            yield from tally.watch(items, file=file.path.name if self.in_folder else "")
        self.report = tally.report()

    def get(self, index: int) -> Case:
        """The case at `index` from 0; cheap when indexes are asked for in rising order or again soon.

        Raises BadInput where the source holds no such case.
        """
        if index in self._recent:
            self._recent.move_to_end(index)
            return self._recent[index]
        if index < 0:
            raise BadInput(f"there is no case {index}", where=self.label)
        if self._ahead is None or index < self._next:
            self._ahead, self._next = iter(self), 0
        for case in self._ahead:
            self._recent[self._next] = case
            self._next += 1
            if len(self._recent) > _CACHED:
                self._recent.popitem(last=False)
            if self._next > index:
                return case
        self._ahead = None
        raise BadInput(f"there is no case {index + 1}: the source holds fewer", where=self.label)

    @property
    def size(self) -> None:
        """Only reading the files tells."""

    @cached_property
    def fingerprint(self) -> str:
        """32 hex digits over the names and bytes of every file, and of those read with them (blake2b)."""
        digest = blake2b(digest_size=16)
        read = [(file.path, file.format) for file in self.files]
        for path, format in (*read, *((path, "") for path in self.read_with)):
            digest.update(f"{path.name}\0{format}\0".encode())
            contents = blake2b(digest_size=16)
            with open_bytes(path) as opened:
                while block := opened.read(_CHUNK):
                    contents.update(block)
            digest.update(contents.digest())
        return digest.hexdigest()

    def _items(self, file: _File) -> Iterator[Case | Rejected]:
        try:
            yield from import_file(file.path, file.format, place=file.place)
        except BadInput as error:
            # One bad file does not stop a folder.
            if not self.in_folder:
                raise
            yield Rejected(1, error.what)


def open_source(spec: str, format: str = "auto") -> CaseSource:
    """The source that `spec` names: `library`, `generated:N:SEED`, a file, or a folder of files of cases.

    Raises BadInput that says what is accepted where it names none.
    """
    own = spec.partition(":")[0]
    if own in (LIBRARY, GENERATED) and format != "auto":
        raise BadInput(
            "these cases are our own and have no other format",
            where=f"{spec} --format {format}",
            mend="leave --format out",
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
            raise BadInput("there is no such source of cases", where=spec, mend=_near(path))
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
        key=lambda item: _natural(item.name),
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


def _natural(name: str) -> list[tuple[int, int, str]]:
    """`case10` comes after `case9`; capitals decide only between names that are otherwise the same."""
    parts = re.findall(r"\d{1,18}|\D+", name.lower())
    return [(0, int(part), "") if part.isdecimal() else (1, 0, part) for part in parts] + [(2, 0, name)]


def _near(path: Path) -> str:
    try:
        beside = [item.name for item in path.parent.iterdir()] if path.parent.is_dir() else []
    except OSError:
        beside = []
    near = difflib.get_close_matches(path.name, [LIBRARY, *beside[:1000]], n=3)
    return _ACCEPTED + (f"; did you mean {' or '.join(near)}?" if near else "")


def _unique(items: Iterator[Case | Rejected], owners: dict[str, str], file: str) -> Iterator[Case | Rejected]:
    for number, item in enumerate(items, start=1):
        if isinstance(item, Case):
            if item.id in owners:
                yield Rejected(number, f"the id {item.id} is already used in {owners[item.id]}")
                continue
            owners[item.id] = file
        yield item
