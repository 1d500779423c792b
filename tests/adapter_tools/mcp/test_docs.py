"""What docs/adapters/mcp.md shows is what happens."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

from osler.adapters.mcp.tools import tools_for
from osler.core.registry import protocol_named
from tests.adapter_tools.mcp.agents import OSLER, TIMEOUT_S, osler

PAGE = (Path(__file__).parents[3] / "docs" / "adapters" / "mcp.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    """The blocks of the page in a language."""
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)


def test_the_program_prints_what_the_page_says_and_its_run_is_shown(tmp_path: Path) -> None:
    (program,) = blocks("python")
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env={**os.environ, "PATH": f"{OSLER.parent}{os.pathsep}{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "1.0 ended\n"
    code, shown, said = osler(tmp_path, "runs", "--json")
    assert code == 0, said
    (run,) = json.loads(shown)["runs"]
    assert run["done"] == 1


def test_the_snippets_for_clients_are_json_of_what_the_server_takes() -> None:
    started, reached = (json.loads(block)["mcpServers"]["osler"] for block in blocks("json"))
    assert started["command"] == "osler"
    assert started["args"][0] == "mcp"
    assert reached["url"].endswith("/mcp")
    assert reached["headers"]["Authorization"].startswith("Bearer ")


def test_every_tool_of_the_seats_named_stands_in_the_table() -> None:
    for protocol, seats in (
        ("consultation", ("doctor", "patient")),
        ("scenario", ("examinee",)),
        ("ward_round", ("tutor", "student")),
    ):
        for seat in seats:
            row = next(line for line in PAGE.splitlines() if line.startswith(f"| {seat}"))
            named = set(re.findall(r"`(\w+)`", row))
            own = {tool.name for tool in tools_for(protocol_named(protocol).role(seat), shared=False)}
            assert named == own - {"open_case", "status"}
