"""Conventions as tests: what is imported where, what is said aloud, what is shipped."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent.parent / "src" / "osler"
FILES = sorted(SOURCE.rglob("*.py"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_every_public_name_of_a_module_says_what_it_is(path: Path) -> None:
    tree = ast.parse(path.read_text())
    named = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    silent = [
        node.name
        for node in tree.body
        if isinstance(node, named) and not node.name.startswith("_") and not ast.get_docstring(node)
    ]
    assert not silent, f"{path.name}: no docstring for {silent}"


def test_the_four_walls_hold_where_the_linter_cannot_see() -> None:
    """Players never import the case model, not even inside a function."""
    for path in (SOURCE / "players").rglob("*.py"):
        assert "osler.cases" not in path.read_text(), f"{path.name} names osler.cases"


def test_nothing_evaluates_text() -> None:
    dangerous = re.compile(
        r"(?<![\w.])(?:eval|exec|compile)\(|os\.system|shell=True|yaml\.load\((?!.*Loader)|pickle"
    )
    found = [path.name for path in FILES if dangerous.search(path.read_text())]
    assert not found


def test_no_secret_and_no_path_of_a_machine_is_committed() -> None:
    suspicious = re.compile(r"/work/|/root/|sk-[A-Za-z0-9]{20}|BEGIN [A-Z ]*PRIVATE KEY")
    tracked = [*FILES, *SOURCE.rglob("*.yaml"), *Path(__file__).parent.rglob("*.py")]
    found = [path.name for path in tracked if path != Path(__file__) and suspicious.search(path.read_text())]
    assert not found
