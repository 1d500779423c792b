"""The README's examples run as they are written."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()
BLOCKS = re.findall(r"```(\w+)\n(.*?)```", README, re.DOTALL)
COMMANDS = [
    line.partition("#")[0].strip()
    for language, block in BLOCKS
    if language == "sh"
    for line in block.splitlines()
    if line.startswith("osler ") and " play " not in line
]


@pytest.mark.parametrize("block", [block for language, block in BLOCKS if language == "python"])
def test_python_examples_run(block: str, capsys: pytest.CaptureFixture[str]) -> None:
    exec(compile(block, "README.md", "exec"), {})
    assert "completed" in capsys.readouterr().out


def test_shell_examples_run_in_order(tmp_path: Path) -> None:
    assert len(COMMANDS) >= 8
    osler = str(Path(sys.executable).with_name("osler"))
    for command in COMMANDS:
        words = [osler, *shlex.split(command)[1:]]
        done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, f"{command}: {done.stderr}"
