"""Every example of docs/external.md runs, and prints what the page leads one to expect."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.test_readme import blocks

PAGE = "docs/external.md"
EXAMPLES = blocks(PAGE, "python")
PRINTED = (r"(\d completed 0\.0\n){3}", r"\[(3\.0(, )?){8}\]\n")


@pytest.mark.parametrize(("block", "printed"), list(zip(EXAMPLES, PRINTED, strict=True)))
def test_an_example_runs(
    block: str,
    printed: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    exec(compile(block, PAGE, "exec"), {})
    said = capsys.readouterr()
    assert re.fullmatch(printed, said.out)
    assert said.err == ""
