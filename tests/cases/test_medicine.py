"""What was mended in the library's medicine (docs/medicine.md), so that it stays mended."""

from __future__ import annotations

from typing import Any

import pytest

from osler.cases.lint import lint
from osler.cases.model import KeyFeature, StepPart
from osler.cases.sources import open_source
from osler.knowledge.formulary import formulary
from osler.protocols.consultation.judge.named_acts import Terms
from osler.protocols.consultation.tried_orders import answered

CASES = {case.id: case for case in open_source("library")}
AT_THE_BEDSIDE = (
    "Electrocardiogram",
    "Right-sided electrocardiogram",
    "Capillary blood glucose",
    "Urinalysis",
)


def safety_terms(case_id: str, action: str) -> Terms:
    (found,) = [each for each in CASES[case_id].safety or () if each.id == action]
    return Terms({action: found.terms})


def step(case_id: str, feature: str) -> KeyFeature:
    plan = CASES[case_id].management
    assert plan
    (found,) = [each for each in plan.key_features if each.id == feature]
    return found


def classes(case_id: str) -> dict[str, str]:
    case = CASES[case_id]
    plan, work = case.management, case.workup
    both = (*(work.contraindicated if work else ()), *(plan.contraindicated if plan else ()))
    return {each.name: each.class_ for each in both}


@pytest.mark.parametrize(
    ("case_id", "name", "expected"),
    [
        ("respiratory-01", "D-dimer", "unnecessary"),
        ("respiratory-02", "CT pulmonary angiography", "unnecessary"),
        ("respiratory-02", "Invasive coronary angiography", "harmful"),
        ("primary-care-01", "Metanephrines or catecholamines", "unnecessary"),
        ("cardiology-01", "Nitrates", "harmful"),
        ("gynaecology-01", "Methotrexate", "harmful"),
    ],
)
def test_what_is_only_unnecessary_is_told_from_what_harms(case_id: str, name: str, expected: str) -> None:
    assert classes(case_id)[name] == expected


def test_the_usual_class_is_left_out_of_the_json() -> None:
    plan = CASES["cardiology-01"].management
    assert plan
    assert all("class_" not in each.model_dump(mode="json") for each in plan.contraindicated)


def test_a_bedside_test_takes_minutes() -> None:
    known = formulary()
    for case in CASES.values():
        for finding in case.findings:
            if finding.name in AT_THE_BEDSIDE:
                entry = known.find(finding.name)
                took = finding.minutes if finding.minutes is not None else entry.minutes if entry else 60
                assert took <= 20, f"{case.id} {finding.name}"


@pytest.mark.parametrize("case_id", ["cardiology-01", "cardiology-02"])
@pytest.mark.parametrize(
    ("order", "expected"),
    [
        ("12-lead ECG", "Electrocardiogram"),
        ("right-sided ECG", "Right-sided electrocardiogram"),
        ("V4R", "Right-sided electrocardiogram"),
    ],
)
def test_the_right_sided_leads_have_to_be_asked_for(case_id: str, order: str, expected: str) -> None:
    found: Any = answered(CASES[case_id], order)["results"]
    assert [result["found"] for result in found] == [expected]


def test_a_result_three_hours_later_is_not_there_within_the_hour() -> None:
    for case in CASES.values():
        for finding in case.findings:
            if "three hours later" in finding.result or "after three hours" in finding.result:
                assert finding.minutes is not None
                assert finding.minutes >= 180, case.id


def test_an_inhaled_corticosteroid_beside_two_bronchodilators_is_no_unsafe_act() -> None:
    plan = CASES["respiratory-02"].management
    assert plan
    harms = Terms({each.name: (each.name, *each.terms) for each in plan.contraindicated})
    assert (
        harms.named(["Trelegy: inhaled corticosteroid with LAMA and LABA", "add ICS if flare-ups go on"])
        == {}
    )
    assert harms.named(["inhaled corticosteroid alone"])


