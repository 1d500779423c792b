"""Every example of docs/external.md runs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.test_readme import blocks

EXAMPLES = blocks("docs/external.md", "python")


@pytest.mark.parametrize(("number", "printed"), [(0, r"completed 0\.0\n"), (1, r"1\.0 2\.0\n")])
def test_the_examples_print_what_the_text_says(
    number: int,
    printed: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    exec(compile(EXAMPLES[number], "docs/external.md", "exec"), {})
    assert re.fullmatch(printed, capsys.readouterr().out)


def test_every_example_is_tried() -> None:
    assert len(EXAMPLES) == 2
