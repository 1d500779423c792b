"""The page on scenarios: its commands run as they are written, and its example is a sound scenario."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

from osler.cases.scenarios.lint import lint
from osler.cases.scenarios.sources import open_scenarios
from osler.protocols.scenario.oracle_plan import scenario_plan
from osler.protocols.scenario.players.oracle import OracleExaminee
from tests.cli.commands import Osler
from tests.protocols.scenario.playing import judged

DOCS = Path(__file__).parents[3] / "docs"
PAGE = (DOCS / "scenarios.md").read_text()


def blocks(language: str) -> list[str]:
    """The code blocks in a language."""
    found = re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)
    assert found
    return found


def test_commands_run(osler: Osler) -> None:
    lines = [line.partition(" #")[0].strip() for line in "".join(blocks("sh")).splitlines()]
    for line in lines:
        done = osler(*shlex.split(line)[1:])
        assert done.exit_code == 0, f"{line}: {done.stderr}"


def test_the_example_can_be_played() -> None:
    assert "(examples/nosebleed.yaml)" in PAGE
    (scenario,) = open_scenarios(str(DOCS / "examples" / "nosebleed.yaml"))
    assert not [problem for problem in lint(scenario) if problem.level == "error"]
    found = judged(OracleExaminee(scenario_plan(scenario)), scenario)
    assert found.scores.net.value == 1.0
