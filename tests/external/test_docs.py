"""Every example of docs/external.md runs."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs" / "external.md"
EXAMPLES = re.findall(r"```python\n(.*?)```", DOCS.read_text(), re.DOTALL)


@pytest.mark.parametrize(("number", "printed"), [(0, r"completed 0\.0\n"), (1, r"1\.0 2\.0\n")])
def test_the_examples_print_what_the_text_says(number: int, printed: str, tmp_path: Path) -> None:
    command = [sys.executable, "-W", "error", "-c", EXAMPLES[number]]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert re.fullmatch(printed, done.stdout)


def test_every_example_is_tried() -> None:
    assert len(EXAMPLES) == 2
