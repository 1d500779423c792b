"""The sources of a run's scenarios: our library, a file, a folder of files, or a folder of packets.

Like the sources of cases: a stream that can be read repeatedly, always in the same order. Whatever cannot be
read goes into the report, and so does a scenario whose id is already used in the source.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from importlib import resources
from pathlib import Path
from typing import Final, Protocol

from osler.cases.importers.detect import YAML_FILES
from osler.cases.importers.osler_yaml import NAME as OWN
from osler.cases.importers.reading import check_file
from osler.cases.importers.report import ImportReport, Rejected, Tally
from osler.cases.scenarios import reading
from osler.cases.scenarios.model import Scenario
from osler.cases.scenarios.packets import NoPacket, holds_packets, packets_of
from osler.cases.sources import LIBRARY, fingerprint_of, natural, near
from osler.cases.stream_index import ByPlace
from osler.errors import BadInput

PACKETS: Final = "medsp1000"
FORMATS: Final = ("auto", OWN, PACKETS)
_ACCEPTED: Final = "accepted are: library, a file or folder of scenarios, or a folder of packets"
_FILES: Final = (".yaml", ".yml", ".json", ".jsonl", ".ndjson")
_NOT_THERE: Final = "is named in the list, and there is no such scenario"


class _Part(Protocol):
    """A file or a packet that scenarios are read from.

    `name` is its name in a report; `key` is the id of its one scenario, where that is known before it is
    read.
    """

    name: str
    key: str

    def files(self) -> Iterator[tuple[str, Path]]:
        """The files that determine it, each with a name."""
        ...

    def read(self) -> Iterator[Scenario | Rejected]:
        """Its scenarios."""
        ...


class _File:
    key = ""

    def __init__(self, path: Path) -> None:
        self.path, self.name = path, path.name

    def files(self) -> Iterator[tuple[str, Path]]:
        yield self.name, self.path

    def read(self) -> Iterator[Scenario | Rejected]:
        check_file(self.path)
        yield from reading.read(self.path)


class ScenarioSource:
    """Scenarios of files or packets in a fixed order; implements `osler.core.source.Source`.

    With `only`, no other ids are read, and those that are missing go into the report.
    """

    size: None = None
    """Only reading can tell how many there are."""

    def __init__(
        self, label: str, parts: Sequence[_Part], *, in_folder: bool, only: Sequence[str] = ()
    ) -> None:
        self.label, self._in_folder, self._only = label, in_folder, dict.fromkeys(only)
        self._parts = [part for part in parts if not (only and part.key and part.key not in self._only)]
        self.report: ImportReport | None = None
        self._by_place = ByPlace[Scenario](label, "scenario", lambda: iter(self))

    def __iter__(self) -> Iterator[Scenario]:
        """Every readable scenario, from the first."""
        tally, owners = Tally(), dict[str, str]()
        for part in self._parts:
            yield from tally.watch(self._items(part, owners), file=part.name if self._in_folder else "")
        there = owners.keys() | {part.key for part in self._parts}
        for key in self._only:
            if key not in there:
                yield from tally.watch(self._items(NoPacket(key, _NOT_THERE), owners), file=key)
        self.report = tally.report()

    def get(self, index: int) -> Scenario:
        """The scenario at `index`, from 0. Raises BadInput where the source has no such scenario."""
        return self._by_place.get(index)

    @cached_property
    def fingerprint(self) -> str:
        """A fingerprint, 32 hex digits, over the names and bytes of every file that is read (blake2b)."""
        chosen = "\0".join(self._only)
        files = (file for part in self._parts for file in part.files())
        return fingerprint_of((f"{chosen}\0{name}", path) for name, path in files)

    def _items(self, part: _Part, owners: dict[str, str]) -> Iterator[Scenario | Rejected]:
        try:
            for number, item in enumerate(part.read(), start=1):
                if isinstance(item, Scenario):
                    if self._only and item.id not in self._only:
                        continue
                    if item.id in owners:
                        yield Rejected(number, f"the id {item.id} is already used in {owners[item.id]}")
                        continue
                    owners[item.id] = part.name
                yield item
        except BadInput as error:
            # One bad file does not stop a folder.
            if not self._in_folder:
                raise
            yield Rejected(1, error.what)


def open_scenarios(
    spec: str, format: str = "auto", *, rubrics: Path | None = None, only: Sequence[str] = ()
) -> ScenarioSource:
    """Open the source that `spec` names: `library`, a file, a folder of files, or a folder of packets.

    The `rubrics` of packets are in a folder of that name unless another is given. `only` are ids of
    scenarios. Raises BadInput, listing what is accepted, where `spec` names no source.
    """
    if format not in FORMATS:
        accepted = ", ".join(FORMATS)
        raise BadInput(f"there is no format {format!r}", where="--format", mend=f"one of {accepted}")
    if rubrics is not None and not rubrics.exists():
        raise BadInput("there is no such folder of rubrics", where=str(rubrics))
    if spec == LIBRARY:
        return _files(Path(str(resources.files("osler.cases.scenarios") / LIBRARY)), LIBRARY, only)
    path = Path(spec)
    try:
        if spec.strip() and path.is_dir():
            label = path.resolve().name
            own = any(file.suffix.lower() in YAML_FILES for file in _named(path))
            if format == PACKETS or (format == "auto" and not own and holds_packets(path)):
                found = packets_of(path, rubrics)
                return ScenarioSource(label, found, in_folder=True, only=only)
            return _files(path, label, only)
        if not spec.strip() or not path.exists():
            raise BadInput("there is no such source of scenarios", where=spec, mend=near(path, _ACCEPTED))
    except (OSError, ValueError) as error:
        raise BadInput(f"cannot be read: {error}", where=spec[:200], mend=_ACCEPTED) from None
    check_file(path)
    return ScenarioSource(path.name, (_File(path),), in_folder=False, only=only)


def _files(folder: Path, label: str, only: Sequence[str]) -> ScenarioSource:
    names = sorted(_named(folder), key=lambda item: natural(item.name))
    if not names:
        raise BadInput(f"the folder holds no scenarios ({', '.join(_FILES)})", where=label, mend=_ACCEPTED)
    return ScenarioSource(label, [_File(item) for item in names], in_folder=True, only=only)


def _named(folder: Path) -> Iterator[Path]:
    """The files of a folder that may hold scenarios."""
    for item in folder.iterdir():
        if item.suffix.lower() in _FILES and not item.name.startswith(".") and item.is_file():
            yield item
