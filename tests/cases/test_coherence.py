"""What goes together: reported contradictions are found, spoiled cases caught, generated ones have none."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from osler.cases.coherence import incoherent
from osler.cases.generator.source import generated
from osler.cases.generator.wording import wording
from osler.cases.importers.osler_yaml import made_from
from osler.cases.lint import for_machines, lint
from osler.cases.made_up import MADE_UP, made_up
from osler.cases.model import Case
from osler.cases.sources import open_source
from osler.knowledge.coherence import anyone, coherent
from osler.knowledge.conditions import knowledge
from osler.knowledge.findings import finding, findings

# Cases of the generator as it was, with the results that are abnormal or were reported.
REPORTED = {
    case.id: case
    for case in map(
        Case.model_validate_json, Path(__file__).with_name("incoherent.jsonl").read_text("utf-8").splitlines()
    )
}


def problems(case: Case) -> set[tuple[str, str]]:
    return {(problem.code, problem.message.lower()) for problem in incoherent(case)}


def codes(case: Case) -> set[str]:
    return {problem.code for problem in incoherent(case)}


def spoiled(case: Case, **changed: Any) -> Case:
    return made_from(Case, {**case.model_dump(mode="json"), **changed})


def with_fact(case: Case, text: str, *, absent: bool = False, topic: str = "associated") -> Case:
    facts = case.model_dump(mode="json")["facts"]
    return spoiled(case, facts=[*facts, {"id": "new", "topic": topic, "text": text, "absent": absent}])


def with_result(case: Case, name: str, text: str, *, abnormal: bool = False) -> Case:
    held = [item for item in case.model_dump(mode="json")["findings"] if item["name"] != name]
    ids = {item["id"] for item in held}
    new = {"id": "new", "kind": "test", "name": name, "result": text, "abnormal": abnormal}
    case = spoiled(case, workup=None, diagnosis={"name": case.diagnosis.name if case.diagnosis else ""})
    assert "new" not in ids
    return spoiled(case, findings=[*held, new])


@cache
def generated_of(disease: str, seed: int = 7) -> Case:
    source = generated(f"generated:5000:{seed}")
    return next(case for case in source if case.diagnosis and case.diagnosis.name == disease)


@pytest.mark.parametrize(
    ("case", "code", "words"),
    [
        ("made-42-0", "onset", "weeks, months"),
        ("made-42-0", "foreign", "steroid tablets"),
        ("made-42-1", "contradiction", "right lower abdominal pain"),
        ("made-42-1", "foreign", "prolonged clotting"),
        ("made-42-2", "lacking", "missed or late period"),
        ("made-42-2", "foreign", "mole"),
        ("made-42-2", "foreign", "calf"),
        ("made-42-2", "foreign", "d-dimer"),
        ("made-42-3", "foreign", "weakened immunity"),
        ("made-42-5", "lacking", "gallstones with a thick gallbladder wall"),
        ("made-42-5", "normal-picture", "seen on it"),
        ("made-42-5", "foreign", "oesophagitis"),
        ("made-42-6", "lacking", "dilated bowel loops"),
        ("made-42-6", "lacking", "earlier abdominal operation"),
        ("made-42-6", "normal-picture", "seen on it"),
        ("made-42-7", "atypical", "typical"),
        ("made-42-7", "lacking", "tiredness"),
        ("made-42-7", "foreign", "seizure"),
        ("made-42-8", "foreign", "pneumothorax"),
        ("made-42-8", "foreign", "shooting down one leg"),
        ("made-42-9", "foreign", "swelling at the front of the neck"),
        ("made-7-11", "foreign", "clot in a pulmonary artery"),
        ("made-7-82", "foreign", "pneumothorax"),
        ("made-7-137", "foreign", "air under the diaphragm"),
        ("made-7-141", "foreign", "st elevation in a territory"),
        ("made-7-214", "foreign", "blood on head ct"),
        ("made-7-435", "foreign", "st elevation in a territory"),
        ("made-7-435", "foreign", "malaria parasites"),
        ("made-42-2", "unit", "µg/ml"),
        ("made-42-0", "idea", "weather"),
        ("made-7-141", "negations", "not there"),
        ("made-7-214", "occupation", "73"),
    ],
)
def test_what_was_reported_of_the_old_generator_is_found(case: str, code: str, words: str) -> None:
    assert any(found == code and words in message for found, message in problems(REPORTED[case]))


def test_every_reported_case_is_refused_by_the_linter_of_cases() -> None:
    for case in REPORTED.values():
        marked = case.model_copy(
            update={"provenance": case.provenance.model_copy(update={"flags": (MADE_UP,)})}
        )
        assert any(problem.level == "error" for problem in lint(marked))


@pytest.mark.parametrize("spec", ["generated:20:17", "generated:20:17:misspecified"])
def test_generated_cases_hold_together(spec: str) -> None:
    assert [(case.id, found) for case in generated(spec) if (found := incoherent(case))] == []


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2, 3, 7, 42])
@pytest.mark.parametrize("which", ["", ":misspecified"])
def test_a_thousand_generated_cases_hold_together(seed: int, which: str) -> None:
    source = generated(f"generated:1000:{seed}{which}")
    assert [(case.id, found) for case in source if (found := incoherent(case))] == []


@cache
def sound() -> tuple[Case, ...]:
    """Some generated cases."""
    return tuple(generated("generated:40:23"))


@given(st.deferred(lambda: st.sampled_from(sound())), st.sampled_from([item.id for item in findings()]))
def test_the_mark_of_another_disease_is_found_wherever_it_is_put(case: Case, name: str) -> None:
    assert case.diagnosis
    known = knowledge().condition(case.diagnosis.name)
    assert known
    words = wording(name)
    if name in coherent(known.id).may:
        return
    text = (words.text or words.present or "").replace("{He}", "He").replace("{he}", "he")
    text = text.replace("{his}", "his").replace("{His}", "His").replace("{him}", "him")
    text = text.replace("{", "").replace("..", " to ").replace("}", "")
    order = finding(name).order
    worse = with_result(case, order, text, abnormal=True) if order else with_fact(case, text)
    found = {
        message.partition(": ")[2].partition(";")[0] for code, message in problems(worse) if code == "foreign"
    }
    assert finding(name).name.lower() in found


def test_a_denial_against_what_is_found_is_a_contradiction() -> None:
    case = generated_of("Acute appendicitis")
    assert "contradiction" not in codes(case)
    facts = [
        fact
        for fact in case.model_dump(mode="json")["facts"]
        if "lower right" not in fact["text"] and "lower right" not in (fact["spoken"] or "")
    ]
    denied = {"id": "new", "topic": "systems", "absent": True}
    denied["text"] = "He has no pain in the lower right abdomen."
    opening = {"door_note": "A patient with vomiting.", "words": "I've been throwing up."}
    worse = spoiled(case, facts=[*facts, denied], opening=opening, diagnosis=None)
    assert {"contradiction", "lacking"} <= codes(worse)


@pytest.mark.parametrize(
    ("disease", "order", "text"),
    [
        ("Pneumonia", "Chest X-ray", "Heart size normal. Lungs clear."),
        ("Small bowel obstruction", "Abdominal X-ray", "Normal bowel gas pattern."),
        ("Hypothyroidism", "Thyroid function tests", "TSH normal at 1.8 mU/L."),
        ("Pulmonary embolism", "CT pulmonary angiogram", "The pulmonary arteries fill normally."),
        ("Renal colic", "CT kidneys ureters and bladder", "No obstructing stone."),
    ],
)
def test_a_normal_result_where_the_answer_is_seen_is_found(disease: str, order: str, text: str) -> None:
    assert "lacking" in codes(with_result(generated_of(disease), order, text))


@pytest.mark.parametrize(
    ("disease", "order"),
    [
        ("Small bowel obstruction", "CT abdomen"),
        ("Acute cholecystitis", "CT abdomen"),
        ("Ectopic pregnancy", "Pelvic ultrasound"),
        ("Subarachnoid haemorrhage", "MRI brain"),
    ],
)
def test_a_normal_picture_of_another_kind_is_found_too(disease: str, order: str) -> None:
    worse = with_result(generated_of(disease), order, "Everything is normal.")
    assert "normal-picture" in codes(worse)


@pytest.mark.parametrize(
    ("order", "text", "wrong"),
    [
        ("C-reactive protein", "C-reactive protein 62 µg/mL.", True),
        ("C-reactive protein", "C-reactive protein 62 mg/L.", False),
        ("Full blood count", "Haemoglobin 12.1 mmHg.", True),
        ("Full blood count", "Haemoglobin 121 g/L, platelets 210 ×10⁹/L.", False),
        ("Urea and electrolytes", "Sodium 139 g/L.", True),
        ("Vital signs", "Temperature 37.0 °C, heart rate 72/min, blood pressure 120/75 mmHg.", False),
    ],
)
def test_units_that_an_analyte_does_not_have_are_found(order: str, text: str, wrong: bool) -> None:
    assert ("unit" in codes(with_result(generated_of("Migraine"), order, text))) == wrong


@pytest.mark.parametrize(
    ("text", "topic", "code"),
    [
        ("The thought is that it may have to do with the weather.", "ideas", "idea"),
        ("It has been going on for years.", "course", "onset"),
        ("It began 3 months ago.", "course", "onset"),
    ],
)
def test_what_no_patient_of_it_says_is_found(text: str, topic: str, code: str) -> None:
    assert code in codes(with_fact(generated_of("Acute appendicitis"), text, topic=topic))


def test_a_man_does_not_miss_a_period_and_a_child_has_no_heart_attack() -> None:
    assert "age" in codes(spoiled(generated_of("Ectopic pregnancy"), sex="male"))
    assert "age" in codes(spoiled(generated_of("Inferior ST-elevation myocardial infarction"), age_years=9))


def test_a_list_of_what_is_not_there_is_found() -> None:
    text = "No consolidation. No cavity. No lung mass. No free gas."
    assert "negations" in codes(with_result(generated_of("Migraine"), "Chest X-ray", text))


def test_reports_of_generated_cases_are_short() -> None:
    for case in sound():
        for held in case.findings:
            assert held.result.count(".") <= 12
            assert len(held.result) < 260


def test_a_disease_that_is_not_known_is_held_to_the_rules_of_form_alone() -> None:
    case = generated_of("Migraine")
    other = spoiled(
        case,
        task={**case.task.model_dump(), "answer": "Pes anserine bursitis", "accepts": []},
        diagnosis={"name": "Pes anserine bursitis"},
    )
    assert not codes(other)


def test_the_knowledge_of_what_goes_together_is_coherent_itself() -> None:
    """Nothing is needed that may not be, and what a disease needs can go together."""
    for condition in knowledge().conditions:
        goes = coherent(condition.id)
        assert all(group <= goes.own for group in goes.needs), condition.id
        single = {next(iter(group)) for group in goes.needs if len(group) == 1}
        assert not any(set(wording(name).excludes) & single for name in single), condition.id
        assert goes.own <= goes.may
        assert goes.when
    assert anyone(30) < anyone(None)


def test_generated_cases_say_that_they_are_made_up_and_library_cases_do_not() -> None:
    assert all(made_up(case) and for_machines(case) for case in sound()[:3])
    assert not any(made_up(case) or for_machines(case) for case in list(open_source("library"))[:3])


def test_a_made_up_case_that_passes_the_lint_of_the_library_is_no_longer_marked() -> None:
    (first, *_) = open_source("library")
    flagged = first.model_copy(
        update={"provenance": first.provenance.model_copy(update={"flags": (MADE_UP,)})}
    )
    errors = [problem for problem in lint(flagged, strict=True) if problem.level == "error"]
    assert for_machines(flagged) == bool(errors)
