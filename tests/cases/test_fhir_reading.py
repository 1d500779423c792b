"""How a FHIR record is read: absences, digits, times, identity, the condition that is asked, versions."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from osler.cases.importers import import_file
from osler.cases.importers.fhir import AS_XML, LEFT_OUT, LOOKS_LIKE, import_bundle, read
from osler.cases.importers.fhir_absences import wording_of
from osler.cases.importers.fhir_identity import Identity
from osler.cases.importers.fhir_numbers import number_of
from osler.cases.importers.fhir_times import interval_of, visit_of
from osler.cases.importers.fhir_values import quantity
from osler.cases.importers.report import serious_flags
from osler.cases.model import Case
from osler.errors import BadCase
from tests.cases.fhir_bundles import VISIT, VISIT_ENDS, bundle_of, coded, resource
from tests.cases.importing import imported, refusals, shared, shown

IPS = "http://hl7.org/fhir/uv/ips/CodeSystem/absent-unknown-uv-ips"
SNOMED = "http://snomed.info/sct"


def case_of(*resources: dict[str, Any], patient: dict[str, Any] | None = None) -> Case:
    bundle = bundle_of(*resources)
    bundle["entry"][0]["resource"].update(patient or {})
    return import_bundle(bundle, 1, "t")


def facts(case: Case) -> list[str]:
    return [fact.text for fact in case.facts]


# Absences


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("AllergyIntolerance", "No known allergies"),
        ("AllergyIntolerance", "No ibuprofen allergy"),
        ("AllergyIntolerance", "Not allergic to latex"),
        ("AllergyIntolerance", "NKDA"),
        ("AllergyIntolerance", "Nil known"),
        ("AllergyIntolerance", "Allergies: none"),
        ("AllergyIntolerance", "Keine bekannten Allergien"),
        ("MedicationStatement", "No current medications"),
        ("MedicationStatement", "Patient not on any medications"),
        ("Procedure", "No previous procedures"),
        ("Condition", "No history of diabetes (situation)"),
        ("Condition", "Asthma excluded (situation)"),
    ],
)
def test_an_absence_is_told_as_one(kind: str, text: str) -> None:
    assert wording_of(kind, {"text": text}).presence == "absent"
    case = case_of(resource(kind, text))
    assert [fact.absent for fact in case.facts] == [True]
    assert not case.facts[0].text.startswith(("Allergic to", "Takes", "Underwent"))


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("AllergyIntolerance", "No information about allergies"),
        ("AllergyIntolerance", "Unknown"),
        ("AllergyIntolerance", "None recorded"),
        ("AllergyIntolerance", "Not asked"),
        ("AllergyIntolerance", "Allergie inconnue"),
        ("MedicationStatement", "Medication status unknown"),
        ("Procedure", "N/A"),
    ],
)
def test_what_is_unknown_is_not_told_at_all(kind: str, text: str) -> None:
    case = case_of(resource(kind, text))
    assert not case.facts
    assert any("it says that nothing is known" in leaf.text for leaf in case.withheld)


@pytest.mark.parametrize(
    "name",
    [
        "Non-Hodgkin lymphoma",
        "Absence seizure",
        "Congenital absence of kidney",
        "Pneumonia, unspecified organism",
        "Fever of unknown origin",
        "Diabetes mellitus without complication",
        "Nonunion of fracture",
        "No-reflow phenomenon",
    ],
)
def test_illnesses_whose_names_sound_like_absences_are_there(name: str) -> None:
    assert facts(case_of(resource("Condition", name))) == [f"{name} (active, recorded 2019-02-03)."]


@pytest.mark.parametrize(
    ("kind", "system", "code", "text"),
    [
        ("AllergyIntolerance", IPS, "no-known-food-allergies", "No known food allergies."),
        ("AllergyIntolerance", SNOMED, "716186003", "No known allergy."),
        ("MedicationStatement", IPS, "no-known-medications", "No known medications."),
        ("Procedure", SNOMED, "787480003", "No known procedures."),
        ("AllergyIntolerance", IPS, "no-allergy-info", None),
        ("MedicationStatement", IPS, "no-medication-info", None),
        ("AllergyIntolerance", "http://terminology.hl7.org/CodeSystem/data-absent-reason", "unknown", None),
        ("AllergyIntolerance", "http://terminology.hl7.org/CodeSystem/v3-NullFlavor", "NI", None),
        ("Condition", SNOMED, "160245001", None),
    ],
)
def test_codes_of_absence_are_known_in_any_language(
    kind: str, system: str, code: str, text: str | None
) -> None:
    named = {"coding": [{"system": system, "code": code, "display": "Žádné"}]}
    key = "medicationCodeableConcept" if kind == "MedicationStatement" else "code"
    assert facts(case_of({**resource(kind, ""), key: named})) == ([text] if text else [])


@pytest.mark.parametrize("kind", ["intolerance", {"coding": [{"code": "intolerance"}]}])
def test_an_intolerance_is_no_allergy(kind: object) -> None:
    assert facts(case_of({**resource("AllergyIntolerance", "Lactose"), "type": kind})) == [
        "Intolerant of Lactose."
    ]


def test_no_known_allergies_beside_an_allergy_is_not_told() -> None:
    case = case_of(
        resource("AllergyIntolerance", "No known allergies"), resource("AllergyIntolerance", "Latex")
    )
    assert facts(case) == ["Allergic to Latex."]
    assert any("the record holds what it denies" in flag for flag in serious_flags(case))


def test_a_record_of_absences_has_no_diagnosis() -> None:
    bundle = bundle_of()
    bundle["entry"][2]["resource"]["code"] = {
        "coding": [{"system": IPS, "code": "no-problem-info", "display": "No"}]
    }
    with pytest.raises(BadCase, match="none of its Conditions is there"):
        import_bundle(bundle, 1, "t")


# Digits


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1.005, "1.005"),
        (7.345, "7.345"),
        (0.00004, "0.00004"),
        (1.995, "1.995"),
        (1.0227, "1.0227"),
        (123456.5, "123456.5"),
        (120.0, "120"),
        (0.0, "0"),
        (-0.0, "0"),
        (54.016558497695826, "54.02"),
        (0.00012345678901, "0.0001235"),
        (12345.678901234567, "12346"),
        (6.02e23, "6.02e+23"),
        (float("nan"), ""),
        (float("inf"), ""),
    ],
)
def test_numbers_keep_the_digits_of_the_source(value: float, text: str) -> None:
    assert number_of(value) == text


@pytest.mark.parametrize(
    ("unit", "text"),
    [("{beats}/min", "72 /min"), ("{score}", "72"), ("1", "72"), ("mm[Hg]", "72 mmHg"), ("%", "72 %")],
)
def test_units_are_kept(unit: str, text: str) -> None:
    assert quantity({"value": 72, "unit": unit}) == text


# Times


def result_at(when: str, *, of_visit: bool = False) -> dict[str, Any]:
    one = resource("Observation", "D-dimer", when)
    return {**one, "encounter": {"reference": "Encounter/e1"}} if of_visit else one


@pytest.mark.parametrize(
    ("when", "of_visit", "is_told"),
    [
        ("2024-03-02T02:50:00Z", True, True),
        ("2024-03-02T02:50:00Z", False, True),
        ("2024-03-02T06:39:00Z", False, True),
        ("2024-03-02T06:41:00Z", False, False),
        ("2024-03-02T15:41:00+09:00", False, False),
        ("2024-03-02T06:41:00Z", True, True),
        ("2024-03-05", True, True),
        ("2024-05-05", True, False),
        ("2024-03-01", False, True),
        ("2024-03-02", False, True),
        ("2024-03-03", False, False),
        ("2024-03", False, True),
        ("2024", False, True),
        ("2025", False, False),
        ("no date", False, True),
    ],
)
def test_a_result_belongs_to_a_visit_by_the_instant_or_by_its_encounter(
    when: str, of_visit: bool, is_told: bool
) -> None:
    # The visit is from 21:40 to 01:40 in New York, which is 02:40 to 06:40 in UTC.
    assert bool(case_of(result_at(when, of_visit=of_visit)).findings) is is_told


def test_what_is_no_date_is_not_told_as_one() -> None:
    case = case_of(result_at("2024-13-45"), resource("Procedure", "Appendectomy", "2023-02-30"))
    assert facts(case) == ["Underwent: Appendectomy."]
    assert [finding.result for finding in case.findings] == ["1.5 mmol/L"]
    assert "2024-13-45" in case.model_dump_json()


def test_a_night_visit_without_an_end_has_its_results_after_midnight() -> None:
    bundle = bundle_of(result_at("2024-03-02T00:20:00-05:00"))
    bundle["entry"][1]["resource"]["period"] = {"start": "2024-03-01T23:40:00-05:00"}
    assert import_bundle(bundle, 1, "t").findings


def test_a_result_of_a_request_or_a_report_of_the_visit_belongs_to_it() -> None:
    late = "2024-03-03T10:00:00Z"
    request = {"resourceType": "ServiceRequest", "id": "s1", "encounter": {"reference": "Encounter/e1"}}
    ordered = {**result_at(late), "basedOn": [{"reference": "ServiceRequest/s1"}]}
    assert case_of(request, ordered).findings
    report = resource("DiagnosticReport", "Panel", late, encounter={"reference": "Encounter/e1"})
    reported = {**result_at(late), "id": "o9"}
    assert len(case_of({**report, "result": [{"reference": "Observation/o9"}]}, reported).findings) == 2


@pytest.mark.parametrize("day", ["2024-03-01", "2024-02-29T23:59:00-05:00", "2024-03-01T21:40:00-05:00"])
def test_what_was_prescribed_at_the_visit_is_not_history(day: str) -> None:
    order = {**resource("MedicationRequest", "Heparin", day), "encounter": {"reference": "Encounter/e1"}}
    case = case_of(order)
    assert "Heparin" not in shown(case)
    assert facts(case_of(resource("MedicationRequest", "Heparin", "2024-01-01"))) == [
        "Takes Heparin (2024-01-01)."
    ]


def test_what_a_patient_says_that_he_takes_is_history_though_it_is_said_at_the_visit() -> None:
    statement = {**resource("MedicationStatement", "Warfarin"), "dateAsserted": VISIT.isoformat()}
    del statement["effectiveDateTime"]
    assert facts(case_of(statement)) == ["Takes Warfarin (2024-03-01)."]


@pytest.mark.parametrize(
    ("drug", "told"),
    [
        (
            {"medicationReference": {"reference": "Medication/away", "display": "Warfarin"}},
            ["Takes Warfarin (2019-02-03)."],
        ),
        (
            {"contained": [{"resourceType": "Medication", "id": "m", "code": {"text": "Warfarin"}}],
             "medicationReference": {"reference": "#m"}},
            ["Takes Warfarin (2019-02-03)."],
        ),
        (
            {"contained": [
                {"resourceType": "Medication", "id": "m", "status": "entered-in-error",
                 "code": {"text": "Warfarin"}}
             ],
             "medicationReference": {"reference": "#m"}},
            [],
        ),
    ],
)  # fmt: skip
def test_a_drug_is_named_by_its_resource_or_by_the_reference_to_it(
    drug: dict[str, Any], told: list[str]
) -> None:
    one = {**resource("MedicationRequest", ""), **drug}
    del one["medicationCodeableConcept"]
    case = case_of(one)
    assert facts(case) == told
    assert "Warfarin" in case.model_dump_json()


def test_dates_are_intervals_in_the_zone_of_the_visit() -> None:
    zone = timezone(timedelta(hours=13))
    day = interval_of("2024-03-01", zone)
    assert day == (datetime(2024, 2, 29, 11, tzinfo=UTC), datetime(2024, 3, 1, 11, tzinfo=UTC))
    instant = interval_of("2024-03-01T12:00:00.123+13:00")
    assert instant is not None
    assert instant.first.microsecond == 123_000
    assert interval_of("2023-02-30") is None
    assert interval_of("9999-12-31") is None
    period = interval_of({"start": "2024-12", "end": "2025"})
    assert period == (datetime(2024, 12, 1, tzinfo=UTC), datetime(2026, 1, 1, tzinfo=UTC))
    assert visit_of({"start": VISIT.isoformat(), "end": VISIT_ENDS.isoformat()}, UTC) == (VISIT, VISIT_ENDS)


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
