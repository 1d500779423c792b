"""Whoever marks a ward round is given the case: the judge, the published sessions and the raters' sheet."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from osler.authoring.preparing.steps import plan_of
from osler.cases.case_lines import MISTAKEN, UNTOLD, case_lines
from osler.cases.importers import Images
from osler.cases.model import Case, Fact
from osler.cases.sources import open_source
from osler.cli.main import app
from osler.core.pictures import Ecg
from osler.models.config import Capabilities
from osler.protocols.ward_round.judge.by_model import TeachingJudge, messages_of, scales
from osler.protocols.ward_round.judge.published import record_of
from osler.protocols.ward_round.judge.session import lines_of
from osler.protocols.ward_round.judge.transcripts import session_of_trace
from osler.studies.rating.blind import hide, reference_text
from tests.cases.pictured import write_mm
from tests.judging.model.judges import ENDPOINT, Scripted, strictly_read
from tests.protocols.ward_round.conftest import Play, plain_cast, taught_case
from tests.protocols.ward_round.players import PlainStudent

FIXTURE = Path(__file__).parents[3] / "fixtures" / "medtutor_small.json"
EYES = ENDPOINT.model_copy(update={"capabilities": Capabilities(images=True)})


def released() -> Case:
    """The first case of a file in the released form."""
    case = next(iter(open_source(str(FIXTURE))))
    return case.model_copy(update={"teaching": plan_of(case)})


def pictured() -> Case:
    """The small case, its image with a picture that can be drawn."""
    case = taught_case()
    findings = [
        one.model_copy(update={"picture": Ecg(rate_per_min=72)}) if one.kind == "image" else one
        for one in case.findings
    ]
    return case.model_copy(update={"findings": tuple(findings)})


def everything(case: Case) -> list[str]:
    """What a rater of facts must have before them."""
    held = [case.opening.door_note, case.opening.words, *(fact.text for fact in case.facts)]
    return [*held, *(finding.result for finding in case.findings), case.task.question]


@pytest.mark.parametrize("case", [released(), taught_case()], ids=["released", "own"])
def test_the_judge_is_given_vignette_chart_and_findings_on_every_scale(case: Case, teach: Play) -> None:
    session = session_of_trace(case, teach(plain_cast(), case=case, max_rounds=1))
    for scale in scales().values():
        told = " ".join(text for _, text in strictly_read(messages_of(session, scale)).blocks["case"])
        for words in everything(case):
            assert " ".join(words.replace('"', "'").split()) in told


def test_the_dialogue_stands_in_the_order_in_which_it_was_said(teach: Play) -> None:
    asking = {
        **plain_cast(),
        "student_1": PlainStudent("I think of the neck.", to_patient="Does it wake you?"),
    }
    session = session_of_trace(taught_case(), teach(asking, max_rounds=1))
    said = [(line.source, line.text) for line in lines_of(session)]
    sources = [source for source, _ in said]
    asked = next(n for n, (_, text) in enumerate(said) if "Does it wake you?" in text)
    assert asked > sources.index("tutor"), "what was asked after the guidance stands after it"
    assert sources[-1] == "patient", "and its answer after that"
    (first, *_) = record_of(session)["dialogue_history"]
    assert "Does it wake you?" in first["students"]["Ann"], "the published form has one text a student"


def test_the_neutral_name_of_an_image_is_no_line_of_the_case(tmp_path: Path) -> None:
    records, _ = write_mm(tmp_path / "in", 1)
    (case,) = open_source(str(records), images=Images(without=True))
    assert "Image 1" in [leaf.text for leaf in case.withheld]
    assert "Image 1" not in [line.text for line in case_lines(case)]


def test_a_published_session_holds_the_vignette_in_its_question(teach: Play) -> None:
    case = released()
    session = session_of_trace(case, teach(plain_cast(), case=case, max_rounds=1))
    record = json.loads(json.dumps(record_of(session)))
    for words in everything(case):
        assert words in record["case_data"]["question"]


def test_the_raters_reference_holds_it_too() -> None:
    case = released()
    shown = reference_text(case, ("case", "diagnosis", "steps"), hide([]))
    for words in everything(case)[1:-1]:
        assert " ".join(words.split()) in shown


def test_a_belief_that_is_wrong_is_marked_so() -> None:
    wrong = Fact(id="x", topic="other", text="Thinks the tablets are vitamins.", believed_truly=False)
    case = taught_case()
    lines = case_lines(case.model_copy(update={"facts": (*case.facts, wrong)}))
    assert (MISTAKEN, wrong.text) in [(line.label, line.text) for line in lines]


def test_the_answer_and_the_steps_are_no_lines_of_the_case() -> None:
    case = taught_case()
    assert case.teaching is not None
    told = [line.text for line in case_lines(case)]
    assert not [step for step in case.teaching.steps if step.summary in told]
    assert case.task.question not in told


def test_a_judge_with_eyes_has_the_pictures_and_another_version(teach: Play) -> None:
    case = pictured()
    session = session_of_trace(case, teach(plain_cast(), case=case, max_rounds=1))
    scale = scales()["mps"]
    blind, seeing = (messages_of(session, scale, eyes=eyes) for eyes in (False, True))
    assert [len(message.images) for message in blind] == [0, 0, 0, 0]
    assert [len(message.images) for message in seeing] == [0, 1, 0, 0]
    labels = [label for label, _ in strictly_read(seeing).blocks["case"]]
    assert "image picture 1" in labels
    client = Scripted(lambda n, request: {})
    assert TeachingJudge(client, EYES).version != TeachingJudge(client, ENDPOINT).version


def test_osler_export_sessions_writes_the_whole_case(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OSLER_STORE", str(tmp_path / "osler.db"))
    words = ("round", str(FIXTURE), "--limit", "1", "--max-rounds", "1", "--students", "1")
    assert CliRunner().invoke(app, list(words)).exit_code == 0
    done = CliRunner().invoke(app, ["export", "last", "--format", "sessions", "--out", "s.json"])
    assert done.exit_code == 0, done.stderr
    (record,) = json.loads((tmp_path / "s.json").read_text("utf-8"))
    case: dict[str, Any] = record["case_data"]
    for words_ in everything(next(iter(open_source(str(FIXTURE))))):
        assert words_ in case["question"]


def test_a_sentence_that_no_seat_is_told_is_told_to_the_judge() -> None:
    case = taught_case()
    source = {"source": "question[0]"}
    first = case.facts[0].model_copy(update=source)
    held = [
        {"text": "She is then operated on.", "source": "question[3]"},
        {"text": case.task.question, "source": "question[4]"},
        {"text": "ours", "source": "id"},
    ]
    changed = Case.model_validate(
        {
            **case.model_dump(),
            "facts": [first.model_dump(), *(fact.model_dump() for fact in case.facts[1:])],
            "withheld": held,
        }
    )
    assert [line.text for line in case_lines(changed) if line.label == UNTOLD] == ["She is then operated on."]
