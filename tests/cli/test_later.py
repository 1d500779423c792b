"""The list of commands: there at once, each told in a line, and every command that it names is there."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from osler.cli import scenario
from osler.cli.main import COMMANDS, app

HEAVY = ("aiohttp", "numpy", "sqlalchemy", "yaml", "osler.cases", "osler.store", "osler.studies")


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
    assert "Did you mean 'scenario'?" in done.stderr


@pytest.mark.parametrize("words", [["--help"], ["scenario", "--help"], ["scenario", "play", "--help"]])
def test_help_imports_nothing_that_is_slow(words: list[str]) -> None:
    code = (
        "import json, sys\nfrom osler.cli.main import app\n"
        f"try: app({words})\nexcept SystemExit: print(json.dumps(sorted(sys.modules)))"
    )
    run = [sys.executable, "-c", code]
    told = subprocess.run(run, capture_output=True, text=True, check=True).stdout
    loaded = json.loads(told.splitlines()[-1])
    assert "osler.cli.main" in loaded
    assert not [name for name in loaded if name in HEAVY]


def test_the_command_runs_as_a_module() -> None:
    run = [sys.executable, "-m", "osler.cli.main", "--help"]
    assert "Play consultations" in subprocess.run(run, capture_output=True, text=True, check=True).stdout
