"""Format detection from a file's name and its first few megabytes; nothing is parsed.

Each importer is a module with a `NAME`, a test for files of its format, and `read`. Where two formats fit,
the first in the list wins; importers of other packages (entry points of the group `osler.importers`) come
last.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Final, Protocol, cast

from osler.cases.importers import agentclinic, craftmd, ddxplus, fhir, mediq, medtutor, mvme, nejm, osler_yaml
from osler.cases.importers.images import Images
from osler.cases.importers.reading import open_bytes
from osler.cases.importers.report import Rejected
from osler.cases.model import Case
from osler.errors import BadInput
from osler.plugins import plugins

GROUP: Final = "osler.importers"
YAML_FILES: Final = (".yaml", ".yml")
RECORD_FILES: Final = (".json", ".jsonl", ".ndjson", ".csv")
_CHUNK: Final = 1 << 20
_LOOKED_AT: Final = 16
_OVERLAP: Final = 64


class Importer(Protocol):
    """An importer of one format: its name, how to recognize it, and its cases, read in constant memory."""

    NAME: str
    LOOKS_LIKE: re.Pattern[bytes]

    def read(self, path: Path, prefix: str, /) -> Iterator[Case | Rejected]:
        """Read each record as a case with an id that begins with `prefix`, or reject it with a reason."""
        ...


_MODULES: Final = (agentclinic, nejm, mediq, craftmd, medtutor, mvme, ddxplus, fhir, osler_yaml)
_IMPORTERS: Final = {module.NAME: cast(Importer, module) for module in _MODULES}
# The names of companion files, which a format reads alongside its own and which hold no cases.
_WITH_IMAGES: Final = (nejm, medtutor, osler_yaml)
_COMPANIONS: Final = {ddxplus.NAME: ddxplus.COMPANIONS}


def formats() -> tuple[str, ...]:
    """The names of all importable formats, including those of packages that fail to load."""
    return tuple(dict.fromkeys((*_IMPORTERS, *(plugin.name for plugin in plugins(GROUP)))))


@lru_cache(maxsize=64)
def plugged(name: str) -> Importer:
    """A package's importer. Raises BadInput where it cannot be loaded or is not an importer."""
    plugin = next(one for one in plugins(GROUP) if one.name == name)
    found: Importer = plugin.loaded(("NAME", "LOOKS_LIKE", "read"))
    if name != found.NAME:
        raise BadInput(f"it calls itself {found.NAME!r}, and its entry point {name!r}", where=plugin.where)
    return found


def _others() -> Iterator[Importer]:
    """The importers of other packages, as far as they can be loaded."""
    for plugin in plugins(GROUP):
        if plugin.name not in _IMPORTERS:
            with suppress(BadInput):
                yield plugged(plugin.name)


def detect(path: Path) -> Importer:
    """Detect the format of a file. Raises BadInput where it is none that can be imported."""
    if path.suffix.lower() in YAML_FILES:
        return _IMPORTERS[osler_yaml.NAME]
    seen = b""
    with open_bytes(path) as file:
        for _ in range(_LOOKED_AT):
            block = file.read(_CHUNK)
            if not block:
                break
            seen = seen[-_OVERLAP:] + block
            for importer in (*_IMPORTERS.values(), *_others()):
                if importer.LOOKS_LIKE.search(seen):
                    return importer
    raise BadInput("its format is not recognised", where=path.name, hint=f"give --format {_named()}")


def format_named(name: str, path: Path) -> Importer:
    """The importer with this name, or the detected one for "auto"."""
    if name == "auto":
        return detect(path)
    if name in _IMPORTERS:
        return _IMPORTERS[name]
    if name in formats():
        return plugged(name)
    raise BadInput(f"there is no format {name!r}", hint=f"formats are auto, {_named()}")


def with_images(importer: Importer) -> Callable[[Path, str, Images], Iterator[Case | Rejected]] | None:
    """The reader of a format whose records name image files; `None` for a format without any."""
    own = next((module for module in _WITH_IMAGES if importer.NAME == module.NAME), None)
    return None if own is None else own.read


def companions(files: Sequence[Path], format: str) -> tuple[Path, ...]:
    """The companion files of `files`, each once, sorted.

    They are the files with a companion's name in a folder where there is a file of that format.
    """
    found: set[Path] = set()
    for name, called in _COMPANIONS.items():
        own = [path for path in files if not called.fullmatch(path.name)]
        for folder in {path.parent for path in own}:
            beside = [path for path in folder.iterdir() if called.fullmatch(path.name) and path.is_file()]
            if beside and any(path.parent == folder and _is(path, name, format) for path in own):
                found |= set(beside)
    return tuple(sorted(found))


def _is(path: Path, name: str, format: str) -> bool:
    if format != "auto":
        return format == name
    try:
        return name == detect(path).NAME
    except BadInput:
        return False


def _named() -> str:
    *some, last = formats()
    return f"{', '.join(some)} or {last}"
