"""The protocols of docs/protocols.md as packages that lie outside Osler: the long one from its folder
`docs/examples/handover`, the short one from the page itself."""

from __future__ import annotations

import re
import shutil
import sys
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from osler.core import registry
from tests.plugged import laid_out

ROOT: Final = Path(__file__).parents[1]
PAGE: Final = ROOT / "docs" / "protocols.md"
EXAMPLE: Final = ROOT / "docs" / "examples" / "handover"
CASES: Final = EXAMPLE / "cases"
_FILE: Final = re.compile(r"^```(?:python|yaml|toml) (\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def files() -> dict[str, str]:
    """The files of the long protocol by name, without its cases."""
    kept = (*EXAMPLE.glob("*.py"), *EXAMPLE.glob("*.jinja"))
    return {path.name: path.read_text("utf-8") for path in kept}


def on_the_page() -> dict[str, str]:
    """The files of the short protocol by name, as they stand in the page."""
    return dict(_FILE.findall(PAGE.read_text("utf-8")))


def entry_points(project: str) -> dict[str, dict[str, str]]:
    """The entry points that a `pyproject.toml` declares."""
    found: dict[str, dict[str, str]] = tomllib.loads(project)["project"]["entry-points"]
    return found


def install(folder: Path) -> Path:
    """Lay the long protocol out in a folder, as an installer does; returns the folder."""
    shutil.copytree(CASES, folder / "cases")
    declared = entry_points((EXAMPLE / "pyproject.toml").read_text("utf-8"))
    return laid_out(folder, "handover", files(), declared)


@contextmanager
def installed(folder: Path) -> Iterator[Path]:
    """The package, found by this process."""
    with importable(install(folder), "handover"):
        yield folder


@contextmanager
def importable(folder: Path, module: str) -> Iterator[None]:
    """A folder that this process imports from, forgotten at the end with its module."""
    sys.path.insert(0, str(folder))
    registry._loaded.cache_clear()
    try:
        yield
    finally:
        sys.path.remove(str(folder))
        sys.modules.pop(module, None)
        registry._loaded.cache_clear()
