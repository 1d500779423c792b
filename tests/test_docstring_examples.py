"""The examples in docstrings print what they say; the public names have one, and a whole first line."""

from __future__ import annotations

import doctest
import re
from importlib import import_module
from pathlib import Path

import pytest

import osler

SOURCE = Path(osler.__file__).parent
EXAMPLE = re.compile(r"^\s*>>> ", re.MULTILINE)
ALIASES = {"AnyPlayer", "Cast", "Factory", "Words"}
"""Names of types, which have no docstring of their own."""
WITHOUT_EXAMPLE = {"prompted"}
"""A call of it needs a model."""


def modules() -> list[str]:
    """The modules in whose docstrings an example stands."""
    with_example = (file for file in SOURCE.rglob("*.py") if EXAMPLE.search(file.read_text("utf-8")))
    return sorted(".".join(file.relative_to(SOURCE.parent).with_suffix("").parts) for file in with_example)


@pytest.mark.parametrize("name", modules())
def test_examples_print_what_they_say(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("OSLER_STORE", raising=False)
    known = {"osler": osler} if name in osler._PLACES else None  # else what its module holds
    results = doctest.testmod(import_module(name), globs=known)
    assert results.attempted > 0
    assert results.failed == 0


@pytest.mark.parametrize("name", sorted(set(osler.__all__) - ALIASES))
def test_a_public_name_has_a_whole_first_line_and_an_example(name: str) -> None:
    text = getattr(osler, name).__doc__
    assert text.partition("\n")[0].endswith(".")
    assert EXAMPLE.search(text) or name in WITHOUT_EXAMPLE
