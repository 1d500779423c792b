"""docs/adapters/openenv.md runs as it is written: its command, and every example against that server."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

PAGE = (Path(__file__).parents[3] / "docs" / "adapters" / "openenv.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
PRINTED = ("completed 0.0 scored\n",)
WRITTEN = "http://127.0.0.1:8000"


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """The address of a server that the page's command started, at a free port."""
    [line] = re.findall(r"^osler openenv .*$", PAGE, re.MULTILINE)
    words = shlex.split(line.replace("--port 8000", "--port 0 --json"))
    command = [sys.executable, "-m", "osler.cli.main", *words[1:]]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield json.loads(process.stdout.readline())["url"]
        process.terminate()
        process.communicate()
    assert process.returncode == 0


@pytest.mark.parametrize(("block", "printed"), list(zip(EXAMPLES, PRINTED, strict=True)))
def test_an_example_runs(block: str, printed: str, url: str, tmp_path: Path) -> None:
    program = block.replace(WRITTEN, url)
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, timeout=120
    )
    assert (done.returncode, done.stdout) == (0, printed), done.stderr
