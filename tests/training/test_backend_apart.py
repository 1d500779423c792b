"""Nothing outside the backend loads torch, and what needs it says so where it is not installed."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from osler.cli.main import app
from osler.training.backend import libraries

BACKEND = Path(libraries.__file__).parent
HEAVY = (
    "torch",
    "transformers",
    "trl",
    "peft",
    "datasets",
    "accelerate",
    "tokenizers",
    "safetensors",
    "pyarrow",
)


def test_the_commands_load_no_torch() -> None:
    code = (
        "import sys, osler.cli.main, osler.cli.train, osler.cli.train_models, osler.cli.train_report;"
        f"print(*[one for one in {HEAVY} if one in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


@pytest.mark.parametrize("path", sorted(BACKEND.glob("*.py")), ids=lambda path: path.stem)
def test_a_file_of_the_backend_loads_none_as_it_is_imported(path: Path) -> None:
    found = set()
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.Import):
            found |= {one.name.partition(".")[0] for one in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add((node.module or "").partition(".")[0])
    assert not found & {*HEAVY}


@pytest.mark.parametrize(
    "line",
    [
        "train tiny {o}/base",
        "train sft {o} --base {o} --out {o}/out",
        "train merge {o}",
        "train serve {o}",
    ],
)
def test_without_the_extra_a_command_says_what_to_install(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(libraries, "find_spec", lambda name: None)
    done = CliRunner().invoke(app, line.format(o=tmp_path).split())
    assert done.exit_code == 1
    assert "pip install -e '.[train]' in Osler's folder" in done.stderr
    assert not any(tmp_path.iterdir())
