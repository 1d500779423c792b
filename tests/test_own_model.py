"""docs/own-model.md is run as it is written, against the fake endpoint; only addresses are replaced.

Every block after a comment `<!-- run -->` is run: TOML becomes `osler.toml`, shell runs in one session from
the first block to the last. The blocks of other servers are tested with docs/endpoints.md.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from osler.models.config import config_of
from tests.endpoints import running

DOCUMENT = (Path(__file__).parent.parent / "docs" / "own-model.md").read_text(encoding="utf-8")
KEY = "paste-your-key-here"


class Block(NamedTuple):
    """A block that is run."""

    language: str
    text: str


BLOCKS = [Block(*found) for found in re.findall(r"<!-- run -->\n```(\w+)\n(.*?)```", DOCUMENT, re.DOTALL)]
TABLES = [block.text for block in BLOCKS if block.language == "toml"]
SHELL = [block.text for block in BLOCKS if block.language == "sh"]


@pytest.fixture(scope="module")
def base_url() -> Iterator[str]:
    with running() as url:
        yield url


def test_the_document_has_what_the_tests_look_for() -> None:
    assert len(TABLES) == 1
    assert len(SHELL) == 3
    assert DOCUMENT.count("<!-- run") == len(BLOCKS), "a mark stands right before its block"
    assert DOCUMENT.count("```") == 2 * len(BLOCKS), "every block is run"


@pytest.mark.parametrize("table", TABLES)
def test_each_configuration_is_accepted(table: str) -> None:
    (endpoint,) = config_of(tomllib.loads(table)).endpoints.values()
    assert endpoint.name == "mine"
    assert endpoint.price_in is not None


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.slow
def test_the_blocks_run_in_order(table: str, base_url: str, tmp_path: Path) -> None:
    text, replaced = re.subn(r'base_url = "[^"]*"', f'base_url = "{base_url}"', table)
    assert replaced == 1
    (tmp_path / "osler.toml").write_text(text)
    bin_ = Path(sys.executable).parent
    unset = ("OSLER_CONFIG", "OSLER_STORE", "MY_API_KEY")
    environ = {name: value for name, value in os.environ.items() if name not in unset}
    done = subprocess.run(
        ["bash", "-e", "-c", "\n".join(SHELL)],
        cwd=tmp_path,
        env={**environ, "PATH": f"{bin_}{os.pathsep}{environ['PATH']}"},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert KEY not in done.stdout + done.stderr
    kept = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()]
    assert not any(KEY.encode() in content for content in kept), "the key is written down nowhere"
