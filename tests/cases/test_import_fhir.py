"""FHIR bundles: what was known at the encounter can be found out, and nobody is told who the patient is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from osler.cases.importers.fhir import LEFT_OUT, import_bundle, read
from osler.cases.importers.fhir_observations import orderable
from osler.cases.importers.fhir_record import ADMINISTRATIVE
from osler.cases.importers.fhir_values import age_between, is_abnormal, observed
from osler.cases.importers.json_paths import leaves_of
from osler.cases.importers.reading import MAX_RECORD_BYTES
from osler.cases.model import Case
from osler.errors import BadCase
from tests.cases.importing import FIXTURES, imported, refusals, shown, squeezed, told

SMALL = FIXTURES / "fhir_small.ndjson"
GOOD: dict[str, Any] = json.loads(SMALL.read_text(encoding="utf-8").splitlines()[0])
PRIVATE = (
    "Quillfeather",
    "Marguerita",
    "MRN-778-1212",
    "555-0199-22",
    "Larkspur",
    "Eastmarsh",
    "99123",
    "1961-07-19",
)


def bundle(*resources: dict[str, Any]) -> dict[str, Any]:
    return {"resourceType": "Bundle", "entry": [{"resource": one} for one in resources]}


def test_good_bundles_are_imported_and_others_refused_by_number() -> None:
    cases, report = imported(read, SMALL, "fhir")
    assert [case.id for case in cases] == ["fhir-0001", "fhir-0002"]
    assert (report.read, report.imported, report.rejected) == (8, 2, 6)
    assert refusals(report) == {
        3: "a resource of type Patient is no Bundle",
        4: "the Bundle has no entry",
        5: "it has no Condition that says what it is",
        6: "it has no Patient; a case is of one",
        7: "it has 2 Patients; a case is of one",
        8: "not valid JSON: it ends too early",
    }


def test_the_condition_of_the_last_encounter_is_the_diagnosis_and_its_symptoms_the_complaint() -> None:
    case = imported(read, SMALL)[0][0]
    assert (case.age_years, case.sex, case.task.answer) == (59, "female", "Community acquired pneumonia")
    assert case.opening.words == "I have come because of this: cough with fever; chill."
    assert "pneumonia" not in shown(case).lower()


def test_what_was_known_before_is_history_and_what_came_of_it_is_withheld() -> None:
    case = imported(read, SMALL)[0][0]
    facts = {fact.text: fact.topic for fact in case.facts}
    assert facts["Essential hypertension (active, recorded 2012-03-02)."] == "past_medical"
    assert facts["Tobacco smoking status: Never smoked tobacco."] == "tobacco"
    assert facts["Allergic to penicillin: Hives."] == "allergies"
    assert facts["Takes Amlodipine 5 mg tablet (2012-03-02)."] == "medications"
    assert facts["Underwent: Appendectomy (1984-05-05)."] == "past_surgical"
    assert facts["Father: Myocardial infarction (at 58 years)."] == "family"
    # Treatment of the illness, a later value, a refuted illness.
    for hidden in ("Doxycycline", "12.9", "Asthma", "Rest and fluids"):
        assert hidden not in shown(case)
        assert hidden in told_by_nobody(case)


def told_by_nobody(case: Case) -> str:
    return " ".join(leaf.text for leaf in case.withheld)


def test_what_was_prescribed_again_and_again_is_told_once() -> None:
    resources = [entry["resource"] for entry in GOOD["entry"]]
    (first,) = (one for one in resources if one.get("id") == "m1")
    again = [{**first, "id": f"again-{n}", "authoredOn": f"20{n}-06-01"} for n in (14, 15, 13)]
    case = import_bundle(bundle(*resources, *again), 1, "t")
    assert [fact.text for fact in case.facts if "Amlodipine" in fact.text] == [
        "Takes Amlodipine 5 mg tablet (2015-06-01)."
    ]
    assert sum(leaf.text.startswith("MedicationRequest") for leaf in case.withheld) >= 3
    held = [path for path, _ in case.leaves()]
    assert len(held) == len(set(held))


def test_observations_are_findings_by_names_that_can_be_ordered() -> None:
    findings = {finding.name: finding for finding in imported(read, SMALL)[0][0].findings}
    assert findings["Body temperature"].result == "38.95 °C"
    assert (findings["Body temperature"].kind, findings["Body temperature"].abnormal) == ("examination", True)
    assert "Vital signs" in findings["Body temperature"].aliases
    count = findings["Leukocytes"]
    assert count.abnormal
    assert {"White cell count", "Complete blood count panel"} <= set(count.aliases)
    assert findings["Urine glucose"].abnormal is False
    assert findings["Plain chest X-ray"].result == "Consolidation of the right lower lobe."
    assert "Oxygen saturation" not in findings
    names = [name for finding in findings.values() for name in (finding.name, *finding.aliases)]
    assert not any(name.replace("-", "").isdigit() for name in names)


def test_nobody_is_told_who_the_patient_is() -> None:
    case = imported(read, SMALL)[0][0]
    everything = case.model_dump_json()
    for word in PRIVATE:
        assert word not in everything
    left_out = {leaf.source for leaf in case.withheld if leaf.text == LEFT_OUT}
    assert {
        f"entry[0].resource.{key}" for key in ("name", "identifier", "telecom", "address", "birthDate")
    } <= left_out
    # A note that names the patient goes with the name.
    assert "entry[18].resource" in left_out


def test_every_resource_has_one_holder() -> None:
    for line, case in zip(
        SMALL.read_text(encoding="utf-8").splitlines(), imported(read, SMALL)[0], strict=False
    ):
        held = [path for path, _ in case.leaves()]
        assert len(held) == len(set(held))
        for leaf in leaves_of(json.loads(line)):
            if leaf.path.startswith("entry[") and ".resource." in leaf.path:
                assert (
                    sum(leaf.path == path or leaf.path.startswith((f"{path}.", f"{path}[")) for path in held)
                    == 1
                ), leaf


def test_the_words_of_clinical_resources_stand_in_the_case() -> None:
    everything = told(import_bundle(GOOD, 1, "t"))
    for entry in GOOD["entry"]:
        # The nurse's note names the patient and is left out.
        if (
            entry["resource"]["resourceType"] in ADMINISTRATIVE | {"Patient"}
            or entry["resource"]["id"] == "o-n"
        ):
            continue
        for leaf in leaves_of(entry["resource"]):
            last = leaf.path.rpartition(".")[2]
            told_words = last in ("display", "conclusion", "valueString") and "category" not in leaf.path
            if told_words and "subject" not in leaf.path and "Quillfeather" not in str(leaf.value):
                name = str(leaf.value).partition(" (")[0].removeprefix("Allergy to ")
                if name not in ("active", "confirmed", "H", "Negative"):
                    assert squeezed(name) in everything, leaf


def test_without_an_encounter_the_latest_active_condition_is_asked() -> None:
    def condition(name: str, day: str, status: str) -> dict[str, Any]:
        return {
            "resourceType": "Condition",
            "code": {"text": name},
            "clinicalStatus": {"coding": [{"code": status}]},
            "onsetDateTime": day,
        }

    case = import_bundle(
        bundle(
            {"resourceType": "Patient", "gender": "male", "birthDate": "1990"},
            condition("Migraine", "2019-01-01", "active"),
            condition("Influenza", "2020-01-01", "resolved"),
            condition("Gout", "2018-01-01", "active"),
        ),
        1,
        "t",
    )
    assert case.task.answer == "Migraine"
    assert [fact.text for fact in case.facts] == ["Gout (active, recorded 2018-01-01)."]


@pytest.mark.parametrize(
    ("born", "when", "years"),
    [
        ("1961-07-19", "2021-02-11", 59),
        ("1961-02-11", "2021-02-11", 60),
        ("2020-06-15", "2021-05", 0.83),
        ("1990", "2020-06-01", 30),
        ("", "2020-01-01", None),
        ("2021-01-01", "2020-01-01", None),
        ("1990-13-40", "2020-01-01", None),
    ],
)
def test_age_is_whole_years_or_months(born: str, when: str, years: float | None) -> None:
    assert age_between(born, when) == years


@pytest.mark.parametrize(
    ("found", "text", "abnormal"),
    [
        ({"valueQuantity": {"value": 5, "unit": "mmol/L"}}, "5 mmol/L", None),
        ({"valueQuantity": {"value": 0.004567, "comparator": "<", "unit": "ng/mL"}}, "<0.004567 ng/mL", None),
        ({"valueString": "Trace", "interpretation": [{"coding": [{"code": "A"}]}]}, "Trace", True),
        ({"valueCodeableConcept": {"coding": [{"display": "Positive"}]}}, "Positive", None),
        ({"valueInteger": 3, "referenceRange": [{"text": "0-2"}]}, "3 (reference 0-2)", None),
        (
            {
                "valueQuantity": {"value": 9, "unit": "g"},
                "referenceRange": [{"high": {"value": 7, "unit": "g"}}],
            },
            "9 g (reference at most 7 g)",
            True,
        ),
        ({"dataAbsentReason": {"text": "unknown"}}, "", None),
        ({"valueRange": {"low": {"value": 1}, "high": {"value": 2}}}, "1 to 2", None),
        ({"valueQuantity": None, "component": "odd"}, "", None),
    ],
)
def test_values_are_told_in_words(found: dict[str, Any], text: str, abnormal: bool | None) -> None:
    assert (observed(found), is_abnormal(found)) == (text, abnormal)


@pytest.mark.parametrize(
    ("name", "short"),
    [
        ("Hemoglobin [Mass/volume] in Blood", "Hemoglobin"),
        ("Glucose [Mass/volume] in Urine by Test strip", "Urine glucose"),
        ("Body temperature", "Body temperature"),
        (
            "Pain severity - 0-10 verbal numeric rating [Score] - Reported",
            "Pain severity - 0-10 verbal numeric rating [Score] - Reported",
        ),
    ],
)
def test_long_names_are_shortened_but_never_to_another_specimen(name: str, short: str) -> None:
    assert orderable(name) == short


@pytest.mark.parametrize("code", [{"coding": [{"code": "38341003"}]}, {"code": "38341003"}, {"text": " "}])
def test_a_condition_without_a_name_is_no_answer(code: dict[str, Any]) -> None:
    patient, condition = {"resourceType": "Patient", "id": "p"}, {"resourceType": "Condition", "code": code}
    with pytest.raises(BadCase, match="no Condition that says what it is"):
        import_bundle(bundle(patient, condition), 1, "t")


def test_a_long_life_of_many_megabytes_is_read_and_more_than_can_be_held_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "life.json"
    binary = {"resource": {"resourceType": "Binary", "data": "x" * (MAX_RECORD_BYTES + 1)}}
    path.write_text(json.dumps({**GOOD, "entry": [*GOOD["entry"], binary]}, indent=1), encoding="utf-8")
    assert imported(read, path)[1].imported == 1
    monkeypatch.setattr("osler.cases.importers.fhir.MAX_BUNDLE_BYTES", 2_000_000)
    assert refusals(imported(read, path)[1]) == {
        1: "the record is longer than 2 MB, and it would have to be held whole"
    }
