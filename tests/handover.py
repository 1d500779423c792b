"""The protocol of docs/protocols.md as a package that lies outside Osler, made from the page itself."""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from osler.core import registry
from tests.plugged import laid_out

ROOT: Final = Path(__file__).parents[1]
PAGE: Final = ROOT / "docs" / "protocols.md"
CASES: Final = ROOT / "tests" / "fixtures" / "handover" / "cases"
_FILE: Final = re.compile(r"^```(?:python|jinja|yaml) (\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def files() -> dict[str, str]:
    """The files that stand in the page by name; what stands there in parts is put together."""
    parts: dict[str, list[str]] = {}
    for name, text in _FILE.findall(PAGE.read_text("utf-8")):
        parts.setdefault(name, []).append(text)
    return {name: "\n\n".join(found) for name, found in parts.items()}


def install(folder: Path) -> Path:
    """Lay the package out in a folder, as an installer does; returns the folder."""
    shutil.copytree(CASES, folder / "cases")
    return laid_out(folder, "handover", files(), {"osler.protocols": {"handover": "handover:PROTOCOL"}})


@contextmanager
def installed(folder: Path) -> Iterator[Path]:
    """The package, found by this process."""
    sys.path.insert(0, str(install(folder)))
    registry._loaded.cache_clear()
    try:
        yield folder
    finally:
        sys.path.remove(str(folder))
        sys.modules.pop("handover", None)
        registry._loaded.cache_clear()
