"""`--fail-under`: a command in a build fails where too little was right, and prints all before it does."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.commands import Osler

THREE = ("consult", "library", "--limit=3", "--json")


def test_what_is_asked_for_and_reached_is_success(osler: Osler) -> None:
    assert osler(*THREE, "--doctor=oracle", "--fail-under=1").exit_code == 0
    assert osler("resume", "last", "--fail-under=1").exit_code == 0


def test_below_it_all_is_printed_and_the_exit_code_is_4(osler: Osler) -> None:
    done = osler(*THREE, "--doctor=null", "--fail-under=0.01")
    assert done.exit_code == 4
    assert json.loads(done.stdout)["measures"]["correct"]["value"] == 0
    assert "accuracy 0.0000 is below --fail-under 0.01" in done.stderr
    assert osler("resume", "last", "--fail-under=0.01").exit_code == 4
    assert osler("resume", "last", "--fail-under=0").exit_code == 0


def test_what_could_not_be_scored_counts_as_wrong(osler: Osler, tmp_path: Path) -> None:
    (tmp_path / "silent.yaml").write_text("[]")
    done = osler(*THREE, "--doctor=oracle", "--patient=scripted:silent.yaml", "--fail-under=0.5")
    assert done.exit_code == 4
    assert json.loads(done.stdout)["measures"]["correct"]["unscored"] == 3
    assert "accuracy 0.0000 (3 unscored counted as wrong) is below" in done.stderr


@pytest.mark.parametrize("share", ["1.5", "-0.1", "most"])
def test_it_is_a_share(osler: Osler, share: str) -> None:
    assert osler(*THREE, f"--fail-under={share}").exit_code == 2
