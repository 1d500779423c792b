"""How the elements of a FHIR record are read: absences, digits and units, times."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest

from osler.cases.importers.fhir import import_bundle
from osler.cases.importers.fhir_absences import wording_of
from osler.cases.importers.fhir_times import interval_of, visit_of
from osler.cases.importers.fhir_values import number_of, quantity
from osler.cases.importers.report import serious_flags
from osler.cases.model import Case
from osler.errors import BadCase
from tests.cases.fhir_bundles import VISIT, VISIT_ENDS, bundle_of, resource
from tests.cases.importing import shown

IPS = "http://hl7.org/fhir/uv/ips/CodeSystem/absent-unknown-uv-ips"
SNOMED = "http://snomed.info/sct"


def case_of(*resources: dict[str, Any], patient: dict[str, Any] | None = None) -> Case:
    bundle = bundle_of(*resources)
    bundle["entry"][0]["resource"].update(patient or {})
    return import_bundle(bundle, 1, "t")


def test_who_cannot_speak_does_not() -> None:
    for name in ("Unresponsive", "Intubated and sedated"):
        case = case_of(resource("Condition", name))
        assert case.speaker == "nobody"
        assert any("cannot speak" in flag for flag in case.provenance.flags)
        passed = resource("Condition", name) | {"clinicalStatus": {"coding": [{"code": "resolved"}]}}
        assert case_of(passed).speaker == "patient"
    assert case_of(resource("Condition", "Asthma")).speaker == "patient"


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
        ("Procedure", "Unknown"),
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
