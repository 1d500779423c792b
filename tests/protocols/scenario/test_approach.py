"""The built-in examinee's knowledge: doses by age and weight, what is recognized, and what is not."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from osler.core.events import json_of
from osler.protocols.scenario.players.approach import Approach, Step, age_in, any_met, approach

KNOWN = approach()


@pytest.mark.parametrize(
    ("name", "years", "dose"),
    [
        ("adrenaline", 40, "0.5 mg (0.5 mL of 1 mg/mL)"),
        ("adrenaline", 8, "0.3 mg (0.3 mL of 1 mg/mL)"),
        ("adrenaline", 3, "0.15 mg (0.15 mL of 1 mg/mL)"),
        ("adrenaline", 0.2, "0.1 mg (0.1 mL of 1 mg/mL)"),
        ("midazolam", 3, "5 mg"),
        ("lorazepam", 3, "1.4 mg"),
        ("lorazepam", 40, "4 mg"),
        ("fluid", 3, "140 mL"),
        ("fluid", 40, "500 mL"),
        ("paracetamol", 3, "210 mg"),
        ("glucose", 3, "2 mL/kg of 10 %"),
    ],
)
def test_doses(name: str, years: float, dose: str) -> None:
    assert KNOWN.amounts[name].of(years) == dose


@pytest.mark.parametrize("years", [0, 0.3, 1, 4, 7, 11, 13, 40, 99])
def test_every_dose_and_limit_is_there_for_every_age(years: float) -> None:
    assert all(amount.of(years) for amount in KNOWN.amounts.values())
    assert [sign.shows(70.0, years) for sign in KNOWN.signs]


@pytest.mark.parametrize(
    ("text", "years"),
    [
        ("A 34-year-old woman", 34),
        ("a boy aged 3 years", 3),
        ("A three-year-old boy", 3),
        ("Ms Bell, 41, a teacher", 41),
        ("Ada, aged 9", 9),
        ("Milo is three. He fits.", 3),
        ("One of her three sons is one of the staff.", None),
        ("An 8-month-old girl of a 30 year old mother", 0.67),
        ("An adult.", None),
    ],
)
def test_ages(text: str, years: float | None) -> None:
    assert age_in(text) == years


@pytest.mark.parametrize(
    ("vitals", "sign", "years", "there"),
    [
        ("blood pressure 84/50 mmHg", "hypotension", 40, True),
        ("blood pressure 84/50 mmHg", "hypotension", 2, False),
        ("heart rate 140/min", "tachycardia", 40, True),
        ("heart rate 140/min", "tachycardia", 3, False),
        ("oxygen saturation 88 % in air", "hypoxia", 40, True),
        ("oxygen saturation 97 % in air", "hypoxia", 40, False),
        ("temperature 39.1 °C", "fever", 3, True),
        ("Capillary glucose 1.9 mmol/L (34 mg/dL).", "lowglucose", 40, True),
        ("Capillary glucose 6.2 mmol/L.", "lowglucose", 40, False),
    ],
)
def test_vital_signs_become_words_where_they_are_out_of_range(
    vitals: str, sign: str, years: float, there: bool
) -> None:
    assert any_met((sign,), KNOWN.read(vitals, years)) is there


def test_what_is_denied_is_not_seen() -> None:
    assert not any_met(("rash",), KNOWN.read("He is hot, with no rash, and breathless.", None))
    assert any_met(("breathless",), KNOWN.read("He is hot, with no rash, and breathless.", None))


@pytest.mark.parametrize(
    ("text", "situation"),
    [
        ("Hives on the chest and a wheeze after a tablet.", "anaphylaxis"),
        ("Her arms and legs jerk and she does not answer.", "seizure"),
        ("Fever, mottled skin, blood pressure 82/40 mmHg.", "sepsis"),
        ("She is bleeding heavily after the birth of her baby.", "postpartum"),
        ("He says that he wants to end it and walks to the door.", "suicidal"),
        ("Tell him that the biopsy shows cancer.", "bad_news"),
        ("A 15-year-old has come with her mother.", "young_person"),
        ("Bruises on both arms; her husband says she fell.", "violence"),
        ("Penicillin was given and the notes tell of an allergy.", "allergy_error"),
        ("Evening handover of three patients.", "several_patients"),
    ],
)
def test_situations_are_recognized(text: str, situation: str) -> None:
    found = [each.id for each in KNOWN.recognized(KNOWN.read(text, None), age_in(text))]
    assert situation in found
    assert "arrest" not in found


def test_somebody_well_is_no_emergency() -> None:
    found = {each.id for each in KNOWN.recognized(KNOWN.read("A man comes about his sore knee.", None), None)}
    assert found == {"greeting", "history", "perspective", "explaining"}


def test_words_are_filled_in() -> None:
    words = KNOWN.worded("{team}, draw up adrenaline {adrenaline}.", 40, {"team": "Nurse Oduya"})
    assert words == "Nurse Oduya, draw up adrenaline 0.5 mg (0.5 mL of 1 mg/mL)."


def test_a_step_is_one_thing_and_names_what_there_is() -> None:
    with pytest.raises(ValidationError, match="one thing"):
        Step(say="Hello.", do="Wave.")
    body = json_of(KNOWN).replace("{adrenaline}", "{ambrosia}")
    with pytest.raises(ValidationError, match="ambrosia"):
        Approach.model_validate_json(body)


def test_sources_are_named() -> None:
    assert all({"title", "year"} <= source.keys() for source in KNOWN.sources)
