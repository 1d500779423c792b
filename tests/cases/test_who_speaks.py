"""Who speaks for a patient, whose age and sex it is, and what a companion knows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from osler.authoring.preparing.script import script_of
from osler.cases.importers import Rejected, import_file
from osler.cases.importers.build_case import SILENCE
from osler.cases.importers.demographics import person_of, voice
from osler.cases.importers.mvme import import_record as chinese_record
from osler.cases.lint import lint
from osler.cases.model import Case
from osler.knowledge.vocabulary import NO_ANSWER, NOBODY, Persona
from osler.protocols.shared.players.patient import replayed
from osler.protocols.shared.views import patient_view
from osler.text.records.speech_ability import cannot_speak, voice_in_brief
from tests.cases.importing import FIXTURES
from tests.prompts.seats import opening

DATA = Path(__file__).parents[3] / "shared/data"
INPUTS = DATA / "field-inputs"
PLAIN = Persona(name="plain", manner="")


def rows(name: str) -> list[list[str]]:
    text = (FIXTURES / "speaking" / name).read_text(encoding="utf-8")
    return [line.split("\t") for line in text.splitlines()]


def record(
    history: str, *, about: str = "58-year-old man", first: str = "Fever", **more: str
) -> dict[str, Any]:
    actor = {"Demographics": about, "History": history, "Symptoms": {"Primary_Symptom": first}, **more}
    return {"OSCE_Examination": {"Patient_Actor": actor, "Correct_Diagnosis": "Pneumonia"}}


def imported(folder: Path, *records: dict[str, Any]) -> list[Case | Rejected]:
    path = folder / "records.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in records), encoding="utf-8")
    return list(import_file(path))


def case_of(folder: Path, one: dict[str, Any]) -> Case:
    (case,) = imported(folder, one)
    assert isinstance(case, Case)
    return case


def asked(case: Case, *questions: str) -> list[str]:
    view = patient_view(case, persona=PLAIN, unknown="standard")
    return [replayed(view, questions[:n], words).reply.answer for n, words in enumerate(questions)]


@pytest.mark.parametrize(("text", "able", "who"), rows("who_speaks.tsv"))
def test_who_cannot_speak_is_spoken_for_and_who_can_speaks(text: str, able: str, who: str) -> None:
    age, _ = person_of(text)
    found = voice(age.years, text)
    assert found.speaker == who
    assert (found.because == "") == (able == "yes")


@pytest.mark.parametrize(("silent", "text"), rows("cannot_speak.tsv"))
def test_words_that_take_the_speech_count_only_where_they_are_so_now_and_of_the_patient(
    silent: str, text: str
) -> None:
    assert bool(voice(30, text).because) == (silent == "1")


@pytest.mark.parametrize(("text", "years", "sex", "who"), rows("two_people.tsv"))
def test_age_and_sex_are_the_patients_where_two_people_are_named(
    text: str, years: str, sex: str, who: str
) -> None:
    age, found = person_of(text)
    assert age.years == pytest.approx(float(years), abs=0.006)
    assert found == sex
    assert voice(age.years, text).speaker == who


@pytest.mark.parametrize(
    "text",
    [
        "A boy is brought by his 34-year-old mother because of a rash.",
        "A patient is brought in by her 60-year-old husband with a fever.",
    ],
)
def test_an_age_that_is_anothers_is_not_the_patients(text: str) -> None:
    assert person_of(text)[0].years is None


def test_a_wife_speaks_for_her_husband_and_knows_what_a_wife_knows(tmp_path: Path) -> None:
    case = case_of(
        tmp_path,
        record(
            "His wife reports that he suddenly could not speak. He is aphasic. He feels numbness in the arm. "
            "He has type 2 diabetes.",
            first="Inability to speak",
            Review_of_Systems="Denies chest pain.",
        ),
    )
    assert case.speaker == "wife"
    assert case.opening.words == "I have come with him because of this: inability to speak."
    knower = {fact.text: fact.known_by for fact in case.facts}
    assert knower["He has type 2 diabetes."] == "carer"
    assert knower["He feels numbness in the arm."] == "record"
    assert knower["Denies chest pain."] == "record"
    assert any("the patient cannot speak" in flag and "wife speaks" in flag for flag in case.provenance.flags)
    told, pain = asked(case, "What happened?", "Does he have any chest pain?")
    assert told == "He suddenly could not speak."
    assert not pain.startswith("No")


def test_an_ambulance_crew_knows_nothing_of_a_strangers_life(tmp_path: Path) -> None:
    case = case_of(
        tmp_path,
        record(
            "The patient was found unresponsive in the street and was brought in by ambulance.",
            first="Unresponsiveness",
            Past_Medical_History="Type 2 diabetes.",
        ),
    )
    assert case.speaker == "ambulance crew"
    assert case.opening.words == "We have brought him in because of this: unresponsiveness."
    illness, smoking, cough = asked(
        case, "Does he have any medical problems?", "Does he smoke?", "Does he have a cough?"
    )
    assert not any(answer.startswith(("No", "Type 2")) for answer in (illness, smoking, cough))


def test_where_nobody_is_named_nobody_speaks_and_it_is_said_so(tmp_path: Path) -> None:
    case = case_of(tmp_path, record("He is comatose.", first="Coma", Past_Medical_History="Asthma."))
    assert (case.speaker, case.opening.words) == (NOBODY, SILENCE)
    assert {fact.known_by for fact in case.facts} == {"record"}
    assert any("names nobody" in flag for flag in case.provenance.flags)
    assert set(asked(case, "Can you hear me?", "How are you?", "Do you have asthma?")) == {
        "(There is no answer.)"
    }
    assert not [problem for problem in lint(case, strict=False) if problem.level == "error"]


def test_an_unconsciousness_that_has_passed_or_is_anothers_changes_nothing(tmp_path: Path) -> None:
    passed = record("He fainted, was unconscious for a minute, and recovered fully.", first="Fainting")
    anothers = record("He has a cough. His wife is unconscious in the hospital.", first="Cough")
    assert [case.speaker for case in imported(tmp_path, passed, anothers) if isinstance(case, Case)] == [
        "patient",
        "patient",
    ]


@pytest.mark.parametrize(
    ("candidate", "actor", "another", "who"),
    [
        ("Mr Jones, 70, was found unconscious by his wife.", "You are his wife.", True, "wife"),
        ("Mr Lee is brought in by ambulance.", "You are unresponsive.", False, "ambulance crew"),
        ("Mr Lee has had a stroke and is aphasic.", "You cannot speak.", False, NOBODY),
        ("Mrs Khan has chest pain.", "Your husband is unconscious after a stroke.", False, "patient"),
        ("If the patient becomes unresponsive, call for help.", "You have a cough.", False, "patient"),
    ],
)
def test_who_speaks_in_a_station(candidate: str, actor: str, another: bool, who: str) -> None:
    assert voice_in_brief(candidate, actor, plays_another=another).speaker == who


def test_a_chinese_patient_in_coma_is_spoken_for_by_relatives() -> None:
    sections = {"主诉": "昏迷2小时", "现病史": "患者2小时前被家属发现昏迷，呼之不应。", "诊断": "脑出血"}
    case = chinese_record({"id": 1, "medical_record": sections}, 1, "x.json")
    assert (case.speaker, case.opening.words) == ("relative", "医生，病人这次来是因为：昏迷2小时。")
    awake = {**sections, "主诉": "一过性昏迷", "现病史": "患者短暂意识丧失，数分钟后清醒，现神志清楚。"}
    assert chinese_record({"id": 1, "medical_record": awake}, 1, "x.json").speaker == "patient"


@pytest.mark.skipif(not INPUTS.is_dir(), reason="the field inputs are not here")
def test_the_field_inputs_have_the_right_speakers() -> None:
    cases = [
        one for one in import_file(INPUTS / "agentclinic/20-cannot-speak.jsonl") if isinstance(one, Case)
    ]
    assert [case.speaker for case in cases] == ["ambulance crew", "daughter", "nurse", "wife", "parent"]
    ages = [one for one in import_file(INPUTS / "mediq/30-ages.jsonl") if isinstance(one, Case)]
    told = {
        number: (ages[number].age_years, ages[number].sex, ages[number].speaker) for number in (0, 1, 13, 14)
    }
    assert told == {
        0: (0.115, "male", "parent"),
        1: (4.0, "female", "parent"),
        13: (67.0, "male", "wife"),
        14: (12.0, "male", "parent"),
    }


@pytest.mark.skipif(not DATA.is_dir(), reason="the public data are not here")
def test_vignettes_in_craftmd_and_mediq_raise_no_false_alarm() -> None:
    """Read by eye: of 400 vignettes these say that the patient cannot speak (records from 1)."""
    silent = {
        name: {
            int(case.provenance.record)
            for case in import_file(DATA / path)
            if isinstance(case, Case) and cannot_speak(case.opening.door_note + " " + " ".join(
                fact.text for fact in case.facts
            ))
        }
        for name, path in (("mediq", "mediq/dev_200.jsonl"), ("craftmd", "craftmd/vignettes_200.csv"))
    }  # fmt: skip
    assert silent["mediq"] <= {5, 8, 21, 71, 78, 113, 124, 137, 153, 193}
    assert silent["craftmd"] <= {109, 146}


def test_a_model_in_the_seat_of_a_patient_for_whom_nobody_speaks_is_told_to_give_no_answer(
    tmp_path: Path,
) -> None:
    case = case_of(tmp_path, record("He is comatose.", first="Coma"))
    rules = opening(patient_view(case, persona=PLAIN, unknown="standard")).text
    assert "You cannot speak" in rules
    assert NO_ANSWER in rules
    assert "nobody who speaks" not in rules


def test_a_script_for_a_companion_holds_what_they_know(tmp_path: Path) -> None:
    case = case_of(tmp_path, record("His wife reports that he suddenly could not speak.", first="Mutism"))
    told = script_of(case).facts
    assert "could not speak" in f"{told.history_of_present_illness} {told.symptom_details}"
