"""`make test-adapters`: what cannot be installed is skipped and said; nothing is green by being skipped."""

from __future__ import annotations

import subprocess
import venv
from pathlib import Path
from typing import Any

import pytest

from tests.adapter_tools import run

GREEN, RED, NO_TESTS = 0, 1, 5


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    """A machine on which extras install or not, and suites end with a code: -1 is no install."""
    ends: dict[str, int] = {}

    def ran(command: list[str], **_: Any) -> subprocess.CompletedProcess[str]:
        suite = command[-1].removeprefix("tests/adapter_tools/")
        if suite in ends:
            return subprocess.CompletedProcess(command, ends[suite])
        (wanted,) = [name for name in ends if any(f"[{name}]" in word for word in command)]
        return subprocess.CompletedProcess(command, int(ends[wanted] < 0))

    (tmp_path / "pyproject.toml").write_text("[project]\n", encoding="utf-8")
    monkeypatch.setattr(run, "ROOT", tmp_path)
    monkeypatch.setattr(venv, "create", lambda folder, **_: folder.mkdir())
    monkeypatch.setattr(subprocess, "run", ran)
    return ends


@pytest.mark.parametrize(
    ("ends", "code"),
    [
        ({"mcp": GREEN, "inspect": GREEN}, 0),
        ({"mcp": GREEN, "inspect": -1}, 0),
        ({"mcp": -1, "inspect": -1}, 1),
        ({"mcp": RED, "inspect": GREEN}, 1),
        ({"mcp": NO_TESTS, "inspect": GREEN}, 1),
    ],
    ids=["all green", "one skipped", "all skipped", "one red", "one without tests"],
)
def test_it_is_green_only_if_something_ran_and_nothing_failed(
    ends: dict[str, int], code: int, machine: dict[str, int], capsys: pytest.CaptureFixture[str]
) -> None:
    machine.update(ends)
    assert run.main(list(ends)) == code
    said = capsys.readouterr().out
    for name, end in ends.items():
        assert (f"skipped: what the adapter {name} needs could not be installed" in said) is (end < 0)
        assert (f"failed: {name}" in said) is (end > 0)


def test_an_environment_is_made_once_for_each_pyproject(
    machine: dict[str, int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    machine["mcp"] = GREEN
    for text, made in (("[project]\n", 1), ("[project]\n", 0), ("[project]\nname = 'x'\n", 1)):
        (tmp_path / "pyproject.toml").write_text(text, encoding="utf-8")
        (tmp_path / ".venv-mcp" / "bin").mkdir(parents=True, exist_ok=True)
        (tmp_path / ".venv-mcp" / "bin" / "python").touch()
        assert run.main(["mcp"]) == 0
        assert capsys.readouterr().out.count("Installing") == made


def test_of_a_mark_only_the_tests_with_it_are_run(
    machine: dict[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    machine.update({"mcp": GREEN, "inspect": GREEN})
    ran, suites = subprocess.run, list[list[str]]()

    def seen(command: list[str], **more: Any) -> subprocess.CompletedProcess[str]:
        if command[-1].startswith("tests/"):
            suites.append(command)
        ended: subprocess.CompletedProcess[str] = ran(command, **more)
        return ended

    monkeypatch.setattr(subprocess, "run", seen)
    assert run.main(["-m", "smoke", "mcp", "inspect"]) == 0
    assert run.main(["mcp"]) == 0
    assert ["smoke" in command for command in suites] == [True, True, False]