@pytest.mark.parametrize(
    ("case_id", "action", "said"),
    [
        ("gynaecology-01", "s4", "Is anyone hurting you at home?"),
        ("surgery-01", "s5", "Is anybody hurting you at home?"),
        ("obstetrics-01", "s2", "Has anyone hurt you, or are you afraid of anyone?"),
        ("psychiatry-01", "s2", "Do you have any tablets at home?"),
        ("psychiatry-01", "s1", "Have you had thoughts of harming yourself?"),
        ("neurology-02", "s2", "You mustn't drive, I'm afraid."),
        ("neurology-02", "s2", "don't drive"),
        ("ent-02", "s4", "Please don't drive until it has stopped."),
        ("rheumatology-01", "s2", "You can't drive home like this."),
    ],
)
def test_plain_wordings_of_a_safety_step_are_heard(case_id: str, action: str, said: str) -> None:
    assert safety_terms(case_id, action).named([said])


@pytest.mark.parametrize(
    ("case_id", "action", "said"),
    [
        ("psychiatry-01", "s2", "Do you take any tablets?"),
        ("psychiatry-01", "s2", "Do you understand what that means?"),
        ("psychiatry-01", "s2", "How would you describe your mood?"),
        ("gynaecology-01", "s4", "Are you scared of needles?"),
        ("rheumatology-01", "s2", "Did you drive here?"),
    ],
)
def test_what_asks_something_else_does_not_meet_a_safety_step(case_id: str, action: str, said: str) -> None:
    assert not safety_terms(case_id, action).named([said])


@pytest.mark.parametrize(
    ("case_id", "feature", "line"),
    [
        ("psychiatry-01", "k8", "sertraline, one week supply"),
        ("orthopaedics-01", "m5", "police"),
        ("toxicology-01", "k2", "keep him in until the ambulance transfer"),
        ("nephrology-01", "k4", "salbutamol inhaler"),
        ("urology-01", "m6", "orchidectomy"),
        ("ent-02", "k2", "reassure"),
    ],
)
def test_a_word_beside_the_point_does_not_meet_a_step(case_id: str, feature: str, line: str) -> None:
    found = step(case_id, feature)
    assert not found.parts
    assert not Terms({feature: found.terms}).named([line])


def test_no_driving_meets_the_step_that_asks_for_it() -> None:
    for case_id, feature in (("ent-02", "k5"), ("neurology-02", "k6"), ("ent-01", "k6")):
        terms = Terms({feature: step(case_id, feature).terms})
        for line in ("No driving for now", "Don't drive", "do not drive until reviewed", "Stop driving"):
            assert terms.named([line]), (case_id, line)


def test_the_terms_of_a_step_with_parts_are_those_of_its_parts() -> None:
    parts = [{"what": "A", "terms": ["saline", "fluids"]}, {"what": "B", "terms": ["oxygen", "fluids"]}]
    made = KeyFeature.model_validate({"id": "k1", "what": "Fluids and oxygen", "parts": parts})
    assert made.terms == ("saline", "fluids", "oxygen")
    assert "parts" not in KeyFeature(id="k2", what="x", terms=("x",)).model_dump(mode="json")
    assert KeyFeature.model_validate(made.model_dump(mode="json")) == made


def test_a_part_that_its_own_step_does_not_name_is_found() -> None:
    case = CASES["gynaecology-01"]
    plan = case.management
    assert plan
    first = plan.key_features[0]
    bad = first.model_copy(update={"parts": (*first.parts, StepPart(what="Other", terms=("aspirin",)))})
    spoiled = case.model_copy(
        update={"management": plan.model_copy(update={"key_features": (bad, *plan.key_features[1:])})}
    )
    assert "unrecognised" in {problem.code for problem in lint(spoiled, strict=True)}


def test_the_case_says_which_score_of_stroke_risk_it_uses() -> None:
    told = step("cardiology-03", "k1").what
    assert "NICE" in told
    assert "CHA2DS2-VA " in told
