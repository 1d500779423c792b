"""The commands of docs/authoring.md run as they are written, in their order."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from osler.cli.main import app
from tests.authoring.stations.papers import CHEST_PAIN, write_word

pytestmark = pytest.mark.usefixtures("one_child")

PAGE = Path(__file__).parents[3] / "docs" / "authoring.md"


def test_the_commands_of_the_page_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("chest-pain").mkdir()
    write_word(Path("chest-pain/station.docx"), CHEST_PAIN)
    blocks = re.findall(r"```sh\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    lines = [line.partition("#")[0].strip() for block in blocks for line in block.splitlines()]
    commands = [line for line in lines if line.startswith("osler ")]
    assert len(commands) >= 4
    for command in commands:
        done = CliRunner().invoke(app, shlex.split(command)[1:], catch_exceptions=False)
        assert done.exit_code == 0, f"{command}: {done.output}"
