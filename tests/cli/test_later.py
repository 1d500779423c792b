"""The list of commands: there at once, each told in a line, and every command that it names is there."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from osler.cli import scenario
from osler.cli.main import COMMANDS, app

HEAVY = ("aiohttp", "numpy", "sqlalchemy", "osler.store", "osler.studies")
NOT_LISTED = (*HEAVY, "yaml", "osler.cases", "osler.core.config")
"""What the lists of commands do without."""
NOT_DESCRIBED = (*HEAVY, "osler.cases.sources", "osler.judging", "osler.players")
"""What the options of a command that plays do without: they are made of the protocol's configuration."""


def help_of(*words: str) -> str:
    done = CliRunner().invoke(app, [*words, "--help"], prog_name="osler")
    assert done.exit_code == 0, done.output
    return done.stdout


def test_a_list_of_commands_tells_each_whole_in_a_line() -> None:
    for name, (_, about) in COMMANDS.items():
        assert f"  {name}" in help_of()
        assert about in help_of(), f"{name}: cut short"


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_of_the_list_is_there(name: str) -> None:
    assert help_of(name).startswith(f"Usage: osler {name} ")


def test_a_group_within_the_list_has_its_own() -> None:
    assert "Play scenarios" in help_of("scenario")
    for group in scenario.app, app:
        assert not group.registered_commands, "a command beside the list"
    assert "--examinee" in help_of("scenario", "play")


def test_what_is_mistyped_is_put_right() -> None:
    done = CliRunner().invoke(app, ["scenari"])
    assert done.exit_code == 2
    assert "Did you mean 'scenario'" in done.stderr


LINES = {
    "--help": NOT_LISTED,
    "scenario --help": NOT_LISTED,
    "scenario play --help-all": NOT_DESCRIBED,
    "consult --help-all": NOT_DESCRIBED,
    "round --help-all": NOT_DESCRIBED,
    "run consultation --help-all": NOT_DESCRIBED,
}
EACH_IN_A_PROCESS = """
import json, os, sys
from osler.cli.main import app
for line in sys.argv[1:]:
    if not os.fork():
        report = os.dup(1)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        try:
            app(line.split())
        except SystemExit as end:
            os.write(report, (json.dumps([end.code, sorted(sys.modules)]) + chr(10)).encode())
        os._exit(0)
    os.wait()
"""


@pytest.fixture(scope="module")
def imported() -> dict[str, tuple[int, list[str]]]:
    """The exit code of each line, and the modules that a process which called nothing else has imported."""
    run = [sys.executable, "-c", EACH_IN_A_PROCESS, *LINES]
    answers = subprocess.run(run, capture_output=True, text=True, check=True).stdout.splitlines()
    return {line: tuple(json.loads(answer)) for line, answer in zip(LINES, answers, strict=True)}


@pytest.mark.parametrize("line", LINES)
def test_help_imports_nothing_that_is_slow(line: str, imported: dict[str, tuple[int, list[str]]]) -> None:
    code, loaded = imported[line]
    assert code == 0
    assert "osler.cli.main" in loaded
    assert not [name for name in loaded if name in LINES[line] or ".players" in name]


def test_the_command_runs_as_a_module() -> None:
    run = [sys.executable, "-m", "osler.cli.main", "--help"]
    assert "Play consultations" in subprocess.run(run, capture_output=True, text=True, check=True).stdout
