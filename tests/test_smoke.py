"""A smoke of a heavier suite (`make smoke`) is never green by being skipped."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from tests.conftest import UNREACHABLE, pytest_sessionfinish


@pytest.mark.parametrize(
    ("mark", "ended", "red"),
    [
        ("smoke", {"skipped": ["no browser"]}, True),
        ("smoke", {}, True),
        ("smoke", {"skipped": [UNREACHABLE]}, False),
        ("smoke", {"skipped": [UNREACHABLE, "no browser"]}, True),
        ("smoke", {"skipped": ["no server"], "passed": ["a journey"]}, False),
        ("slow", {"skipped": ["no server"]}, False),
        ("not slow", {}, False),
    ],
)
def test_a_smoke_of_which_nothing_ran_is_red(mark: str, ended: dict[str, list[str]], red: bool) -> None:
    stats = {
        how: [SimpleNamespace(longrepr=("a test", 1, f"Skipped: {why}")) for why in reasons]
        for how, reasons in ended.items()
    }
    words = list[str]()
    reporter = SimpleNamespace(stats=stats, write_line=lambda line, **_: words.append(line))
    plugins = SimpleNamespace(get_plugin=lambda name: reporter)
    config = SimpleNamespace(option=SimpleNamespace(markexpr=mark), pluginmanager=plugins)
    session: Any = SimpleNamespace(config=config, exitstatus=pytest.ExitCode.OK)
    pytest_sessionfinish(session)
    assert bool(words) == (ended == {"skipped": [UNREACHABLE]}), "and what is green without a test says so"
    assert session.exitstatus == (pytest.ExitCode.TESTS_FAILED if red else pytest.ExitCode.OK)
