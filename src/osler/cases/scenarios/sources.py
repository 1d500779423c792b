"""The sources of a run's scenarios: our library, a file, a folder of files, or a folder of packets."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from importlib import resources
from pathlib import Path
from typing import Final

from osler.cases.file_source import LIBRARY, FileSource, files_in, fingerprint_of, library_file, opening
from osler.cases.importers.detect import YAML_FILES
from osler.cases.importers.images import Images
from osler.cases.importers.osler_yaml import NAME as OWN
from osler.cases.importers.osler_yaml import with_files
from osler.cases.importers.reading import check_file
from osler.cases.importers.report import Rejected, Tally
from osler.cases.scenarios import reading
from osler.cases.scenarios.model import Scenario
from osler.cases.scenarios.packets import NoPacket, PacketFolder, holds_packets, packets_of
from osler.errors import BadInput

PACKETS: Final = "medsp1000"
FORMATS: Final = ("auto", OWN, PACKETS)
_ACCEPTED: Final = (
    "accepted are: library, the id of a library scenario, a file or folder of scenarios, "
    "or a folder of packets"
)
_FILES: Final = (".yaml", ".yml", ".json", ".jsonl", ".ndjson")
_NOT_THERE: Final = "is named in the list, and there is no such scenario"


_LIBRARY: Final = Path(str(resources.files("osler.cases.scenarios") / LIBRARY))


class _File:
    key = ""

    def __init__(self, path: Path, images: Images) -> None:
        self.path, self.name, self.images = path, path.name, images

    def files(self) -> Iterator[tuple[str, Path]]:
        yield self.name, self.path

    def read(self) -> Iterator[Scenario | Rejected]:
        check_file(self.path)
        yield from with_files(reading.read(self.path), self.path, self.images)


_Part = _File | PacketFolder | NoPacket
"""A file or a packet. `key` is the id of its one scenario, where that is known before it is read."""


class ScenarioSource(FileSource[Scenario]):
    """Scenarios of files or packets in a fixed order.

    With `only`, no other ids are read, and those that are missing go into the report.
    """

    def __init__(
        self,
        label: str,
        parts: Sequence[_Part],
        *,
        in_folder: bool,
        only: Sequence[str] = (),
        images: Images | None = None,
    ) -> None:
        self._only = dict.fromkeys(only)
        self._keys = {part.key for part in parts if part.key}
        read = [part for part in parts if not (only and part.key and part.key not in self._only)]
        super().__init__(label, read, in_folder=in_folder, called="scenario", images=images)

    @cached_property
    def fingerprint(self) -> str:
        """A fingerprint, 32 hex digits, over the chosen ids, and names and bytes of all files (blake2b)."""
        chosen = "\0".join(self._only)
        return fingerprint_of((f"{chosen}\0{name}", path) for name, path in self.files())

    def _wanted(self, item: Scenario) -> bool:
        return not self._only or item.id in self._only

    def _all(self, tally: Tally, owners: dict[str, str]) -> Iterator[Scenario]:
        yield from super()._all(tally, owners)
        for key in self._only:
            if key not in owners and key not in self._keys:
                yield from tally.watch(NoPacket(key, _NOT_THERE).read(), file=key)


def is_library_scenario(spec: str) -> bool:
    """Whether `spec` is the id of a scenario of the library."""
    return library_file(_LIBRARY, spec) is not None


def open_scenarios(
    spec: str,
    format: str = "auto",
    *,
    rubrics: Path | None = None,
    only: Sequence[str] = (),
    images: Images | None = None,
) -> ScenarioSource:
    """Open the source that `spec` names: `library`, the id of a library scenario, a file, a
    folder of files, or a folder of packets.

    The `rubrics` of packets are in a folder of that name unless another is given. `only` are ids of
    scenarios, `images` is where image files are looked for. Raises BadInput, listing what is accepted, where
    `spec` names no source.
    """
    if format not in FORMATS:
        accepted = ", ".join(FORMATS)
        raise BadInput(f"there is no format {format!r}", where="--format", hint=f"one of {accepted}")
    if rubrics is not None and not rubrics.exists():
        raise BadInput("there is no such folder of rubrics", where=str(rubrics))
    shown = images or Images()
    if spec == LIBRARY:
        return _files(_LIBRARY, LIBRARY, only, shown)
    if (one := library_file(_LIBRARY, spec)) is not None:
        return ScenarioSource(spec, [_File(one, shown)], in_folder=False, only=only, images=shown)
    with opening(spec, "scenarios", _ACCEPTED) as path:
        if path.is_dir():
            label = path.resolve().name
            own = any(file.suffix.lower() in YAML_FILES for file in files_in(path, _FILES))
            if format == PACKETS or (format == "auto" and not own and holds_packets(path)):
                return ScenarioSource(label, packets_of(path, rubrics), in_folder=True, only=only)
            return _files(path, label, only, shown)
    check_file(path)
    return ScenarioSource(path.name, [_File(path, shown)], in_folder=False, only=only, images=shown)


def _files(folder: Path, label: str, only: Sequence[str], images: Images) -> ScenarioSource:
    files = files_in(folder, _FILES)
    if not files:
        raise BadInput(f"the folder holds no scenarios ({', '.join(_FILES)})", where=label, hint=_ACCEPTED)
    parts = [_File(item, images) for item in files]
    return ScenarioSource(label, parts, in_folder=True, only=only, images=images)
