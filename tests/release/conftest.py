"""The wheel that `make wheel` built, and an environment with nothing but it."""

from __future__ import annotations

import os
import subprocess
import sys
import venv
from pathlib import Path
from typing import Final, NamedTuple

import pytest

ROOT: Final = Path(__file__).parents[2]
BUILT: Final = ROOT / "build/wheel"


class Installed(NamedTuple):
    """A virtual environment that holds the wheel, and an empty folder to work in."""

    python: Path
    folder: Path

    @property
    def osler(self) -> str:
        """The command `osler` of the environment."""
        return str(self.python.with_name("osler"))

    def env(self) -> dict[str, str]:
        """The variables of a stranger's shell: nothing of this checkout, and a home of its own."""
        kept = {name: value for name, value in os.environ.items() if name in ("LANG", "LC_ALL", "TMPDIR")}
        return {**kept, "PATH": os.defpath, "HOME": str(self.folder), "COLUMNS": "100"}

    def run(self, *words: str, code: int = 0) -> subprocess.CompletedProcess[str]:
        """Run a command in the folder; fails unless it exits with `code`."""
        done = subprocess.run(
            words, cwd=self.folder, env=self.env(), capture_output=True, text=True, timeout=300, check=False
        )
        assert done.returncode == code, f"{words}: {done.stdout[-2000:]}{done.stderr[-2000:]}"
        return done


def only(pattern: str) -> Path:
    """The one file that was built under a name."""
    found = sorted(BUILT.glob(pattern))
    assert len(found) == 1, f"{BUILT} holds {len(found)} of {pattern}: run `make wheel`"
    return found[0]


def install(python: Path, *what: str) -> None:
    """Install with the machine's own settings of pip, so that its cache and index serve."""
    pip = (str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check")
    done = subprocess.run([*pip, "--no-compile", *what], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]


@pytest.fixture(scope="session")
def wheel() -> Path:
    """The wheel that was built."""
    return only("*.whl")


@pytest.fixture(scope="session")
def sdist() -> Path:
    """The source distribution that was built."""
    return only("*.tar.gz")


@pytest.fixture(scope="session")
def bare(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """The wheel installed without extras."""
    root = tmp_path_factory.mktemp("stranger")
    venv.create(root / "venv", with_pip=True)
    python = root / "venv" / "bin" / Path(sys.executable).name
    python = python if python.exists() else root / "venv/bin/python"
    install(python, str(wheel))
    (root / "empty").mkdir()
    return Installed(python, root / "empty")
