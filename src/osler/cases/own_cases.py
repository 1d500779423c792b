"""Protocol-specific cases: a base class for their model, and a source that reads them from YAML or JSON."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from typing import Final, Generic, TypeVar

from pydantic import Field

from osler.cases.importers.osler_yaml import made_from, records
from osler.cases.importers.reading import check_file
from osler.cases.importers.report import ImportReport, Rejected, Tally
from osler.cases.sources import CASE_FILES, LIBRARY, fingerprint_of, natural, near
from osler.cases.stream_index import ByPlace
from osler.core.events import Frozen
from osler.errors import BadCase, BadInput


class Material(Frozen):
    """Base class of a protocol's cases. A protocol adds the fields that its story needs."""

    id: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$")

    @cached_property
    def content_hash(self) -> str:
        """32 hex digits over the whole case (blake2b of its canonical JSON)."""
        return blake2b(self.model_dump_json().encode(), digest_size=16).hexdigest()


M = TypeVar("M", bound=Material)


class MaterialSource(Generic[M]):
    """Cases read from files in a fixed order; implements `osler.core.source.Source`."""

    size: Final = None
    """Unknown: the cases can only be counted by reading them."""

    def __init__(self, label: str, files: tuple[Path, ...], kind: type[M], *, in_folder: bool) -> None:
        self.label, self._files, self._kind, self._in_folder = label, files, kind, in_folder
        self.report: ImportReport | None = None
        self._by_place = ByPlace[M](label, "case", lambda: iter(self))

    def __iter__(self) -> Iterator[M]:
        """Iterate over all readable cases, from the first."""
        tally, owners = Tally(), dict[str, str]()
        for file in self._files:
            yield from tally.watch(self._items(file, owners), file=file.name if self._in_folder else "")
        self.report = tally.report()

    def get(self, index: int) -> M:
        """Return the case at `index`, counted from 0. Raises BadInput if the source has no such case."""
        return self._by_place.get(index)

    @cached_property
    def fingerprint(self) -> str:
        """32 hex digits over the names and bytes of every file (blake2b)."""
        return fingerprint_of((file.name, file) for file in self._files)

    def _items(self, file: Path, owners: dict[str, str]) -> Iterator[M | Rejected]:
        try:
            check_file(file)
            for item in records(file, "case"):
                yield (
                    item if isinstance(item, Rejected) else self._made(item.number, item.value, file, owners)
                )
        except BadInput as error:
            # One bad file does not stop a folder.
            if not self._in_folder:
                raise
            yield Rejected(1, error.what)

    def _made(self, number: int, data: dict[str, object], file: Path, owners: dict[str, str]) -> M | Rejected:
        try:
            case = made_from(self._kind, data)
        except BadCase as error:
            return Rejected(number, error.what)
        if case.id in owners:
            return Rejected(number, f"the id {case.id} is already used in {owners[case.id]}")
        owners[case.id] = file.name
        return case


def open_material(spec: str, kind: type[M], library: Path | None = None) -> MaterialSource[M]:
    """Open the cases of `kind` that `spec` names: a file, a folder of files, or `library`, the folder that
    is packaged with the protocol. YAML or JSON, with one case or several in a file.

    Raises BadInput, listing what is accepted, if `spec` names none of these.
    """
    accepted = f"accepted are: {f'{LIBRARY}, ' if library else ''}a file, or a folder of cases"
    path = library if spec == LIBRARY and library else Path(spec)
    try:
        there = bool(spec.strip()) and path.exists()
    except (OSError, ValueError) as error:
        raise BadInput(f"cannot be read: {error}", where=spec[:200], mend=accepted) from None
    if not there:
        raise BadInput("there is no such source of cases", where=spec, mend=near(path, accepted))
    if not path.is_dir():
        return MaterialSource(path.name, (path,), kind, in_folder=False)
    label = LIBRARY if path is library else path.resolve().name
    found = [one for one in path.iterdir() if one.suffix.lower() in CASE_FILES and one.name[0] != "."]
    if not found:
        raise BadInput(f"the folder holds no case files ({', '.join(CASE_FILES)})", where=spec, mend=accepted)
    files = tuple(sorted(found, key=lambda one: natural(one.name)))
    return MaterialSource(label, files, kind, in_folder=True)
