"""The language of a record: others are told from few words, and English is never taken for another."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from osler.cases.importers import import_file
from osler.cases.model import Case
from osler.text.languages import language_of
from osler.text.records.written_in import written_in

DATA = Path(__file__).parents[3] / "shared/data"


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("es", "Mujer de 35 años con visión doble desde hace un mes."),
        ("es", "FIEBRE Y TOS DESDE AYER, SIN DOLOR"),
        ("fr", "Femme de 40 ans avec douleur thoracique depuis deux heures."),
        ("de", "Patientin klagt über Kopfschmerzen seit drei Tagen, kein Fieber."),
        ("it", "La paziente riferisce nausea e non ha febbre"),
        ("pt", "O paciente nega alergias e não toma medicamentos"),
        ("nl", "Patiënt klaagt over pijn op de borst"),
        ("pl", "Pacjentka lat 45 zgłasza ból głowy od trzech dni"),
        ("sv", "En 60-årig man söker för bröstsmärta sedan två timmar"),
        ("tr", "35 yaşında kadın hasta, üç gündür ateş ve öksürük şikayeti var"),
        ("vi", "Bệnh nhân nam 50 tuổi bị đau ngực trong hai giờ"),
        ("ru", "Женщина 35 лет, двоение в глазах"),
        ("uk", "Жінка 35 років, двоїння в очах"),
        ("ar", "امرأة تبلغ من العمر 35 عاما"),
        ("fa", "زن ۳۵ ساله با دوبینی و درد پا"),
        ("ja", "35歳の女性、複視が1か月続く"),
        ("ko", "35세 여성 복시"),
        ("zh", "患者女性，35岁，复视一月"),
        ("hi", "पैंतीस वर्षीय महिला"),
        ("el", "Γυναίκα 35 ετών με διπλωπία"),
    ],
)
def test_other_languages_are_told(code: str, text: str) -> None:
    assert written_in(text) == code


@pytest.mark.parametrize(
    "text",
    [
        "", "Pain", "Fever; cough", "Aspirin 81 mg PO bid", "Takes metoprolol", "Cafe au lait spots",
        "De novo AML", "Per os, bis in die", "Lives in Rio de Janeiro", "Guillain-Barré syndrome",
        "Ménière disease",
        "Maria de la Cruz del Rio y Santos lives in Las Vegas", "α-fetoprotein 5; β-hCG negative",
        "Na 140, K 4.0",
        "Dolor, rubor, calor, tumor", "Tic douloureux", "Mrs. van der Berg",
        "Do not let a plausible exposure end the search.",
    ],
)  # fmt: skip
def test_english_is_english(text: str) -> None:
    assert written_in(text) == "en"


def test_a_record_in_spanish_is_marked_and_keeps_its_words(tmp_path: Path) -> None:
    actor = {
        "Demographics": "Mujer de 35 años",
        "History": "Refiere visión doble desde hace un mes, peor por la tarde.",
        "Symptoms": {"Primary_Symptom": "Visión doble"},
    }
    body = {
        "Objective_for_Doctor": "Assess the patient.",
        "Patient_Actor": actor,
        "Correct_Diagnosis": "Miastenia grave",
    }
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps({"OSCE_Examination": body}), encoding="utf-8")
    (case,) = import_file(path)
    assert isinstance(case, Case)
    assert language_of(case) == "es"
    assert case.opening.words == "Visión doble."
    assert case.task.kind == "open"
    assert any("written in Spanish" in flag for flag in case.provenance.flags)


def _leaves(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        for child in value.values():
            yield from _leaves(child)
    elif isinstance(value, list):
        for child in value:
            yield from _leaves(child)
    elif isinstance(value, str):
        yield value


@pytest.mark.skipif(not DATA.is_dir(), reason="the public data are not here")
@pytest.mark.parametrize(
    "path",
    [
        "agentclinic/agentclinic_medqa.jsonl",
        "mediq/dev_200.jsonl",
        "medtutor/text_60.json",
        "craftmd/vignettes_200.csv",
        "mtsdialog/train_600.csv",
    ],
)
def test_no_public_english_text_is_taken_for_another_language(path: str) -> None:
    text = (DATA / path).read_text(encoding="utf-8")
    if path.endswith(".csv"):
        records: list[object] = [dict(row) for row in csv.DictReader(text.splitlines())]
    else:
        records = (
            json.loads(text) if path.endswith(".json") else [json.loads(line) for line in text.splitlines()]
        )
    for record in records:
        assert {leaf: code for leaf in _leaves(record) if (code := written_in(leaf)) != "en"} == {}
