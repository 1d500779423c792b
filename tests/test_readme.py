"""The examples of the README and of pages on terminal, cases, teaching, models and studies run as written."""

from __future__ import annotations

import re
import shlex
from importlib.util import find_spec
from pathlib import Path

import pytest
from typer.testing import CliRunner

from osler.cli.main import app
from osler.store.store import open_store
from tests.endpoints import running

ROOT = Path(__file__).parent.parent
PAGES = (
    "README.md",
    "docs/terminal.md",
    "docs/cases.md",
    "docs/teaching.md",
    "docs/real-model.md",
    "docs/studies.md",
    "docs/medicine.md",
    "docs/archive.md",
)

SMALLER = {"--repeats 20": "--repeats 2"}
"""What is played less of in a quick test, as written in a slow one."""


def blocks(page: str, language: str) -> list[str]:
    """The code blocks of a page in a language."""
    found = re.findall(r"```(\w+)\n(.*?)```", (ROOT / page).read_text(), re.DOTALL)
    return [block for named, block in found if named == language]


def commands(page: str) -> list[str]:
    """The `osler` commands of a page; nobody sits at the terminal of a test, nor stops a server there."""
    lines = [line.partition("#")[0].strip() for block in blocks(page, "sh") for line in block.splitlines()]
    mine = [line for line in lines if line.startswith("osler ") and not line.startswith("osler serve")]
    return [line for line in mine if " play " not in line]


@pytest.mark.parametrize(
    "smaller", [SMALLER, pytest.param({}, marks=pytest.mark.slow)], ids=["smaller", "whole"]
)
def test_the_commands_of_the_terminal_page_run_in_order(
    smaller: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    check_commands("docs/terminal.md", 18, tmp_path, monkeypatch, smaller)


@pytest.mark.parametrize(
    ("page", "least"),
    [
        ("README.md", 4),
        ("docs/cases.md", 4),
        ("docs/teaching.md", 7),
        ("docs/medicine.md", 1),
        ("docs/real-model.md", 6),
        pytest.param(
            "docs/archive.md", 9, marks=pytest.mark.skipif(not find_spec("pyarrow"), reason="no pyarrow")
        ),
        pytest.param("docs/studies.md", 5, marks=pytest.mark.slow),
    ],
)
def test_shell_examples_run_in_order(
    page: str, least: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    check_commands(page, least, tmp_path, monkeypatch, {})


def check_commands(
    page: str, least: int, folder: Path, monkeypatch: pytest.MonkeyPatch, smaller: dict[str, str]
) -> None:
    """Run a page's commands, of which there are at least so many, in a folder with two endpoints."""
    monkeypatch.chdir(folder)
    assert len(commands(page)) >= least
    with running() as url:
        endpoint = 'base_url = "{}"\nmodel = "{}"\n'
        tables = [f"[endpoints.{name}]\n{endpoint.format(url, name)}" for name in ("mine", "referee")]
        Path("osler.toml").write_text("\n".join(tables), encoding="utf-8")
        run_in_order(page, smaller)


def run_in_order(page: str, smaller: dict[str, str]) -> None:
    """Run every command of a page in this folder; RUN RUN are the two newest runs, the older one first."""
    for line in commands(page):
        command = line
        for written, less in smaller.items():
            command = command.replace(written, less)
        if "RUN RUN" in line:
            with open_store() as store:
                newest, older = store.runs()[:2]
            command = command.replace("RUN RUN", f"{older.name} {newest.name}")
        done = CliRunner().invoke(app, shlex.split(command)[1:])
        unfinished = "lint cases/my-case.yaml" in command  # a new case has everything still to be written
        assert done.exit_code == unfinished, f"{command}: {done.stderr}"
