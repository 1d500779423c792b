"""Without an adapter in use, nothing of its tool is imported."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from osler.cli.adapters import ADAPTERS
from osler.cli.main import app

TOOLS = ("mcp", "inspect_ai", "openenv", "ray")
PROGRAM = """
import pkgutil, importlib, sys
import osler
theirs = tuple("osler.adapters." + tool for tool in {tools})
apart = (*theirs, "osler.training.backend", "osler.web", "osler.testing")
for found in pkgutil.walk_packages(osler.__path__, "osler."):
    if not found.name.startswith(apart) and "migrations" not in found.name:
        importlib.import_module(found.name)
print(len(sys.modules))
"""


@pytest.mark.slow  # every module is imported, anew; `lint-imports` forbids the same of the sources
def test_the_core_imports_none_of_the_tools(tmp_path: Path) -> None:
    for tool in TOOLS:
        (tmp_path / f"{tool}.py").write_text(f"raise RuntimeError('{tool} was imported')\n", encoding="utf-8")
    program = f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n{PROGRAM.format(tools=TOOLS)}"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 500


def test_the_adapters_and_what_is_installed_of_each_are_listed() -> None:
    done = CliRunner().invoke(app, ["adapters", "--json"])
    assert done.exit_code == 0
    found = json.loads(done.stdout)["adapters"]
    assert [one["name"] for one in found] == [one.name for one in ADAPTERS]
    for one in found:
        assert one["installed"] is (one["version"] is not None)
