"""Whom and what a FHIR record is about: identity, the condition that is asked, versions, inputs of others."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from osler.cases.importers import import_file
from osler.cases.importers.fhir import AS_XML, LEFT_OUT, LOOKS_LIKE, import_bundle, read
from osler.cases.importers.fhir_identity import Identity
from osler.cases.importers.report import serious_flags
from osler.cases.model import Case
from osler.errors import BadCase
from tests.cases.fhir_bundles import VISIT, bundle_of, coded, resource
from tests.cases.importing import imported, refusals, shared, shown

IPS = "http://hl7.org/fhir/uv/ips/CodeSystem/absent-unknown-uv-ips"
SNOMED = "http://snomed.info/sct"


def case_of(*resources: dict[str, Any], patient: dict[str, Any] | None = None) -> Case:
    bundle = bundle_of(*resources)
    bundle["entry"][0]["resource"].update(patient or {})
    return import_bundle(bundle, 1, "t")


def facts(case: Case) -> list[str]:
    return [fact.text for fact in case.facts]


# Who the patient is

WHITE = {
    "name": [{"family": "White", "given": ["Rose"]}],
    "identifier": [{"value": "118"}, {"value": "MRN-77812"}],
    "address": [{"line": ["120 Station Road"], "city": "Reading", "postalCode": "120"}],
    "telecom": [{"value": "555-0199-22"}],
    "contact": [{"name": {"family": "mother", "given": ["Natural", "mother"]}}],
}


@pytest.mark.parametrize(
    "text",
    [
        "White cell count raised",
        "White matter lesions. White patches on the tongue.",
        "Blood pressure reading 120/80",
        "Reading difficulties",
        "Heart rate 118",
        "118",
        "Mother had breast cancer",
        "The rose-coloured spots are white",
        "Natural killer cells",
        "since White 2020",
        "Off White",
        "Colour: White",
    ],
)
def test_words_and_numbers_that_are_also_the_patients_identify_nobody(text: str) -> None:
    assert not Identity(WHITE).is_in_prose(text)
    assert not Identity(WHITE).is_in_term(text)


@pytest.mark.parametrize(
    "text",
    [
        "Mrs White looks flushed",
        "Seen with Rose today",
        "rose white, 62",
        "WHITE, ROSE",
        "lives at 120 Station Road",
        "call 555-0199-22",
        "MRN 118",
        "(MRN-77812)",
        "has come from Reading",
        "The patient is called Rose.",
    ],
)
def test_notes_that_name_the_patient_do(text: str) -> None:
    assert Identity(WHITE).is_in_prose(text)


def test_a_name_given_as_one_text_and_an_ordinary_name_are_known() -> None:
    assert Identity({"name": [{"text": "Marguerita Quillfeather"}]}).is_in_prose("Quillfeather is flushed.")
    assert Identity({"name": [{"given": ["May"]}]}).is_in_prose("Met with May today.")
    assert not Identity({"name": [{"given": ["May"]}]}).is_in_prose(
        "Since May 2020 she has coughed. May improve."
    )


def test_coded_terms_and_values_are_told_whatever_the_patient_is_called() -> None:
    pulse = {**resource("Observation", "Heart rate", VISIT.isoformat()), "valueQuantity": {"value": 118}}
    pressure = {
        **resource("Observation", "Blood pressure reading", VISIT.isoformat()),
        "valueString": "120/80",
    }
    del pressure["valueQuantity"]
    case = case_of(
        resource("Observation", "White blood cell count", VISIT.isoformat()),
        pulse,
        pressure,
        {**resource("FamilyMemberHistory", "Breast cancer"), "relationship": {"text": "Mother"}},
        patient=WHITE,
    )
    assert len(case.findings) == 3
    assert facts(case) == ["Mother: Breast cancer."]


@pytest.mark.parametrize(
    "note",
    [
        {"note": [{"text": "Told Mrs White by telephone."}]},
        {"comments": "Taken from Rose by the nurse."},
        {"extension": [{"valueCodeableConcept": {"text": "Rose White's request"}}]},
    ],
)
def test_a_note_with_the_name_is_left_out_and_the_value_is_told(note: dict[str, Any]) -> None:
    case = case_of({**resource("Observation", "D-dimer", VISIT.isoformat()), **note}, patient=WHITE)
    assert len(case.findings) == 1
    assert not [name for name in ("White", "Rose") if name in case.model_dump_json()]
    assert LEFT_OUT in {leaf.text for leaf in case.withheld if leaf.source.endswith("[unread]")}


def test_the_day_of_birth_is_not_told_as_a_date() -> None:
    case = case_of(
        resource("Condition", "Club foot", "1961-05-04"), resource("Immunization", "BCG", "1961-05-04")
    )
    assert facts(case) == ["Club foot (active, at birth).", "Vaccinated: BCG (at birth)."]
    assert "1961-05-04" not in shown(case)


# The diagnosis

LATER = {
    "resourceType": "Encounter",
    "id": "e2",
    "status": "finished",
    "period": {"start": "2024-04-01T10:00:00Z", "end": "2024-04-01T11:00:00Z"},
}


def later(name: str, **elements: Any) -> dict[str, Any]:
    return {
        **resource("Condition", name, "2024-04-01"),
        "encounter": {"reference": "Encounter/e2"},
        **elements,
    }


@pytest.mark.parametrize(
    "elements",
    [
        {"category": [{"coding": [{"code": "sdoh"}]}]},
        {"code": {"text": "Full-time employment"}},
        {"code": {"text": "Bereft", "coding": [{"system": SNOMED, "display": "Bereft (finding)"}]}},
        {
            "code": {
                "text": "Stress",
                "coding": [{"system": SNOMED, "code": "73595000", "display": "Stress (finding)"}],
            }
        },
        {
            "code": {
                "text": "Trouble",
                "coding": [{"system": "http://hl7.org/fhir/sid/icd-10", "code": "Z56.0"}],
            }
        },
        {"code": {"text": "Received higher education"}},
        {"code": {"text": "Lives alone"}},
        {"verificationStatus": {"coding": [{"code": "differential"}]}},
        {"verificationStatus": {"coding": [{"code": "provisional"}]}},
        {"code": {"text": "Suspected pneumonia (situation)"}},
    ],
)
def test_the_answer_is_a_confirmed_illness_and_nothing_social_or_suspected(elements: dict[str, Any]) -> None:
    case = case_of(LATER, later("Something", **elements))
    assert case.task.answer == "Pulmonary embolism"
    assert case.opening.words == "I have come because of this: chest pain."


def test_social_findings_are_told_of_home_and_are_no_complaint() -> None:
    of_visit = {"encounter": {"reference": "Encounter/e1"}, "code": {"text": "Full-time employment"}}
    case = case_of({**resource("Condition", ""), **of_visit})
    assert case.opening.words == "I have come because of this: chest pain."
    assert facts(case) == ["Full-time employment (active, recorded 2019-02-03)."]
    assert case.facts[0].topic != "past_medical"


@pytest.mark.parametrize("name", ["Stress fracture of foot (disorder)", "Post-traumatic stress disorder"])
def test_illnesses_with_a_social_word_are_illnesses(name: str) -> None:
    assert case_of(LATER, later(name)).task.answer == name.removesuffix(" (disorder)")


def test_where_nothing_is_confirmed_the_answer_is_flagged_and_where_all_is_social_refused() -> None:
    bundle = bundle_of()
    condition = bundle["entry"][2]["resource"]
    condition["verificationStatus"] = {"coding": [{"code": "differential"}]}
    case = import_bundle(bundle, 1, "t")
    assert case.task.answer == "Pulmonary embolism"
    assert any(flag.startswith("unsure: the answer, entry[2].resource") for flag in serious_flags(case))
    condition.update(coded("Condition", {"verificationStatus": "confirmed"}), code={"text": "Unemployed"})
    with pytest.raises(BadCase, match="work, home or school"):
        import_bundle(bundle, 1, "t")


# Versions


def stu3_or_dstu2(version: str) -> dict[str, Any]:
    where, who = ("context", "subject") if version == "STU3" else ("encounter", "patient")
    visit, patient = {"reference": "Encounter/e1"}, {"reference": "Patient/p1"}
    order = {"medicationCodeableConcept": {"text": "Amlodipine"}, "status": "active", who: patient}
    allergy = {"code" if version == "STU3" else "substance": {"text": "Mould"}, "patient": patient}
    statuses = {"clinicalStatus": "active", "verificationStatus": "confirmed"}
    one = bundle_of(
        {"resourceType": "MedicationRequest", "intent": "order", "authoredOn": "2012-03-02", **order}
        if version == "STU3"
        else {"resourceType": "MedicationOrder", "dateWritten": "2012-03-02", **order},
        {
            "resourceType": "AllergyIntolerance",
            **allergy,
            **(statuses if version == "STU3" else {"status": "active"}),
        },
        {**resource("Observation", "D-dimer", VISIT.isoformat()), where: visit},
        {
            "resourceType": "Immunization",
            "status": "completed",
            "date": "2019-10-01",
            "vaccineCode": {"text": "Td"},
        },
    )
    for entry in one["entry"][1:3]:
        entry["resource"][who] = patient
    encounter, condition = (entry["resource"] for entry in one["entry"][1:3])
    encounter["reason"] = encounter.pop("reasonCode")
    condition.update(statuses)
    condition[where] = condition.pop("encounter")
    return one


def r5() -> dict[str, Any]:
    one = bundle_of(
        {
            "resourceType": "MedicationRequest", "status": "active", "intent": "order",
            "authoredOn": "2012-03-02", "medication": {"concept": {"text": "Amlodipine"}},
        },
        {
            **resource("AllergyIntolerance", "Mould"),
            "reaction": [{"manifestation": [{"concept": {"text": "Wheeze"}}]}],
        },
        resource("Observation", "D-dimer", VISIT.isoformat()),
        resource("Immunization", "Td", "2019-10-01"),
    )  # fmt: skip
    encounter = one["entry"][1]["resource"]
    encounter["reason"] = [
        {"use": [{"text": "chief"}], "value": [{"concept": encounter.pop("reasonCode")[0]}]}
    ]
    encounter["actualPeriod"] = encounter.pop("period")
    return one


@pytest.mark.parametrize(
    ("version", "bundle"),
    [("DSTU2", stu3_or_dstu2("DSTU2")), ("STU3", stu3_or_dstu2("STU3")), ("R5", r5())],
)
def test_other_versions_are_read_and_named(version: str, bundle: dict[str, Any]) -> None:
    case = import_bundle(bundle, 1, "t")
    assert f"note: read as FHIR {version}" in case.provenance.flags
    assert case.opening.words == "I have come because of this: chest pain."
    assert {fact.split(":")[0].rstrip(".") for fact in facts(case)} == {
        "Takes Amlodipine (2012-03-02)",
        "Allergic to Mould",
        "Vaccinated",
    }
    assert [finding.name for finding in case.findings] == ["D-dimer"]


@pytest.mark.parametrize(
    ("elements", "name"),
    [
        ({"fhirVersion": "0.0.82"}, "DSTU1"),
        ({"fhirVersion": "6.0.0"}, "R6"),
        ({"fhirVersion": "9.1"}, "9.1"),
        ({"meta": {"profile": ["http://hl7.org/fhir/1.4/StructureDefinition/Bundle"]}}, "a draft of STU3"),
    ],
)
def test_versions_that_are_not_read_are_refused_by_name(elements: dict[str, Any], name: str) -> None:
    with pytest.raises(BadCase, match=f"this is FHIR {name}; DSTU2, STU3, R4, R4B and R5 are read"):
        import_bundle({**bundle_of(), **elements}, 1, "t")


def test_a_version_that_is_stated_is_believed() -> None:
    profile = {"meta": {"profile": ["http://hl7.org/fhir/3.0/StructureDefinition/Bundle"]}}
    assert "note: read as FHIR STU3" in import_bundle({**bundle_of(), **profile}, 1, "t").provenance.flags


def test_xml_is_refused_by_its_name(tmp_path: Path) -> None:
    path = tmp_path / "record.xml"
    path.write_text(
        '<?xml version="1.0"?>\n<Bundle xmlns="http://hl7.org/fhir"><type value="collection"/></Bundle>'
    )
    assert LOOKS_LIKE.search(path.read_bytes())
    assert refusals(imported(read, path)[1]) == {1: AS_XML}
    (item,) = import_file(path)
    assert not isinstance(item, Case)


# The inputs that others gave, where they are

GIVEN = shared("field-inputs/fhir")
EXPECTED: dict[str, tuple[str | None, set[str], set[str]]] = {
    "01-allergies-refuted-or-in-error": (
        "Pulmonary embolism",
        {"Allergic to Aspirin."},
        {"Penicillin", "Latex"},
    ),
    "03-absent-and-unknown": (None, set(), set()),
    "05-rounding": ("Pulmonary embolism", {"1.005", "7.345 pH", "0.00004 ug/L", "1.995", "1.002"}, set()),
    "07-time-zones": ("Pulmonary embolism", {"4.1 mg/L"}, set()),
    "08-names-that-are-words": ("Pulmonary embolism", {"14.2 ×10⁹/L", "118 /min"}, set()),
    "09-employment-as-diagnosis": ("Pulmonary embolism", set(), {"Full-time"}),
    "11-differential-as-answer": ("Pneumonia", set(), {"embolism"}),
    "12-stu3": ("Pulmonary embolism", {"4.1 mg/L"}, set()),
    "14-other-statuses": ("Pulmonary embolism", {"No current medications."}, {"Lupus", "Takes No"}),
}


@pytest.mark.skipif(not GIVEN.is_dir(), reason="the inputs are not here")
@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_inputs_of_others_are_read_rightly(name: str) -> None:
    answer, told, untold = EXPECTED[name]
    bundle = json.loads((GIVEN / f"{name}.json").read_text(encoding="utf-8"))
    if answer is None:
        with pytest.raises(BadCase):
            import_bundle(bundle, 1, "t")
        return
    case = import_bundle(bundle, 1, "t")
    assert case.task.answer == answer
    assert told <= {*facts(case), *(finding.result for finding in case.findings)}
    assert not [word for word in untold if word in shown(case)]
