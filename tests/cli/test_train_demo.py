"""`osler train demo`: one moment, its reward and the probes, without torch, network or files."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from osler.cli.main import app

SCRIPT = """
import sys
import tempfile
tempfile.tempdir = sys.argv[1]
from typer.testing import CliRunner
from osler.cli.main import app
done = CliRunner().invoke(app, ["train", "demo", *sys.argv[2:]], catch_exceptions=False)
sys.stdout.write(done.stdout)
heavy = {"torch", "transformers", "trl", "pyarrow"} & set(sys.modules)
sys.exit(done.exit_code or (f"imported: {heavy}" if heavy else 0))
"""


def shown(*words: str) -> str:
    done = CliRunner().invoke(app, ["train", "demo", *words], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stdout


@pytest.fixture(scope="module")
def value() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(shown("--json"))
    return found


def test_one_object_with_the_state_its_reward_and_the_probes(value: dict[str, Any]) -> None:
    assert value.keys() == {"case", "state", "turn", "reward", "plain", "probes", "worst"}
    reward = value["reward"]
    assert reward.keys() == {"name", "total", "vetoed", "axes", "items"}
    assert reward["axes"].keys() == {"structure", "analysis", "safety"}
    assert not reward["vetoed"]
    assert reward["total"] == sum(reward["axes"].values()) == sum(reward["items"].values())
    assert all(probe.keys() == {"name", "total"} for probe in value["probes"])
    assert len(value["probes"]) == 12


def test_the_worst_probe_is_the_highest_and_does_not_beat_the_plain_turn(value: dict[str, Any]) -> None:
    totals = {probe["name"]: probe["total"] for probe in value["probes"]}
    assert totals[value["worst"]] == max(totals.values()) <= value["plain"]
    assert min(totals.values()) < 0 < value["plain"]


@pytest.mark.slow
def test_the_same_seed_gives_the_same_bytes_and_leaves_no_file(tmp_path: Path, value: dict[str, Any]) -> None:
    here, temporary = tmp_path / "here", tmp_path / "temporary"
    here.mkdir()
    temporary.mkdir()
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(temporary), "--json"],
        cwd=here,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == value
    assert done.stdout == json.dumps(value) + "\n"
    assert not [*here.iterdir()]
    assert not [*temporary.iterdir()]


def test_another_seed_or_case_is_another_moment(value: dict[str, Any]) -> None:
    other = json.loads(shown("--seed", "3", "--case", "psychiatry-01", "--json"))
    assert other["state"] != value["state"]
    assert "AQ-3" in value["reward"]["items"]  # a case without images has no mark for them
    assert "AQ-3" not in other["reward"]["items"]


def test_the_text_fits_100_columns_and_names_the_worst_and_the_next_command(value: dict[str, Any]) -> None:
    text = shown()
    assert max(map(len, text.splitlines())) <= 100
    assert value["worst"] in text
    assert f"{value['reward']['total']:g} of at most 16" in text
    assert "osler round generated:220:1 --students 1 --max-rounds 2" in text
    assert all(item in text for item in value["reward"]["items"])


def test_an_unknown_case_is_refused_without_a_traceback_and_leaves_no_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    done = CliRunner().invoke(app, ["train", "demo", "--case", "nowhere-01"], catch_exceptions=False)
    assert done.exit_code == 1
    assert "nowhere-01" in done.output
    assert not [*tmp_path.iterdir()]
