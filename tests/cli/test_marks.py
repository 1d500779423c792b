"""`osler marks`: contest, queue and answer at the command line, for scenarios and for consultations."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from osler.cli.main import app

SMALL = Path(__file__).parent.parent / "protocols" / "scenario" / "small.yaml"
PLAYED = "Hello, my name is Dr Lane. Which tablets does he take?\n/attach the monitor\n\n" + "/wait\n" * 7


def osler(*args: str, given: str = "") -> str:
    done = CliRunner().invoke(app, list(args), input=given)
    assert done.exit_code == 0, (args, done.output)
    return done.stdout


@pytest.fixture
def played(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    return osler("scenario", "play", str(SMALL), "--examinee=person", given=PLAYED)


def test_a_learner_contests_a_teacher_answers_and_the_learner_sees_it(played: str) -> None:
    assert "A built-in examiner reads words, not meaning" in " ".join(played.split())
    assert "MISSED" not in played
    items = json.loads(osler("marks", "items", "last:0", "--json"))["items"]
    assert [one["number"] for one in items] == [1, 2, 3, 4, 5, 6]
    osler("marks", "contest", "last:0", "blood glucose", "I asked for a BM first thing")
    refused = CliRunner().invoke(app, ["marks", "queue", "last"])
    assert "osler permit" in refused.stderr
    osler("permit", "last", "--uses", "teacher")
    queue = json.loads(osler("marks", "queue", "last", "--json"))
    assert queue["use"] == "formative"
    assert [one["words"] for one in queue["contests"]] == ["I asked for a BM first thing"]
    osler("marks", "answer", "last:0", "1", "accept", "--by", "Dr Roe", "--comment", "heard it")
    assert "nothing waits" in osler("marks", "queue", "last")
    shown = osler("show", "last:0")
    assert "accepted by Dr Roe: heard it" in shown
    assert "formative" in shown
    judged = json.loads(osler("show", "last:0", "--json"))["judgements"]["rubric:keyed"]
    assert judged["items"][0]["holds"] is False, "the verdict by rule stays as it was"


def test_every_export_of_marks_says_grader_agreement_and_formative(played: str) -> None:
    osler("permit", "last", "--uses", "research,share", "--until", "2999-12-31")
    osler("export", "last", "--out", "run.jsonl")
    marks = json.loads(Path("run.jsonl").read_text().splitlines()[0])["marks"]
    assert marks["use"] == "formative"
    assert "agrees with the labels of" in marks["graders"]["rubric:keyed"]
    assert "labelled by language models, not clinicians" in marks["graders"]["rubric:keyed"]
    osler("report", "last", "--out", "run.html", "--no-controls", "--tables", "tables")
    assert "Marks are formative" in Path("run.html").read_text()
    heading, first = Path("tables", "scores.csv").read_text().splitlines()[:2]
    assert heading.endswith("use,agreement")
    assert "formative" in first
    osler("export", "last", "--out", "published", "--format", "medsp1000")
    (written,) = Path("published").glob("**/final_evaluation_frozen_rubric.json")
    assert json.loads(written.read_text())["_use"] == "formative"


def test_items_of_a_consultation_are_contested_in_the_same_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    osler("consult", "library", "--limit", "1", "--doctor", "null")
    items = json.loads(osler("marks", "items", "last:0", "--json"))["items"]
    assert items
    osler("marks", "contest", "last:0", items[0]["id"], "I said so at the end")
    osler("marks", "answer", "last:0", items[0]["id"], "refuse", "--by", "Dr Roe", "--comment", "not found")
    assert "refused by Dr Roe: not found" in osler("show", "last:0")
    debriefing = osler("show", "last:0", "--debrief")
    assert 'objection: "I said so at the end"' in debriefing
    assert "refused by Dr Roe: not found" in debriefing
    assert "osler marks contest" in debriefing, "and how to contest another"
    told = json.loads(osler("show", "last:0", "--debrief", "--json"))
    assert told["use"] == "formative"
    assert [(one["item"], one["answer"]) for one in told["contests"]] == [(items[0]["id"], "refuse")]


def test_the_follow_up_of_a_consultation_is_contested_like_any_item(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    osler("consult", "library", "--limit", "1", "--doctor", "always-conclude")
    items = {one["id"] for one in json.loads(osler("marks", "items", "last:0", "--json"))["items"]}
    assert {"follow_up_place", "follow_up_back", "follow_up_1"} <= items
    osler("marks", "contest", "last:0", "follow_up_back", "I told her when to ring")
    osler("marks", "answer", "last:0", "follow_up_back", "accept", "--by", "Dr Roe")
    shown = osler("show", "last:0", "--debrief")
    assert "accepted by Dr Roe" in shown
    assert "follow-up named, with what a teacher accepted" in " ".join(shown.split())
