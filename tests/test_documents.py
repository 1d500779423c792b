"""Every command in every document is one that the program takes: its names, options and values."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

from osler.cli.lazy_commands import Later
from osler.cli.main import app
from osler.core.registry import OURS

ROOT = Path(__file__).parent.parent
PAGES = (
    "README.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    *sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").glob("**/*.md")),
)
BLOCK = re.compile(r"^```(?:sh|text|bash|console)?\n(.*?)^```", re.DOTALL | re.MULTILINE)
INLINE = re.compile(r"`(osler [a-z][^`\n]*)`")


def commands(page: str) -> Iterator[str]:
    """The `osler` commands of a page, in blocks and within sentences, without comments."""
    text = (ROOT / page).read_text(encoding="utf-8")
    for block in BLOCK.findall(text):
        for line in block.replace("\\\n", " ").splitlines():
            if re.match(r"(?:\$ )?osler [a-z]", line):
                yield re.split(r"\s{2,}", line.removeprefix("$ "))[0]
    yield from INLINE.findall(text)


@pytest.fixture(scope="module")
def program() -> Any:  # Any: click's own type is not public in typer
    """The program, every command of which does nothing."""
    found = typer.main.get_command(app)

    def still(command: Any) -> None:
        for name, one in getattr(command, "commands", {}).items():
            command.commands[name] = one.imported() if isinstance(one, Later) else one
            still(command.commands[name])
        command.callback = command.callback and (lambda **_: None)

    still(found)
    return found


def refused(program: Any, words: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    """The program's objection to a command; "" if it is taken, or names a group of commands alone."""
    with pytest.raises(SystemExit) as ended:
        program.main(words, prog_name="osler")
    said = capsys.readouterr().err
    return said if ended.value.code and "Error:" in said else ""


@pytest.mark.parametrize("page", PAGES)
def test_every_command_of_a_page_is_taken(
    page: str, program: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    for line in commands(page):
        words = shlex.split(line, comments=True)[1:]
        if "..." in words or any(word.startswith("[") for word in words):
            continue
        if words[0] == "run" and words[1:2] and words[1] not in OURS:
            continue  # a protocol that the page makes up
        said = refused(program, words, capsys)
        # Within a sentence, a command may be named without its arguments.
        assert not said or "Missing" in said, f"{page}: {line}: {said}"


@pytest.mark.parametrize("wrong", ["plaay cardiology-01", "play cardiology-01 --no-such-option"])
def test_a_command_that_does_not_exist_is_found(
    wrong: str, program: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "No such" in refused(program, wrong.split(), capsys)
