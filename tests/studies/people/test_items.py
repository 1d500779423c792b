"""People and players on one sheet, item by item: what the judge said of them held against what raters say."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from osler.cli.main import app
from osler.core.factory import always
from osler.protocols.scenario.config import ScenarioConfig
from osler.protocols.scenario.players.examinee import BaselineExaminee
from osler.runs import run as runs
from osler.store.permissions import grant
from osler.store.store import open_store
from osler.studies.rating.sheet import read_sheet, text_of
from tests.protocols.scenario.playing import SMALL
from tests.studies.rating.rated import save


def value(*words: str) -> dict[str, Any]:
    done = CliRunner().invoke(app, [*words, "--json"])
    assert done.exit_code == 0, done.output
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A store with six stations sat by as many people, and six played by a program."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OSLER_STORE", str(tmp_path / "osler.db"))
    more = {"person": always(BaselineExaminee())}
    with open_store(tmp_path / "osler.db") as opened:
        for who in range(6):
            sitting = ScenarioConfig(cases=str(SMALL), examinee="person")
            run = runs.begin(sitting, opened, more, name=f"sat-{who}")
            runs.play(run, opened, more=more)
            grant(opened, run.id, [0], ["research"], pseudonym=f"p{who}")
        played = runs.begin(ScenarioConfig(cases=str(SMALL), repeats=6), opened, name="player")
        runs.play(played, opened)
    return tmp_path


def test_the_study_names_its_anchor_once_people_have_rated_it_item_by_item(store: Path) -> None:
    people = [word for who in range(6) for word in ("--people", f"sat-{who}")]
    study = ("study", "people", *people, "--models", "player", "--out", "people.html")
    found = value(*study)
    (one,) = found["beside"]
    assert (one["pairs"], one["people"], one["cases"]) == (6, 6, 1)
    assert found["anchored"]
    assert not found["human_anchor"]["anchored"]
    assert "No human anchor" in Path("people.html").read_text("utf-8")
    for score in one["scores"]:
        assert score["difference"]["low"] is None, "one case"

    named = [f"sat-{who}" for who in range(6)]
    value("rate", "export", *named, "player", "--n", "12", "--raters", "1", "--out", "out")
    key = json.loads(Path("out/key.json").read_text("utf-8"))
    judged = {}
    with open_store(store / "osler.db") as opened:
        for name in (*named, "player"):
            for mark in opened.judgements(opened.run(name).id):
                for item in json.loads(mark.body)["items"]:
                    judged[name, mark.ordinal, item["id"]] = bool(item["holds"])
    path = Path("out/for-raters/rater-1.csv")
    sheet = read_sheet(path)
    for number, row in enumerate(sheet.rows):
        behind = key["episodes"][row.cells["id"]]
        said = judged[behind["run"], behind["ordinal"], behind["item"]]
        row.cells.update({"rater": "anna", "met": str(int(said if number % 10 else not said))})
    save(path, text_of(sheet))
    value("rate", "import", str(path), "--key", "out/key.json")

    anchor = value(*study)["human_anchor"]
    assert anchor["anchored"]
    assert (anchor["people"], anchor["episodes"], anchor["cases"]) == (1, 12, 1)
    overall = next(one for one in anchor["scores"] if one["item"] == "all_items")
    assert (overall["grader"], overall["measure"]) == ("rubric:keyed", "agreement")
    assert overall["agreement"]["value"] == pytest.approx(0.9, abs=0.02)
    assert "Human anchor: 1 person rated 12 episodes of 1 case" in anchor["line"]
    page = Path("people.html").read_text("utf-8")
    assert f"all items agreement {overall['agreement']['value']:.0%}" in page
    assert "osler rate agreement" in page
    agreed = value("rate", "agreement", *named, "player")
    assert agreed["by_item"]
