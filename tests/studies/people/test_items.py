"""People and players on one sheet, item by item: what the judge said of them held against what raters say."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from osler.cli.main import app
from osler.core.factory import always
from osler.protocols.consultation.config import RunConfig
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


RUBRIC = {
    "case_id": "cardiology-01",
    "scenario": "scenario1",
    "rubric_version": "v1",
    "PC": ["Asks when the pain began", "Orders an electrocardiogram (critical action)"],
    "MK": ["Names inferior myocardial infarction as the diagnosis"],
    "SBP": [],
    "ICS": ["Asks where it hurts"],
    "PBLI": [],
    "PROF": ["Introduces self by name and role"],
}


def test_a_consultation_is_rated_by_the_items_by_which_its_judge_judged_it(store: Path) -> None:
    """The rubric that `osler rubric judge` was given; a case without one is not drawn."""
    Path("rubrics").mkdir()
    Path("rubrics/cardiology-01_scenario1.json").write_text(json.dumps(RUBRIC), encoding="utf-8")
    run = value("consult", "library", "--limit", "2", "--repeats", "6", "--seed", "3")["run"]
    value("rubric", "judge", run, "--rubric", "rubrics")
    found = value("rate", "export", run, "--rubric", "rubrics", "--raters", "1", "--out", "items")
    assert (found["episodes"], found["eligible"]) == (6, 6)
    path = Path("items/for-raters/rater-1.csv")
    sheet = read_sheet(path)
    assert len(sheet.rows) == 6 * 5
    assert "Asks where it hurts" in {row.cells["item"] for row in sheet.rows}
    for row in sheet.rows:
        row.cells.update({"rater": "ben", "met": "1"})
    save(path, text_of(sheet))
    value("rate", "import", str(path), "--key", "items/key.json")
    agreed = value("rate", "agreement", run, "--scale", "rubric")
    assert (agreed["rated"], agreed["cases"], len(agreed["by_item"])) == (6, 1, 5)
    overall = next(one for one in agreed["with_judges"] if one["item"] == "all_items")
    assert (overall["grader"], overall["people"]["value"]) == ("rubric:lexical", 1.0)
    assert 0 < overall["judged"]["value"] < 1
    assert overall["yes_or_no"]["agreement"]["value"] == pytest.approx(overall["judged"]["value"], abs=1e-4)


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("sat-0", "--rubric", "rubrics"), "for stations, which have rubrics of their own"),
        (("talk", "--rubric", "rubrics", "--scale", "manager"), "the scale manager has no items"),
        (("talk", "--scale", "rubric"), "is made for scenarios, not for consultations"),
        (("talk", "--rubric", "other"), "whose case has none of the rubrics"),
        (("talk", "--rubric", "spoilt"), "holds no rubric that can be read"),
    ],
)
def test_rubrics_that_do_not_fit_are_refused_in_words(store: Path, words: tuple[str, ...], why: str) -> None:
    with open_store(store / "osler.db") as opened:
        run = runs.begin(RunConfig(doctor="null", only="cardiology-01"), opened, name="talk")
        runs.play(run, opened)
    for name, text in (
        ("rubrics", json.dumps(RUBRIC)),
        ("other", json.dumps({**RUBRIC, "case_id": "surgery-01"})),
        ("spoilt", "{"),
    ):
        Path(name).mkdir()
        Path(name, "one_scenario1.json").write_text(text, encoding="utf-8")
    done = CliRunner().invoke(app, ["rate", "export", *words, "--out", "no"])
    assert done.exit_code == 1, done.output
    assert why in " ".join(done.stderr.split())
    assert not Path("no").exists()
