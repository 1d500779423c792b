"""Sources that read files: one item after another, in a fixed order and in constant memory.

A source is a stream that can be read repeatedly. Whatever cannot be read goes into its report; an item whose
id is already used in the source is rejected, not lost.
"""

from __future__ import annotations

import difflib
import re
from collections import OrderedDict
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from typing import Final, Generic, Protocol, TypeVar

from osler.cases.importers.images import Images
from osler.cases.importers.reading import open_bytes
from osler.cases.importers.report import Rejected, Tally
from osler.core.source import ImportReport
from osler.errors import BadInput

LIBRARY: Final = "library"
_CHUNK: Final = 1 << 20
_RECENT: Final = 512


class SourceItem(Protocol):
    """A case or a scenario, of whatever type."""

    @property
    def id(self) -> str: ...


T = TypeVar("T", bound=SourceItem)
T_co = TypeVar("T_co", bound=SourceItem, covariant=True)


class SourceEntry(Protocol[T_co]):
    """A file, or a folder that holds one item. `name` is its name in a report."""

    @property
    def name(self) -> str: ...

    def files(self) -> Iterator[tuple[str, Path]]:
        """The files that determine it, each with a name."""
        ...

    def read(self) -> Iterator[T_co | Rejected]:
        """Its items in order. Raises BadInput where it cannot be read as a whole."""
        ...


class FileSource(Generic[T]):
    """Items read from files or folders (`parts`); implements `osler.core.source.Source`.

    `label` names the source without its parent folders, and `called` is the word for one item. In a folder, a
    part that cannot be read costs only itself. `read_with` are further files that determine the items. With
    `may_clash` false no ids are remembered, since those of the one part are numbered.
    `images` is where the parts look for image files.
    """

    size: Final = None
    """Unknown: the items can only be counted by reading them."""

    def __init__(
        self,
        label: str,
        parts: Sequence[SourceEntry[T]],
        *,
        in_folder: bool,
        called: str = "case",
        read_with: Sequence[Path] = (),
        may_clash: bool = True,
        images: Images | None = None,
    ) -> None:
        self.label, self.parts, self.in_folder, self.called = label, tuple(parts), in_folder, called
        self.read_with, self.may_clash = tuple(read_with), may_clash
        self.images = images or Images()
        self.report: ImportReport | None = None
        self._recent: OrderedDict[int, T] = OrderedDict()
        self._ahead: Iterator[T] | None = None
        self._next = 0

    def __iter__(self) -> Iterator[T]:
        """Every readable item, from the first."""
        tally, owners = Tally(), dict[str, str]()
        yield from self._all(tally, owners)
        self.report = tally.report()

    def get(self, index: int) -> T:
        """The item at `index`, from 0; cheap when indexes are asked for in rising order or again soon.

        Raises BadInput where the source has no such item.
        """
        if index in self._recent:
            self._recent.move_to_end(index)
            return self._recent[index]
        if index < 0:
            raise BadInput(f"there is no {self.called} {index}", where=self.label)
        if self._ahead is None or index < self._next:
            self._ahead, self._next = iter(self), 0
        for item in self._ahead:
            self._recent[self._next] = item
            self._next += 1
            if len(self._recent) > _RECENT:
                self._recent.popitem(last=False)
            if self._next > index:
                return item
        self._ahead = None
        raise BadInput(f"there is no {self.called} {index + 1}: the source holds fewer", where=self.label)

    def files(self) -> Iterator[tuple[str, Path]]:
        """The files of all parts, each with a name."""
        for part in self.parts:
            yield from part.files()

    @cached_property
    def fingerprint(self) -> str:
        """A fingerprint, 32 hex digits, over the names and bytes of every file that is read (blake2b)."""
        return fingerprint_of((*self.files(), *((f"{path.name}\0", path) for path in self.read_with)))

    def _all(self, tally: Tally, owners: dict[str, str]) -> Iterator[T]:
        """The readable items of all parts, counted by `tally`; `owners` maps an id to its part's name."""
        for part in self.parts:
            yield from tally.watch(self._items(part, owners), file=part.name if self.in_folder else "")

    def _wanted(self, item: T) -> bool:
        return True

    def _items(self, part: SourceEntry[T], owners: dict[str, str]) -> Iterator[T | Rejected]:
        try:
            for number, item in enumerate(part.read(), start=1):
                if isinstance(item, Rejected) or not self.may_clash:
                    yield item
                elif item.id in owners:
                    yield Rejected(number, f"the id {item.id} is already used in {owners[item.id]}")
                elif self._wanted(item):
                    owners[item.id] = part.name
                    yield item
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


def library_file(root: Path, spec: str) -> Path | None:
    """The library's file of the case with this id, unless a local file or folder has the same name."""
    own = next((path for path in root.iterdir() if path.stem == spec), None)
    return None if own is None or Path(spec).exists() else own


@contextmanager
def opening(spec: str, what: str, accepted: str) -> Iterator[Path]:
    """Yield the path that `spec` names.

    Raises BadInput, saying what is accepted as a source of `what`, where there is none or it cannot be read.
    """
    path = Path(spec)
    try:
        if not spec.strip() or not path.exists():
            raise BadInput(f"there is no such source of {what}", where=spec, hint=_near(path, accepted))
        yield path
    except (OSError, ValueError) as error:
        raise BadInput(f"cannot be read: {error}", where=spec[:200], hint=accepted) from None


def files_in(folder: Path, suffixes: Collection[str]) -> list[Path]:
    """The files of a folder with one of these suffixes, in natural order, without hidden ones."""
    items = (item for item in folder.iterdir() if item.suffix.lower() in suffixes)
    paths = [item for item in items if not item.name.startswith(".") and item.is_file()]
    return sorted(paths, key=lambda item: natural(item.name))


def natural(name: str) -> list[tuple[int, int, str]]:
    """A natural sort key: `case10` comes after `case9`, and case only breaks ties."""
    parts = re.findall(r"\d{1,18}|\D+", name.lower())
    return [(0, int(part), "") if part.isdecimal() else (1, 0, part) for part in parts] + [(2, 0, name)]


def _near(path: Path, accepted: str) -> str:
    """A hint for a missing path: what is accepted, and close matches among the names beside it."""
    try:
        beside = [item.name for item in path.parent.iterdir()] if path.parent.is_dir() else []
    except OSError:
        beside = []
    like = difflib.get_close_matches(path.name, [LIBRARY, *beside[:1000]], n=3)
    return accepted + (f"; did you mean {' or '.join(like)}?" if like else "")
