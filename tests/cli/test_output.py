"""Words stay words: what is printed is what was meant."""

from __future__ import annotations

import logging
import shlex
import sys
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from osler.cli.logs import _HANDLER as HANDLER
from osler.cli.logs import _LOGGER as LOGGER
from osler.cli.logs import log_at
from osler.cli.main import app
from osler.cli.output import command, out, say
from osler.errors import BadInput, install_line

PERSONA = '[{"persona_id": "a", "background": "b", "demographics": {"age": %s}}]'


def test_names_between_colons_are_no_pictures(capsys: pytest.CaptureFixture[str]) -> None:
    say("write generated:100:7, not generated:x:1")
    out.print("generated:100:7")
    shown = capsys.readouterr()
    assert shown.err == "write generated:100:7, not generated:x:1\n"
    assert shown.out == "generated:100:7\n"


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (RecursionError(), "something in it is nested too deeply"),
        (MemoryError(), "it needs more memory than there is"),
        (OverflowError(), "a number is too large"),
    ],
)
def test_what_goes_beyond_a_limit_is_said_of_the_file_given(
    error: Exception, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = tmp_path / "given.yaml"
    given.touch()

    @command
    def read(file: Path) -> None:
        raise error

    with pytest.raises(typer.Exit) as ended:
        read(file=given)
    assert ended.value.exit_code == 1
    assert capsys.readouterr().err == f"osler: {given}: {words}\n"


@pytest.mark.parametrize(
    ("name", "text", "asked", "words"),
    [
        (
            "release_evidences.json",
            "1",
            "cases import {folder}/release_patients.csv --format ddxplus",
            "neither",
        ),
        ("p.json", PERSONA % ("1" + "0" * 4000), "personas audit {file}", "of many digits"),
        ("deep.yaml", "a: " + "[" * 5000, "study run {file}", "nested too deeply"),
        ("long.csv", "x" * 12_000_000 + "\n", "cases import {file} --format craftmd", "longer than 5 MB"),
    ],
)
def test_files_that_once_ended_in_a_traceback(
    name: str, text: str, asked: str, words: str, tmp_path: Path
) -> None:
    for companion in Path("tests/fixtures/ddxplus_small").iterdir():
        (tmp_path / companion.name).write_bytes(companion.read_bytes())
    (tmp_path / name).write_text(text)
    line = asked.format(folder=tmp_path, file=tmp_path / name).split()
    line += ["--out", str(tmp_path / "out.jsonl")] if line[0] == "cases" else []
    found = CliRunner().invoke(app, line)
    assert isinstance(found.exception, SystemExit), found.exception
    assert words in found.output


def test_a_log_line_is_one_line_whatever_an_endpoint_says(capsys: pytest.CaptureFixture[str]) -> None:
    log_at("warning")
    try:
        forged = "slow\nerror: forged\r\x1b[31merror: forged\u2028error: forged\x85end"
        logging.getLogger("osler.models").warning("endpoint %s: %s", "tiny", forged)
        logging.getLogger("osler.store").warning("run %s", "a\nb\x1b[2J")
    finally:
        LOGGER.removeHandler(HANDLER)
    first, second, rest = capsys.readouterr().err.split("\n")
    assert first.startswith("warning: endpoint tiny: slow")
    assert second.startswith("warning: run a")
    assert not rest
    assert (first + second).isprintable()


def test_advice_to_install_names_the_python_that_runs_here(capsys: pytest.CaptureFixture[str]) -> None:
    @command
    def lacking() -> None:
        raise BadInput("Ray is not installed", hint=install_line("ray"))

    with pytest.raises(typer.Exit):
        lacking()
    assert (
        f"({shlex.quote(sys.executable)} -m pip install -e '.[ray]' in Osler's folder)"
        in capsys.readouterr().err
    )
