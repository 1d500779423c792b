"""`osler consult --orders` and `--limits`, and what is said of an episode that is not there."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from osler.cli.main import app
from osler.store.store import open_store


@pytest.fixture
def store(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'osler.db'}"


def osler(*words: str) -> Result:
    return CliRunner().invoke(app, list(words), catch_exceptions=False)


def test_a_preset_sets_the_limits_and_a_single_limit_goes_before_it(store: str) -> None:
    done = osler(
        *("consult", "cardiology-01", "--doctor", "null", "--limits", "medevoeval", "--max-tests", "2"),
        *("--orders", "catalogue", "--store", store, "--json"),
    )
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["measures"]["turns"]["value"] == 10
    with open_store(store) as opened:
        settings = opened.run("last").manifest["configuration"]["settings"]
    assert (settings["limits"]["max_turns"], settings["limits"]["max_tests_per_visit"]) == (10, 2)
    assert settings["orders"] == "catalogue"


def test_unknown_limits_are_refused_with_the_known_ones(store: str) -> None:
    done = osler("consult", "cardiology-01", "--limits", "nobody", "--store", store)
    assert done.exit_code == 1
    assert "osler, medevoeval" in done.output


def test_an_episode_that_is_not_there_says_which_ones_are(store: str) -> None:
    assert osler("scenario", "play", "library", "--only", "st06", "--store", store).exit_code == 0
    done = osler("show", "last:0", "--store", store)
    assert done.exit_code == 1
    assert "the run has no episode 0" in done.output
    assert "its ended episodes are 5" in done.output
    prompts = osler("show", "last:0", "--prompts", "--store", store)
    assert "its ended episodes are 5" in prompts.output
