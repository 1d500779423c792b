"""The committed pages and their types are what node makes of the sources; without node, hashes tell."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import Final

import pytest

from osler.web.contract import contract

WEB: Final = Path("web")
DIST: Final = Path("src/osler/web/dist")
TOOLS: Final = WEB / "node_modules/.bin"
pytestmark = pytest.mark.skipif(
    not (shutil.which("node") and TOOLS.is_dir()),
    reason="node or web/node_modules is missing (make test-web)",
)


def run(tool: str, *words: str) -> None:
    """Run one of the front end's own tools in its folder."""
    ended = subprocess.run(
        [str((TOOLS / tool).absolute()), *words],
        cwd=WEB,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "NODE_ENV": "production"},
    )
    assert ended.returncode == 0, f"{tool}: {ended.stdout}\n{ended.stderr}"


@pytest.mark.smoke
def test_the_pages_are_built_again_byte_for_byte(tmp_path: Path) -> None:
    run("vite", "build", "--outDir", str(tmp_path / "dist"), "--emptyOutDir")
    run("vite", "build", "--config", "vite.page.config.ts", "--outDir", str(tmp_path / "dist/page"))
    again, committed = (
        {path.relative_to(folder).as_posix(): path.read_bytes() for path in files(folder)}
        for folder in (tmp_path / "dist", DIST)
    )
    assert sorted(again) == sorted(committed), "run `make web` and commit src/osler/web/dist"
    differ = [name for name, content in committed.items() if again[name] != content]
    assert not differ, "run `make web` and commit src/osler/web/dist"


def files(folder: Path) -> list[Path]:
    added = {"BUILD", "LICENSES.txt"}  # by seal.py and notices.py, which have tests of their own
    return [
        one for one in folder.rglob("*") if one.is_file() and one.suffix != ".gz" and one.name not in added
    ]


def test_the_types_are_made_from_the_contract_and_the_sources_keep_to_them(tmp_path: Path) -> None:
    (tmp_path / "openapi.json").write_text(contract(), encoding="utf-8")
    run("openapi-typescript", str(tmp_path / "openapi.json"), "-o", str(tmp_path / "types.ts"))
    assert (tmp_path / "types.ts").read_text() == (WEB / "src/api/types.ts").read_text(), "run `make types`"
    run("tsc", "--noEmit")
