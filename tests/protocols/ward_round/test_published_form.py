"""Ward rounds in the published form: the whole case, personas, students, and each agent's log."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from osler.cases.importers import Images
from osler.cases.importers.medtutor_record import medtutor_record, source_id
from osler.cases.personas import persona
from osler.cases.personas.library import patients, students
from osler.cases.sources import open_source
from osler.cli.main import app
from osler.protocols.ward_round.published_setup import (
    agent_log,
    patient_persona,
    selected_case,
    selected_student,
)
from tests.cases.pictured import mm_record
from tests.protocols.ward_round.conftest import Play, cohort, plain_cast, taught_case

RECORDS = Path(__file__).parents[2] / "fixtures" / "medtutor_small.json"


def exported(run: str, form: str, folder: Path) -> Any:
    out = folder / f"{form}.json"
    done = CliRunner().invoke(app, ["export", run, f"--format={form}", f"--out={out}"])
    assert done.exit_code == 0, done.output
    return json.loads(out.read_text("utf-8"))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a store that holds one ward round of an imported record."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OSLER_STORE", str(tmp_path / "rounds.db"))
    words = [
        "round",
        str(RECORDS),
        "--without-images",
        "--limit=1",
        "--students=2",
        "--max-rounds=1",
        "--json",
    ]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, done.output
    return tmp_path


def test_a_transcript_and_a_session_have_the_source_s_id_and_the_whole_case(folder: Path) -> None:
    (found,) = exported("last", "transcripts", folder)
    source = json.loads(RECORDS.read_text("utf-8"))[0]
    case = found["simulation_setup"]["selected_case"]
    assert case["id"] == source["id"] == "T-1"
    for field in ("options", "label", "medical_task", "body_system", "question_type"):
        assert case[field] == source[field]
    assert [step["key_question"] for step in case["model_response"]] == [
        step["key_question"] for step in source["model_response"]
    ]
    assert [step["associated_image_id"] for step in case["model_response"]] == [None, "Image 1"]
    assert case["images"] == ["Image 1"]
    assert "knee pain after a football match" in case["question"]
    script = case["patient_script"]
    assert script["patient_fact_base"]["chief_complaint"].startswith("My knee hurts")
    assert script["metadata"]["demographics"] == {"age": 41, "gender": "Male"}
    (session,) = exported("last", "sessions", folder)
    assert (session["id"], session["case_data"]["id"]) == ("T-1", "T-1")


def test_a_record_is_written_out_as_it_was_read(tmp_path: Path) -> None:
    source = mm_record(0)
    source["question"] = source["question"].replace(
        "On examination", "She denies fever or chills, but takes aspirin; she does not smoke. On examination"
    )
    base = source["patient_script"]["patient_fact_base"]
    base["symptom_details"] = "It hurts more when I stand; it eases when I sit. Nothing else hurts."
    records = tmp_path / "mm.json"
    records.write_text(json.dumps([source]), encoding="utf-8")
    (case,) = open_source(str(records), images=Images(without=True))
    found = selected_case(case)
    first, second = source["images"]
    assert found["images"] == ["Image 1", "Image 2"], "the second stands with no sentence of its own"
    assert found["question"] == source["question"]
    script = found["patient_script"]["patient_fact_base"]
    assert script["symptom_details"] == base["symptom_details"]
    assert not {first, second} & set(json.dumps(found).split('"'))


def test_patient_and_students_are_those_of_the_library_in_the_published_fields(folder: Path) -> None:
    setup = exported("last", "transcripts", folder)[0]["simulation_setup"]
    patient = setup["patient_persona"]
    assert patient["persona_id"] in {one.persona_id for one in patients()}
    assert (patient["demographics"]["age"], patient["demographics"]["gender"]) == (41, "Male")
    assert len(setup["selected_students"]) == 2
    by_name = {one.student_id: one.model_dump(mode="json") for one in students()}
    for student in setup["selected_students"]:
        assert student == by_name[student["student_id"]]


def test_the_log_of_an_agent_holds_what_it_was_told_and_what_it_replied(folder: Path) -> None:
    (found,) = exported("last", "transcripts", folder)
    log = found["agent_log"]
    names = [student["student_id"] for student in found["simulation_setup"]["selected_students"]]
    assert {entry["agent"] for entry in log if entry["seat"].startswith("student")} == set(names)
    tutor = next(entry for entry in log if entry["seat"] == "tutor")
    assert tutor["round"] == 1
    told = {line["speaker"] for line in tutor["input"]}
    assert set(names) <= told
    assert tutor["output"]["internal_monologue"]
    guided = [line["content"] for line in found["dialogue_history"]["round_1"] if line["speaker"] == "tutor"]
    assert tutor["output"]["guidance"] in guided
    first = [entry for entry in log if entry["round"] == 0]
    assert all("answers" in entry["output"] for entry in first)


def test_a_case_of_our_own_is_written_in_the_published_fields_too() -> None:
    case = next(iter(open_source("library")))
    assert medtutor_record(case) is None
    found = selected_case(case)
    assert found["id"] == source_id(case) == case.id
    assert found["options"][found["label"]]
    assert len(found["question_steps"]) == len(case.teaching.steps)  # type: ignore[union-attr]
    assert found["patient_script"]["patient_fact_base"]["chief_complaint"] == case.opening.words


def test_a_manner_and_a_student_of_no_library_are_written_as_they_are() -> None:
    case = taught_case()
    plain = patient_persona(case, persona("plain"))
    assert plain["persona_id"] == "plain"
    assert plain["style_prompt_for_llm"] == persona("plain").manner
    student = selected_student(cohort(1)[0])
    assert (student["student_id"], student["knowledge_profile"]["level"]) == ("Ann", "Beginner")


def test_nobody_is_told_what_the_log_says_another_was_told(teach: Play) -> None:
    trace = teach(plain_cast(), max_rounds=1)
    log = agent_log(trace, {})
    assert len(log) == len(trace.rows)
    supervisor = next(entry for entry in log if entry["seat"] == "supervisor")
    assert [line["speaker"] for line in supervisor["input"] if line["speaker"] != "round"] == ["tutor"]
