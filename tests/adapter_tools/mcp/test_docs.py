"""What docs/adapters/mcp.md shows is what happens."""

from __future__ import annotations

import json
import re
from pathlib import Path

from osler.adapters.mcp.tools import tools_for
from osler.core.registry import protocol_named

PAGE = (Path(__file__).parents[3] / "docs" / "adapters" / "mcp.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    """The blocks of the page in a language."""
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)


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
