"""The sources of a run's cases: the packaged library, a file, a folder, or the generator."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Final

from osler.cases.file_source import LIBRARY, FileSource, files_in, library_file, opening
from osler.cases.generator.source import NAME as GENERATED
from osler.cases.generator.source import generated
from osler.cases.importers import Images, Rejected, import_file
from osler.cases.importers.detect import RECORD_FILES, YAML_FILES, companions, format_named
from osler.cases.importers.osler_yaml import NAME as OWN
from osler.cases.importers.reading import check_file
from osler.cases.model import Case
from osler.core.config import Config
from osler.core.source import Source
from osler.errors import BadInput

_ACCEPTED: Final = (
    "accepted are: library, the id of a library case, generated:N:SEED, a file, or a folder of cases"
)

CASE_FILES: Final = (*YAML_FILES, *RECORD_FILES)

CaseSource = Source[Case]


@dataclass(frozen=True, slots=True)
class _File:
    path: Path
    format: str
    images: Images
    place: int | None = None
    """The file's number among the folder's record files, where there are several."""

    @property
    def name(self) -> str:
        return self.path.name

    def files(self) -> Iterator[tuple[str, Path]]:
        yield f"{self.name}\0{self.format}", self.path

    def read(self) -> Iterator[Case | Rejected]:
        return import_file(self.path, self.format, place=self.place, images=self.images)


def open_source(spec: str, format: str = "auto", images: Images | None = None) -> CaseSource:
    """Open the source that `spec` names: `library`, the id of a library case, `generated:N:SEED`, a case
    file, or a folder of them. `images` is where the image files of its cases are looked for.

    Raises BadInput, listing what is accepted, where it names none.
    """
    own = spec.partition(":")[0]
    if own in (LIBRARY, GENERATED) and format != "auto":
        raise BadInput(
            "these cases are built in and have no other format",
            where=f"{spec} --format {format}",
            hint="omit --format",
        )
    shown = images or Images()
    root = Path(str(resources.files("osler.cases") / LIBRARY))
    if spec == LIBRARY:
        return _folder(root, OWN, LIBRARY, shown)
    if (one := library_file(root, spec)) is not None:
        return FileSource(spec, [_File(one, OWN, shown)], in_folder=False)
    if own == GENERATED:
        return generated(spec)
    with opening(spec, "cases", _ACCEPTED) as path:
        if path.is_dir():
            return _folder(path, format, path.resolve().name, shown)
    check_file(path)
    name = format_named(format, path).NAME
    # Ids numbered by an importer cannot clash within one file, so there is nothing to remember.
    return FileSource(
        path.name,
        [_File(path, name, shown)],
        in_folder=False,
        read_with=companions([path], name),
        may_clash=name == OWN,
        images=shown,
    )


def open_cases(config: Config) -> CaseSource:
    """Open the source of cases that a configuration names."""
    return open_source(config.cases, config.format, Images(config.images, without=config.without_images))


def _folder(path: Path, format: str, label: str, images: Images) -> FileSource[Case]:
    names = files_in(path, CASE_FILES)
    read_with = companions(names, format)
    names = [item for item in names if item not in read_with]
    if not names:
        raise BadInput(f"the folder holds no case files ({', '.join(CASE_FILES)})", where=label)
    records = [item for item in names if item.suffix.lower() in RECORD_FILES]
    files = []
    for item in names:
        own = item.suffix.lower() in YAML_FILES
        place = records.index(item) + 1 if not own and len(records) > 1 else None
        files.append(_File(item, OWN if own else format, images, place))
    return FileSource(label, files, in_folder=True, read_with=read_with, images=images)
