"""What reading a sentence means: what it affirms, what it denies, whose it is."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from osler.errors import BadInput
from osler.knowledge.findings import load_findings
from osler.knowledge.formulary import formulary
from osler.text.findings_in_text import Finding, finding, findings, mentions

AFFIRMED = [
    ("I get short of breath on the stairs", "dyspnoea"),
    ("I can’t catch my breath", "dyspnoea"),
    ("ST elevation of 2 mm in II, III, aVF", "st_elevation"),
    ("Troponin 2.1 ng/mL (elevated)", "troponin"),
    ("Haemoglobin 9.2 g/dL", "anaemia"),
    ("Haemoglobin 92 g/L", "anaemia"),
    ("Creatinine 3.2 mg/dL (normal 0.6-1.2)", "creatinine_high"),
    ("Temperature 102.2 F", "fever"),
    ("Blood pressure 88/54", "hypotension"),
    ("CRP 46 mg/L (below 5)", "crp_high"),
    ("CRP 46 mg/L (0-5), high", "crp_high"),
    ("TSH <0.01 mU/L", "tsh_low"),
    ("Sodium 134 mmol/L (L)", "sodium_low"),
    ("Not without chest pain", "chest_pain"),
    ("Not only a cough", "cough"),
    ("No relief of the chest pain", "chest_pain"),
    ("No fever, feels breathless", "dyspnoea"),
    ("I hope I won't wake up", "suicidal"),
]
DENIED = [
    ("Denies chest pain", "chest_pain"),
    ("No fever", "fever"),
    ("Abdominal pain without vomiting", "vomiting"),
    ("I've never smoked", "smoker"),
    ("No fever, cough or rash", "rash"),
    ("Negative pregnancy test", "pregnancy_test"),
    ("Pregnancy test: negative.", "pregnancy_test"),
    ("Chest pain: none", "chest_pain"),
    ("Murphy's sign negative", "ruq_murphy"),
    ("Normal troponin", "troponin"),
    ("Troponin 0.01 (reference <0.04)", "troponin"),
    ("Troponin not raised", "troponin"),
    ("Blood pressure 122/78", "hypotension"),
    ("CRP 3 mg/L (below 5)", "crp_high"),
    ("Troponin <5 ng/L", "troponin"),
    ("Haemoglobin 140 g/L, mood depressed", "anaemia"),
    ("High-sensitivity troponin: troponin I 4 ng/L (0-16)", "troponin"),
    ("Scores below the thresholds for depression and anxiety", "low_mood"),
    ("I don't wake up gasping", "orthopnoea"),
    ("Pulmonary embolism was ruled out", "ctpa_clot"),
    ("I wouldn't say I'm short of breath", "dyspnoea"),
]
UNSAID = [
    ("I've no interest in drugs", "anhedonia"),
    ("Trivial tricuspid regurgitation", "heartburn"),
    ("She fell ill on Monday", "injury"),
    ("Blood pressure fell to 85/50", "injury"),
    ("Oh, forget it", "memory_loss"),
    ("I don't wake up gasping", "suicidal"),
    ("Acute kidney injury", "injury"),
    ("Fetal heart rate 150", "tachycardia"),
    ("Transferrin saturation 7 %", "hypoxia"),
    ("Neutrophils 60 %", "wbc_high"),
    ("Haematocrit 0.42", "anaemia"),
    ("Urine sodium 12 mmol/L", "sodium_low"),
]


@pytest.mark.parametrize(("text", "expected"), AFFIRMED)
def test_a_sentence_affirms(text: str, expected: str) -> None:
    assert mentions(text)[expected] is True


@pytest.mark.parametrize(("text", "expected"), DENIED)
def test_a_sentence_denies(text: str, expected: str) -> None:
    assert mentions(text)[expected] is False


@pytest.mark.parametrize(("text", "unexpected"), UNSAID)
def test_what_only_sounds_like_a_finding_is_not_read(text: str, unexpected: str) -> None:
    assert unexpected not in mentions(text)


@given(st.sampled_from(["mmol/L", "g/L", "x 10^9/L", "mg / L", "U/l", "mL/h"]), st.integers(1, 400))
def test_a_unit_says_nothing_of_high_or_low(unit: str, value: int) -> None:
    for name in ("Sodium", "Haemoglobin", "Platelets", "Potassium"):
        assert mentions(f"{name} {value} {unit} ({value}-{value + 1})") == mentions(f"{name} normal")


@pytest.mark.parametrize(
    "text",
    [
        "No fever, but I have a headache",
        "No fever. A headache since Monday",
        "No fever; headache",
        "No, my headache started on Monday",
        "No fever, and she has a headache",
    ],
)
def test_a_negation_ends_with_its_clause(text: str) -> None:
    assert mentions(text)["headache"] is True


def test_a_number_belongs_to_the_name_before_it() -> None:
    read = mentions("Potassium 4.1, sodium 126 (low), haemoglobin 14.0 g/dL")
    assert (read["potassium_low"], read["sodium_low"], read["anaemia"]) == (False, True, False)


def test_what_a_relative_has_is_not_the_patients() -> None:
    read = mentions("My father had a heart attack, and I have palpitations")
    assert read["family_heart"] is True
    assert "heart_disease_history" not in read
    assert read["palpitations"] is True


def test_a_carer_who_speaks_is_not_a_relative_who_is_ill() -> None:
    assert mentions("His mother says he has a fever and no cough") == {"fever": True, "cough": False}


def test_affirming_a_finding_affirms_what_it_implies_and_denying_it_does_not_deny_that() -> None:
    assert mentions("crushing chest pain")["chest_pain"] is True
    assert mentions("productive cough") == {"cough_productive": True, "cough": True}
    assert mentions("no productive cough") == {"cough_productive": False}


def test_an_affirmation_stands_beside_a_denial() -> None:
    assert mentions("No chest pain at rest, but chest pain when I walk")["chest_pain"] is True


@pytest.mark.parametrize("item", findings(), ids=lambda item: item.id)
def test_every_wording_in_the_file_is_read_as_its_finding(item: Finding) -> None:
    for form in item.forms + item.positive:
        assert mentions(form).get(item.id) is True, form
    for form in item.negative:
        assert mentions(form).get(item.id) is False, form
    for name in item.analytes:
        assert mentions(f"{name}: {'raised' if item.direction == 'high' else 'low'}").get(item.id) is True
        assert mentions(f"{name} normal").get(item.id) is False, name


@given(st.sampled_from([item for item in findings() if item.forms]), st.data())
def test_denying_any_wording_denies_the_finding(item: Finding, data: st.DataObject) -> None:
    form = data.draw(st.sampled_from(item.forms))
    assert mentions(f"The patient denies {form}.").get(item.id) is False


@given(st.text(max_size=300))
def test_any_text_can_be_read(text: str) -> None:
    known = {item.id for item in findings()}
    assert set(mentions(text)) <= known


def test_a_long_hostile_text_is_read_to_its_end() -> None:
    assert mentions("no " * 20_000 + "( " * 20_000 + ". I have a headache")["headache"] is True


def test_a_reading_cannot_be_changed_by_its_reader() -> None:
    with pytest.raises(TypeError):
        mentions("a cough")["cough"] = False  # type: ignore[index]  # that is the point


def test_everything_to_be_ordered_is_in_the_formulary() -> None:
    strange = [item.order for item in findings() if item.order and not formulary().find(item.order)]
    assert not strange


def test_a_finding_is_known_by_its_id() -> None:
    assert finding("chest_pain").ask
    with pytest.raises(KeyError):
        finding("no_such_finding")


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("symptom: {cough: {name: Cough, forms: [cough]}}", "needs `ask`"),
        ("test: {ecg: {name: ECG, order: ECG}}", "no wording"),
        ("symptom: {cough: {name: Cough, ask: Cough?, forms: [cough], implies: [cold]}}", "cold"),
        ("symptom: [", "cannot be read"),
        ("- not a mapping", "cannot be read"),
    ],
)
def test_a_broken_findings_file_is_refused_in_words(tmp_path: Path, text: str, complaint: str) -> None:
    path = tmp_path / "findings.yaml"
    path.write_text(text)
    with pytest.raises(BadInput, match=complaint):
        load_findings(path)
