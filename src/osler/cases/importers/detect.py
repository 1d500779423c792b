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
from importlib import import_module
from pathlib import Path
from typing import Any, Final, Protocol, cast

from osler.cases.importers.ddxplus_evidence import COMPANIONS
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
    """An importer of one format: its name, how to recognize it, and its cases, read in constant memory.

    >>> import re
    >>> class Notes:
    ...     NAME, LOOKS_LIKE = "notes", re.compile(rb'"notes"')
    ...
    ...     def read(self, path, prefix):
    ...         yield osler.Rejected(1, "it has no history")
    >>> next(Notes().read("notes.json", "notes")).reason
    'it has no history'
    """

    NAME: str
    LOOKS_LIKE: re.Pattern[bytes]

    def read(self, path: Path, prefix: str, /) -> Iterator[Case | Rejected]:
        """Read each record as a case with an id that begins with `prefix`, or reject it with a reason."""
        ...


_OWN: Final = "osler"
# Formats by name, and the module of each, imported on first use, since their patterns are many.
_MODULES: Final = {
    "agentclinic": "agentclinic",
    "agentclinic-nejm": "nejm",
    "mediq": "mediq",
    "craftmd": "craftmd",
    "medtutor": "medtutor",
    "mvme": "mvme",
    "ddxplus": "ddxplus",
    "fhir": "fhir",
    _OWN: "osler_yaml",
}
# The names of companion files, which a format reads alongside its own and which hold no cases.
_COMPANIONS: Final = {"ddxplus": COMPANIONS}
_WITH_IMAGES: Final = frozenset({"agentclinic-nejm", "medtutor", _OWN})


def formats() -> tuple[str, ...]:
    """The names of all importable formats, including those of packages that fail to load."""
    return tuple(dict.fromkeys((*_MODULES, *(plugin.name for plugin in plugins(GROUP)))))


def _own(name: str) -> Importer:
    """The importer of one of our formats."""
    return cast(Importer, _module(name))


def _module(name: str) -> Any:
    return import_module(f"osler.cases.importers.{_MODULES[name]}")


@lru_cache(maxsize=64)
def plugged(name: str) -> Importer:
    """A package's importer. Raises BadInput where it cannot be loaded or is not an importer."""
    plugin = next(one for one in plugins(GROUP) if one.name == name)
    importer: Importer = plugin.loaded(("NAME", "LOOKS_LIKE", "read"))
    if name != importer.NAME:
        raise BadInput(f"it calls itself {importer.NAME!r}, and its entry point {name!r}", where=plugin.where)
    return importer


def _others() -> Iterator[Importer]:
    """The importers of other packages, as far as they can be loaded."""
    for plugin in plugins(GROUP):
        if plugin.name not in _MODULES:
            with suppress(BadInput):
                yield plugged(plugin.name)


def detect(path: Path) -> Importer:
    """Detect the format of a file. Raises BadInput where it is none that can be imported."""
    if path.suffix.lower() in YAML_FILES:
        return _own(_OWN)
    seen = b""
    with open_bytes(path) as file:
        for _ in range(_LOOKED_AT):
            block = file.read(_CHUNK)
            if not block:
                break
            seen = seen[-_OVERLAP:] + block
            for importer in (*map(_own, _MODULES), *_others()):
                if importer.LOOKS_LIKE.search(seen):
                    return importer
    raise BadInput("its format is not recognised", where=path.name, hint=f"give --format {_named()}")


def format_named(name: str, path: Path) -> Importer:
    """The importer with this name, or the detected one for "auto"."""
    if name == "auto":
        return detect(path)
    if name in _MODULES:
        return _own(name)
    if name in formats():
        return plugged(name)
    raise BadInput(f"there is no format {name!r}", hint=f"formats are auto, {_named()}")


def with_images(importer: Importer) -> Callable[[Path, str, Images], Iterator[Case | Rejected]] | None:
    """The reader of a format whose records name image files; `None` for a format without any."""
    read: Callable[[Path, str, Images], Iterator[Case | Rejected]] | None = (
        _module(importer.NAME).read if importer.NAME in _WITH_IMAGES else None
    )
    return read


def companions(files: Sequence[Path], format: str) -> tuple[Path, ...]:
    """The companion files of `files`, each once, sorted.

    They are the files with a companion's name in a folder where there is a file of that format.
    """
    paths: set[Path] = set()
    for name, called in _COMPANIONS.items():
        own = [path for path in files if not called.fullmatch(path.name)]
        for folder in {path.parent for path in own}:
            beside = [path for path in folder.iterdir() if called.fullmatch(path.name) and path.is_file()]
            if beside and any(path.parent == folder and _is(path, name, format) for path in own):
                paths |= set(beside)
    return tuple(sorted(paths))


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
