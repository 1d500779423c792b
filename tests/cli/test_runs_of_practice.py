"""Runs made by practising in the browser are left out of the list unless they are asked for."""

from __future__ import annotations

import gc
import json
from pathlib import Path

from typer.testing import CliRunner

from osler.cli.main import app
from osler.protocols.scenario.config import ScenarioConfig
from osler.runs import run as runs
from osler.store.store import open_store
from tests.protocols.scenario.playing import SMALL

CONFIG = ScenarioConfig(cases=str(SMALL))


def test_practice_is_listed_only_if_asked_for(tmp_path: Path) -> None:
    path = str(tmp_path / "osler.db")
    with open_store(path) as store:
        runs.begin(CONFIG, store, name="evaluation")
        runs.begin(CONFIG, store, name="someone", about={"practice": {"seat": "examinee"}})
    listed = CliRunner().invoke(app, ["runs", "--store", path, "--json"])
    assert [row["run"] for row in json.loads(listed.stdout)["runs"]] == ["evaluation"]
    assert "1 played to practise is not listed" in " ".join(listed.stderr.split())
    whole = CliRunner().invoke(app, ["runs", "--practice", "--store", path, "--json"])
    assert [row["run"] for row in json.loads(whole.stdout)["runs"]] == ["someone", "evaluation"]
    assert "--practice" not in whole.stderr


def test_playing_does_not_change_the_garbage_collector_of_a_process_that_lives_on(tmp_path: Path) -> None:
    frozen, thresholds = gc.get_freeze_count(), gc.get_threshold()
    with open_store(tmp_path / "osler.db") as store:
        assert runs.play(runs.begin(CONFIG, store), store).status == "done"
    assert gc.get_freeze_count() <= frozen
    assert gc.get_threshold() == thresholds
